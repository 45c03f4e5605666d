public import Foundation
public import ManagedContext

/// An article in a feed, unique within the feed by ``guid``.
public final class Article: ManagedObject, Entity {
  override public class var entityName: String { "article" }

  public struct Schema: Sendable {
    /// The article's ``Feed``.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self, inverse: \.articles)
    /// RSS `guid` or Atom `id`, else the link, else a hash of title and date. Compared byte by byte, never
    /// normalized.
    public let guid = Attribute<String>("guid")
    /// The XXH3 hash of everything a publisher can edit. Another hash under the same ``guid`` is an edit.
    public let contentHash = Attribute<Int64>("content_hash")
    /// The date that orders lists: the publication date, else the last change, else the first import.
    ///
    /// It follows these dates when a publisher corrects them. It may be in the future; see ``listDate(at:)``.
    public let timelineDate = Attribute<Date>("timeline", as: .secondsSince1970)
    /// The date the publisher gave the article; nil if it is missing or unreadable.
    public let published = Attribute<Date?>("published", as: .secondsSince1970)
    /// The date when the article last changed, as the publisher states it.
    public let modified = Attribute<Date?>("modified", as: .secondsSince1970)
    /// The date of the first import into this store.
    public let imported = Attribute<Date>("imported", as: .secondsSince1970)
    /// The edit count since the first import. A change that is only ``ChangeKinds/markup``,
    /// ``ChangeKinds/dates`` or ``ChangeKinds/volatile`` does not count.
    public let edits = Attribute<Int>("edits")
    /// The absolute address of the article's page.
    public let url = Attribute<String?>("url")
    /// Plain text.
    public let title = Attribute<String?>("title")
    /// A JSON array of objects with `name`, `url`, `email` and `avatar`, as far as known; nil without authors.
    public let authors = Attribute<String?>("authors")
    /// A JSON array of strings; nil without tags.
    public let tags = Attribute<String?>("tags")
    /// A JSON array of objects with `url` and, as far as known, `mime_type`, `title`, `size_in_bytes` and
    /// `duration_in_seconds`; nil without attachments.
    public let attachments = Attribute<String?>("attachments")
    /// The address of a picture for the article.
    public let image = Attribute<String?>("image")
    /// A language tag (RFC 5646) as the publisher wrote it.
    public let language = Attribute<String?>("language")
    /// The publisher's summary, which may be HTML.
    public let summary = Attribute<String?>("summary")
    /// The whole text, as HTML.
    public let contentHTML = Attribute<String?>("content_html")
    /// Orders articles with the same ``timelineDate``; the higher number is newer.
    ///
    /// It is the import time in microseconds since 1970, minus the article's index in its document, because
    /// documents list the newest article first. Nil in rows migrated from version 7, unless another article in
    /// the feed has the same date.
    public let sequence = Attribute<Int?>("sequence")
    /// ``lastChange`` and the answer that last changed the article in one number; see `StoredChange`.
    package let storedChange = Attribute<Int?>("last_change")
    /// The absolute address of an external page that the article is about.
    public let externalURL = Attribute<String?>("external_url")
    /// The absolute address of the article's comments page.
    public let commentsURL = Attribute<String?>("comments_url")
    /// A JSON object with everything else that the publisher states; nil if there is nothing else.
    ///
    /// Its names are those that `newsimport parse` uses in `_newsimport`, and `content_text` if there is also
    /// HTML.
    public let members = Attribute<String?>("members")
    /// A key that the article shares with its copies in other feeds: a hash of its page's address; nil without
    /// one.
    ///
    /// Articles with the same key may still be different; see ``DataSource/copies(ofStories:)``.
    public let story = Attribute<Int64?>("story")
    /// The time that the feed's document stated when it brought the current text, such as RSS `lastBuildDate`,
    /// in seconds since 1970.
    ///
    /// Nil without such a time, or if the article states its own in ``modified``. A document with an earlier
    /// time has an older text.
    package let stated = Attribute<Int64?>("stated")
    /// At most one mark.
    public let readMarks = ToMany<ReadMark>("read_marks", onDelete: .cascade)
    /// At most one star.
    public let stars = ToMany<Star>("stars", onDelete: .cascade)
  }

  /// All attributes except ``contentHTML``, an article's largest part, which has its own pages in the file.
  public static let withoutContent = AttributeSet.all.subtracting(AttributeSet([schema.contentHTML]))
  /// Only the feed and the guid.
  public static let identity = AttributeSet([schema.feed, schema.guid])
  /// The attributes that every list needs.
  package static let listed = identity.union(AttributeSet([schema.timelineDate, schema.story]))

  // The newest articles in a region, and a story's copies, are found in the indexes alone.
  // The last imports are also found there, however old their own dates are: a list reads them in index
  // order.
  public static let entity = EntityDeclaration(
    Article.self, Schema(), unique: { [[$0.feed, $0.guid]] },
    indexes: { [[$0.timelineDate, $0.sequence, $0.feed, $0.imported], [$0.story, $0.feed]] },
    history: { history($0) })
}

extension EntityValues where Object == Article {
  /// The kinds of the last change since the first import; nil if it has not changed, or not since version 10.
  public var lastChange: ChangeKinds? { self[Article.schema.storedChange].map(ChangeKinds.init) }
}
