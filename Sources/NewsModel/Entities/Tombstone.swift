public import Foundation
public import ManagedContext

/// A marker for a deleted or archived article, which prevents its return while the feed still lists it.
public final class Tombstone: ManagedObject {
  override public class var entityName: String { "tombstone" }

  package enum Key {
    package static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    package static let guidHash = AttributeKey<Int64>(1, "guid_hash")
    package static let seen = AttributeKey<Date>(2, "seen")
    package static let archivedHash = AttributeKey<Int64?>(3, "archived_hash")
  }

  /// The article's ``Feed``.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }
  /// The XXH3 hash of the article's ``Article/guid``, which imports look up; unique in the feed.
  public var guidHash: Int64 { self[Key.guidHash] }
  /// The last time the feed listed the article, to the month; initially the date of the deletion.
  public var seen: Date { self[Key.seen] }
  /// The last ``Article/contentHash`` that the feed listed for an article in an archive; nil for a deleted
  /// article.
  public var archivedHash: Int64? { self[Key.archivedHash] }

  static let entity = EntityDescription(
    entityName, class: Tombstone.self,
    properties: [
      .reference(Key.feed, \Tombstone.feed, to: "feed"),
      .attribute(Key.guidHash, \Tombstone.guidHash),
      .attribute(Key.seen, \Tombstone.seen),
      .attribute(Key.archivedHash, \Tombstone.archivedHash),
    ],
    uniqueness: [["feed_id", "guid_hash"]])
}
