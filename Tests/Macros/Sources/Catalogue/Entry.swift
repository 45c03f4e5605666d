public import Foundation
public import ManagedContext
public import ManagedContextMacros

/// An entry whose dates only this module sets.
@Entity("entry")
public final class Entry: ManagedObject {
  public var title: String
  public private(set) var opened: Date?
  @Relationship(inverse: "entries") public internal(set) var shelf: Shelf?
  private var note: String?

  /// Records that somebody opened the entry.
  public func open(at date: Date) { opened = date }

  /// Moves the entry.
  public func move(to shelf: Shelf?) {
    self.shelf = shelf
    note = shelf.map { "moved to \($0.name)" }
  }

  /// Returns a condition that other modules could not write.
  public static func isNoted() -> FetchPredicate<Entry> { \Entry.note != nil && \Entry.opened == nil }

  /// Returns the entries on a shelf, as the class sees the relationship.
  public static func isOn(_ name: String) -> FetchPredicate<Entry> { \Entry.shelf!.name == name }
}

/// A shelf, declared without the macro.
public final class Shelf: ManagedObject, Entity {
  override public class var entityName: String { "shelf" }

  /// The attributes and relationships.
  public struct Schema: Sendable {
    /// The name.
    public let name = Attribute<String>("name")
    /// The entries on the shelf.
    public let entries = ToMany<Entry>("entries")
  }

  public static let entity = EntityDeclaration(Shelf.self, Schema(), unique: { [[$0.name]] })
}
