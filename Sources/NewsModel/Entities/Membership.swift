public import ManagedContext

/// A feed's membership in a region. A feed may be in several regions.
public final class Membership: ManagedObject {
  override public class var entityName: String { "membership" }

  package enum Key {
    package static let region = AttributeKey<ManagedObjectID>(0, "region_id")
    package static let feed = AttributeKey<ManagedObjectID>(1, "feed_id")
  }

  /// The ``Region``.
  public var region: ManagedObjectID {
    get { self[Key.region] }
    set { self[Key.region] = newValue }
  }

  /// The ``Feed``.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Membership.self,
    properties: [
      .reference(Key.region, \Membership.region, to: "region"),
      .reference(Key.feed, \Membership.feed, to: "feed"),
    ],
    uniqueness: [["region_id", "feed_id"]], indexes: [["feed_id"]])
}
