public import Foundation
public import ManagedContext

/// A period in which no server can be reached.
///
/// The store has at most one row, from the first such run until a server answers again. The likely cause is
/// this machine's own network, so failures are not counted during an outage.
public final class Outage: ManagedObject, Entity {
  override public class var entityName: String { "outage" }

  public struct Schema: Sendable {
    /// The end of the first run that reached no server.
    public let began = Attribute<Date>("began", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(Outage.self, Schema())
}

extension DataSource {
  /// Returns the present outage; nil if the last run reached a server.
  public func outage() throws(StoreError) -> Outage? {
    try context.fetch(FetchRequest(Outage.self, limit: 1)).first
  }
}
