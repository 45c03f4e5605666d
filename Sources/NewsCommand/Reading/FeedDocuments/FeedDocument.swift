/// A form in which articles are one feed of their own.
enum FeedDocumentFormat: String {
  case jsonfeed, rss
}

/// Writes articles as one document, piece by piece.
protocol ArticleDocument {
  /// What comes before the articles.
  var head: String { get }
  /// The next article; empty for one that the document has already.
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
  /// The hashes of the addresses that are ids in it, of their bytes.
  private var addresses: Set<Int> = []
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
    let entry = FeedEntry(listed)
    if ArticleID.isAddress(entry.id), !addresses.insert(Array(entry.id.utf8).hashValue).inserted { return "" }
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
