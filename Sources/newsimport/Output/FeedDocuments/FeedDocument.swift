/// A form in which articles are one feed of their own.
enum FeedDocumentFormat: String {
  case jsonfeed, rss
}

/// Writes articles as one document, piece by piece.
protocol ArticleDocument {
  /// What comes before the articles.
  var head: String { get }
  /// The next article.
  mutating func item(_ listed: ListedArticle) -> String
  /// What comes behind the articles.
  var tail: String { get }
}

/// Writes articles as one feed.
///
/// What is written is read again by ``FeedParser`` as it was, but for characters that the format cannot have.
struct FeedDocument: ArticleDocument {
  private let format: FeedDocumentFormat
  private let title: String
  private var ids: Set<Int> = []
  private var isFirst = true

  /// - Parameter title: What the feed is called.
  init(_ format: FeedDocumentFormat, title: String) {
    (self.format, self.title) = (format, title)
  }

  var head: String {
    switch format {
    case .jsonfeed: JSONFeedText.head(title: title)
    case .rss: RSSText.head(title: title)
    }
  }

  mutating func item(_ listed: ListedArticle) -> String {
    var entry = FeedEntry(listed)
    // Publishers number their articles each for themselves; readers take two with one number for the same.
    if !ids.insert(entry.id.hashValue).inserted, let feed = entry.feedURL { entry.id = "\(feed)#\(entry.id)" }
    defer { isFirst = false }
    return switch format {
    case .jsonfeed: (isFirst ? "" : ",") + JSONFeedText.item(entry)
    case .rss: RSSText.item(entry)
    }
  }

  var tail: String {
    switch format {
    case .jsonfeed: JSONFeedText.tail
    case .rss: RSSText.tail
    }
  }
}
