/// A format in which articles can be written as one feed.
protocol FeedText {
  /// Returns the part before the articles.
  static func head(title: String) -> String
  /// Appends an article.
  static func write(_ entry: FeedEntry, to bytes: inout [UInt8])
  /// The text between two articles.
  static var separator: String { get }
  /// The part after the articles.
  static var tail: String { get }
}

/// A writer of articles as one document, piece by piece.
protocol ArticleDocument {
  /// The part before the articles.
  var head: String { get }
  /// Appends the next article, unless the document already has it.
  mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8])
  /// The part after the articles.
  var tail: String { get }
}

/// A writer of articles as one feed.
///
/// ``FeedParser`` reads the output back unchanged, except for characters that the format cannot contain.
struct FeedDocument: ArticleDocument {
  private let format: any FeedText.Type
  private let title: String
  /// The hashes of the bytes of the addresses that serve as identifiers in the document.
  private var addresses: Set<Int> = []
  private var isFirst = true

  /// - Parameter title: The title of the feed.
  init(_ format: any FeedText.Type, title: String) {
    (self.format, self.title) = (format, title)
  }

  var head: String { format.head(title: title) }

  mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8]) {
    let entry = FeedEntry(listed)
    if ArticleID.isAddress(entry.id), !addresses.insert(Array(entry.id.utf8).hashValue).inserted { return }
    if !isFirst { bytes += format.separator.utf8 }
    isFirst = false
    format.write(entry, to: &bytes)
  }

  var tail: String { format.tail }
}
