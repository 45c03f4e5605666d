public import Foundation
public import ManagedContext

/// A marker for a deleted or archived article, which prevents its return while the feed still lists it.
public final class Tombstone: ManagedObject, Entity {
  override public class var entityName: String { "tombstone" }

  public struct Schema: Sendable {
    /// The article's ``Feed``.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self, inverse: \.tombstones)
    /// The XXH3 hash of the article's ``Article/guid``, which imports look up; unique in the feed.
    public let guidHash = Attribute<Int64>("guid_hash")
    /// The last time the feed listed the article, to the month; initially the date of the deletion.
    public let seen = Attribute<Date>("seen", as: .secondsSince1970)
    /// The last ``Article/contentHash`` that the feed listed for an article in an archive; nil for a deleted
    /// article.
    public let archivedHash = Attribute<Int64?>("archived_hash")
  }

  public static let entity = EntityDeclaration(
    Tombstone.self, Schema(), unique: { [[$0.feed, $0.guidHash]] })
}
