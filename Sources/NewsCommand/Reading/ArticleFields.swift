import NewsModel
import SQLiteStore
import TextOutput
import WebAddress

/// An article in the output of a command.
struct ListedArticle {
  let article: Article
  /// The number that commands use for the article; nil for an article of an attached store.
  let number: Int64?
  /// Nil if the feed no longer exists.
  let feed: Feed?
  /// The search hits in the article; nil without a search.
  let hits: SearchIndex.Highlights?
  /// The user's marks.
  let marks: Set<ArticleMark>
  /// The other feeds that have a copy of the article.
  let otherFeeds: [Feed]

  init(
    _ article: Article, number: Int64?, _ feed: Feed?, marks: Set<ArticleMark> = [], otherFeeds: [Feed] = [],
    hits: SearchIndex.Highlights? = nil
  ) {
    self.otherFeeds = otherFeeds
    self.article = article
    self.number = number
    self.feed = feed
    self.marks = marks
    self.hits = hits
  }
}

/// The fields of an article.
enum ArticleFields: RecordFields {
  typealias Format = ArticleFormat

  static let all: [RecordField<ListedArticle>] =
    standard + [
      contentHTML,
      RecordField("attachments") { list($0.article.attachments) },
      RecordField("image") { $0.article.image },
      RecordField("language") { $0.article.language },
      RecordField("imported") { $0.article.imported },
      RecordField("edits") { $0.article.edits },
      RecordField("read") { $0.marks.contains(.read) },
      RecordField("starred") { $0.marks.contains(.starred) },
      RecordField("last_change") { ($0.article.lastChange ?? []).names },
      RecordField("external_url") { $0.article.externalURL },
      RecordField("comments_url") { $0.article.commentsURL },
      RecordField("members") { $0.article.members.map { RecordValue.json(printable($0)) } },
    ]

  static let standard: [RecordField<ListedArticle>] = [
    RecordField("id") { $0.number },
    RecordField("guid") { $0.article.guid },
    RecordField("feed") { $0.feed?.url.withoutPassword },
    RecordField("title") { $0.article.title },
    RecordField("url") { $0.article.url },
    RecordField("published") { $0.article.published },
    RecordField("modified") { $0.article.modified },
    RecordField("authors") { list($0.article.authors) },
    RecordField("tags") { list($0.article.tags) },
    RecordField("summary") { $0.article.summary },
    RecordField("also_in") { $0.otherFeeds.map(\.url.withoutPassword) },
  ]

  static let contentHTML = RecordField<ListedArticle>("content_html") { $0.article.contentHTML }

  /// Returns a list that the store has as JSON.
  private static func list(_ json: String?) -> RecordValue {
    .json(json.map(printable) ?? "[]")
  }
}
