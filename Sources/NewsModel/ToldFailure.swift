public import ManagedContext

/// Says that a person was told that a feed fails, and not yet that it works again (`fetch --mail-after`).
///
/// A row of its own, so that the feeds of most people, who are told nothing, are as small as before.
public final class ToldFailure: ManagedObject {
  override public class var entityName: String { "told_failure" }

  /// The attributes.
  public enum Key {
    /// See ``ToldFailure/feed``.
    public static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
  }

  /// The ``Feed``; it has one such row at most.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: ToldFailure.self,
    properties: [.reference(Key.feed, \ToldFailure.feed, to: "feed")], uniqueness: [["feed_id"]])
}
