public import Foundation
public import ManagedContext

/// The dates of occasional maintenance. The store has at most one row.
public final class Upkeep: ManagedObject, Entity {
  override public class var entityName: String { "upkeep" }

  public struct Schema: Sendable {
    /// The last time a fetch applied the configured retention; nil if never.
    public let retained = Attribute<Date?>("retained", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(Upkeep.self, Schema())
}

extension DataSource {
  /// Returns the last time a fetch applied the configured retention; nil if never.
  public func lastRetention() throws(StoreError) -> Date? {
    try context.fetch(FetchRequest(Upkeep.self, limit: 1)).first?.retained
  }

  /// Records that a fetch applied the retention, with the context's next save.
  public func noteRetention(at date: Date) throws(StoreError) {
    let upkeep = try context.fetch(FetchRequest(Upkeep.self, limit: 1)).first ?? context.insert(Upkeep.self)
    upkeep.retained = date
  }
}
