public import ManagedContext

/// A feed's membership in a region. A feed may be in several regions.
public final class Membership: ManagedObject, Entity {
  override public class var entityName: String { "membership" }

  public struct Schema: Sendable {
    /// The ``Region``.
    public let region = Attribute<ManagedObjectID>("region_id", to: Region.self)
    /// The ``Feed``.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self)
  }

  public static let entity = EntityDeclaration(
    Membership.self, Schema(), unique: { [[$0.region, $0.feed]] }, indexes: { [[$0.feed]] })
}
