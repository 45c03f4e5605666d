public import Foundation
public import ManagedContext

/// Keeps an article that was deleted from coming back while its feed still lists it.
public final class Tombstone: ManagedObject {
  override public class var entityName: String { "tombstone" }

  /// The attributes.
  public enum Key {
    /// See ``Tombstone/feed``.
    public static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    /// See ``Tombstone/guidHash``.
    public static let guidHash = AttributeKey<Int64>(1, "guid_hash")
    /// See ``Tombstone/seen``.
    public static let seen = AttributeKey<Date>(2, "seen")
  }

  /// The ``Feed`` that it came from.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }
  /// XXH3 of the article's ``Article/guid``: what an import finds articles by; unique in the feed.
  public var guidHash: Int64 { self[Key.guidHash] }
  /// When the feed was last known to list it, to the month; at first when it was deleted.
  public var seen: Date { self[Key.seen] }

  static let entity = EntityDescription(
    entityName, class: Tombstone.self,
    properties: [
      .reference(Key.feed, \Tombstone.feed, to: "feed"),
      .attribute(Key.guidHash, \Tombstone.guidHash),
      .attribute(Key.seen, \Tombstone.seen),
    ],
    uniqueness: [["feed_id", "guid_hash"]])
}
