public import Foundation
public import ManagedContext

/// A time in which no server could be reached; the store has one row at most, from the first such run on until a server
/// answers again.
///
/// The cause is most likely this machine's own network, so failures are not counted meanwhile.
public final class Outage: ManagedObject {
  override public class var entityName: String { "outage" }

  /// The attributes.
  public enum Key {
    /// See ``Outage/began``.
    public static let began = AttributeKey<Date>(0, "began")
  }

  /// When the first run ended that reached no server.
  public var began: Date {
    get { self[Key.began] }
    set { self[Key.began] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Outage.self, properties: [.attribute(Key.began, \Outage.began)])
}

extension DataSource {
  /// The outage that goes on; nil for none.
  public func outage() throws(StoreError) -> Outage? {
    try context.fetch(FetchRequest(Outage.self, limit: 1)).first
  }
}
