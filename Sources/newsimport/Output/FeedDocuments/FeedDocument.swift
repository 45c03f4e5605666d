/// A form in which articles are one feed of their own.
enum FeedDocumentFormat: String {
  case jsonfeed, rss
}

/// Writes articles as one feed, piece by piece: what comes before them, each of them, and what comes behind.
///
/// What is written is read again by ``FeedParser`` as it was, but for characters that the format cannot have.
struct FeedDocument {
  private let format: FeedDocumentFormat
  private let title: String
  private var ids: Set<Int> = []
  private var isFirst = true

  /// - Parameter title: What the feed is called.
  init(_ format: FeedDocumentFormat, title: String) {
    (self.format, self.title) = (format, title)
  }

  /// What comes before the articles.
  var head: String {
    switch format {
    case .jsonfeed: JSONFeedText.head(title: title)
    case .rss: RSSText.head(title: title)
    }
  }

  /// The next article.
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

  /// What comes behind the articles.
  var tail: String {
    switch format {
    case .jsonfeed: JSONFeedText.tail
    case .rss: RSSText.tail
    }
  }
}
