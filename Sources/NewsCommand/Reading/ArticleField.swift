import FeedImport
import ManagedContext
import NewsModel
import SQLiteStore
import WebAddress
import TextOutput

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

  init(
    _ article: Article, number: Int64?, _ feed: Feed?, marks: Set<ArticleMark> = [],
    hits: SearchIndex.Highlights? = nil
  ) {
    self.article = article
    self.number = number
    self.feed = feed
    self.marks = marks
    self.hits = hits
  }
}

/// The fields of an article. Scripts rely on their names.
enum ArticleField: String, RecordField {
  typealias Format = ArticleFormat

  case id, guid, feed, title, url, published, modified, authors, tags, summary
  case contentHTML = "content_html"
  case attachments, image, language, imported, edits, read, starred

  static let standard: [ArticleField] = [
    .id, .guid, .feed, .title, .url, .published, .modified, .authors, .tags, .summary,
  ]

  func value(of subject: ListedArticle) -> RecordValue {
    let article = subject.article
    return switch self {
    case .id: subject.number.recordValue
    case .guid: .text(article.guid)
    case .feed: (subject.feed?.url.withoutPassword).recordValue
    case .title: article.title.recordValue
    case .url: article.url.recordValue
    case .published: article.published.recordValue
    case .modified: article.modified.recordValue
    case .authors: .json(article.authors.map(printable) ?? "[]")
    case .tags: .json(article.tags.map(printable) ?? "[]")
    case .summary: article.summary.recordValue
    case .contentHTML: article.contentHTML.recordValue
    case .attachments: .json(article.attachments.map(printable) ?? "[]")
    case .image: article.image.recordValue
    case .language: article.language.recordValue
    case .imported: .date(article.imported)
    case .edits: .integer(Int64(article.edits))
    case .read: .boolean(subject.marks.contains(.read))
    case .starred: .boolean(subject.marks.contains(.starred))
    }
  }
}
