public import Foundation
public import ManagedContext

/// An article in a feed, unique within the feed by ``guid``.
public final class Article: ManagedObject {
  override public class var entityName: String { "article" }

  package enum Key {
    package static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    package static let guid = AttributeKey<String>(1, "guid")
    package static let contentHash = AttributeKey<Int64>(2, "content_hash")
    package static let timelineDate = AttributeKey<Date>(3, "timeline")
    package static let published = AttributeKey<Date?>(4, "published")
    package static let modified = AttributeKey<Date?>(5, "modified")
    package static let imported = AttributeKey<Date>(6, "imported")
    package static let edits = AttributeKey<Int>(7, "edits")
    package static let url = AttributeKey<String?>(8, "url")
    package static let title = AttributeKey<String?>(9, "title")
    package static let authors = AttributeKey<String?>(10, "authors")
    package static let tags = AttributeKey<String?>(11, "tags")
    package static let attachments = AttributeKey<String?>(12, "attachments")
    package static let image = AttributeKey<String?>(13, "image")
    package static let language = AttributeKey<String?>(14, "language")
    package static let summary = AttributeKey<String?>(15, "summary")
    package static let contentHTML = AttributeKey<String?>(16, "content_html")
    package static let sequence = AttributeKey<Int?>(17, "sequence")
    package static let lastChange = AttributeKey<Int?>(18, "last_change")
    package static let externalURL = AttributeKey<String?>(19, "external_url")
    package static let commentsURL = AttributeKey<String?>(20, "comments_url")
    package static let members = AttributeKey<String?>(21, "members")
    package static let story = AttributeKey<Int64?>(22, "story")
    package static let stated = AttributeKey<Int64?>(23, "stated")

    /// The columns for all attributes, in order.
    package static let columns = Array(feed.index...stated.index)
  }

  /// The article's ``Feed``.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }
  /// RSS `guid` or Atom `id`, else the link, else a hash of title and date. Compared byte by byte, never
  /// normalized.
  public var guid: String {
    get { self[Key.guid] }
    set { self[Key.guid] = newValue }
  }
  /// The XXH3 hash of everything a publisher can edit. Another hash under the same ``guid`` is an edit.
  public var contentHash: Int64 { self[Key.contentHash] }
  /// The date that orders lists: the publication date, else the last change, else the first import.
  ///
  /// It follows these dates when a publisher corrects them. It may be in the future; see ``listDate(at:)``.
  public var timelineDate: Date { self[Key.timelineDate] }
  /// The date the publisher gave the article; nil if it is missing or unreadable.
  public var published: Date? { self[Key.published] }
  /// The date when the article last changed, as the publisher states it.
  public var modified: Date? { self[Key.modified] }
  /// The date of the first import into this store.
  public var imported: Date { self[Key.imported] }
  /// The edit count since the first import. A change that is only ``ChangeKinds/markup``,
  /// ``ChangeKinds/dates`` or ``ChangeKinds/volatile`` does not count.
  public var edits: Int { self[Key.edits] }
  /// The absolute address of the article's page.
  public var url: String? { self[Key.url] }
  /// Plain text.
  public var title: String? { self[Key.title] }
  /// A JSON array of objects with `name`, `url`, `email` and `avatar`, as far as known; nil without authors.
  public var authors: String? { self[Key.authors] }
  /// A JSON array of strings; nil without tags.
  public var tags: String? { self[Key.tags] }
  /// A JSON array of objects with `url` and, as far as known, `mime_type`, `title`, `size_in_bytes` and
  /// `duration_in_seconds`; nil without attachments.
  public var attachments: String? { self[Key.attachments] }
  /// The address of a picture for the article.
  public var image: String? { self[Key.image] }
  /// A language tag (RFC 5646) as the publisher wrote it.
  public var language: String? { self[Key.language] }
  /// The publisher's summary, which may be HTML.
  public var summary: String? { self[Key.summary] }
  /// The whole text, as HTML.
  public var contentHTML: String? { self[Key.contentHTML] }
  /// Orders articles with the same ``timelineDate``; the higher number is newer.
  ///
  /// It is the import time in microseconds since 1970, minus the article's index in its document, because
  /// documents list the newest article first. Nil in rows migrated from version 7, unless another article in
  /// the feed has the same date.
  public var sequence: Int? { self[Key.sequence] }
  /// The kinds of the last change since the first import; nil if it has not changed, or not since version 10.
  public var lastChange: ChangeKinds? { self[Key.lastChange].map(ChangeKinds.init) }
  /// The number of the answer that last changed the article, counted for its feed; nil if unknown.
  package var changingAnswer: Int? {
    self[Key.lastChange].map { StoredChange(number: $0).answer }.flatMap { $0 > 0 ? $0 : nil }
  }
  /// The absolute address of an external page that the article is about.
  public var externalURL: String? { self[Key.externalURL] }
  /// The absolute address of the article's comments page.
  public var commentsURL: String? { self[Key.commentsURL] }
  /// A JSON object with everything else that the publisher states; nil if there is nothing else.
  ///
  /// Its names are those that `newsimport parse` uses in `_newsimport`, and `content_text` if there is also
  /// HTML.
  public var members: String? { self[Key.members] }
  /// A key that the article shares with its copies in other feeds: a hash of its page's address; nil without
  /// one.
  ///
  /// Articles with the same key may still be different; see ``DataSource/copies(ofStories:)``.
  public var story: Int64? { self[Key.story] }
  /// The time that the feed's document stated when it brought the current text, such as RSS `lastBuildDate`,
  /// in seconds since 1970.
  ///
  /// Nil without such a time, or if the article states its own in ``modified``. A document with an earlier
  /// time has an older text.
  package var stated: Int64? { self[Key.stated] }

  static let entity = EntityDescription(
    entityName, class: Article.self,
    properties: [
      .reference(Key.feed, \Article.feed, to: "feed"),
      .attribute(Key.guid, \Article.guid),
      .attribute(Key.contentHash, \Article.contentHash),
      .attribute(Key.timelineDate, \Article.timelineDate),
      .attribute(Key.published, \Article.published),
      .attribute(Key.modified, \Article.modified),
      .attribute(Key.imported, \Article.imported),
      .attribute(Key.edits, \Article.edits),
      .attribute(Key.url, \Article.url),
      .attribute(Key.title, \Article.title),
      .attribute(Key.authors, \Article.authors),
      .attribute(Key.tags, \Article.tags),
      .attribute(Key.attachments, \Article.attachments),
      .attribute(Key.image, \Article.image),
      .attribute(Key.language, \Article.language),
      .attribute(Key.summary, \Article.summary),
      .attribute(Key.contentHTML, \Article.contentHTML),
      .attribute(Key.sequence, \Article.sequence),
      .attribute(Key.lastChange),
      .attribute(Key.externalURL, \Article.externalURL),
      .attribute(Key.commentsURL, \Article.commentsURL),
      .attribute(Key.members, \Article.members),
      .attribute(Key.story, \Article.story),
      .attribute(Key.stated, \Article.stated),
    ],
    // The newest articles in a region, and a story's copies, are found in the indexes alone.
    uniqueness: [["feed_id", "guid"]],
    // The last imports are also found there, however old their own dates are: a list reads them in index
    // order.
    indexes: [["timeline", "sequence", "feed_id", "imported"], ["story", "feed_id"]],
    history: history)
}
