import Foundation
package import WebAddress

/// A feed that is written, without its articles.
package struct FeedChannel {
  var title: String
  /// The address of the page that the feed belongs to.
  var home: WebAddress?
  /// The address at which the feed can be fetched.
  var address: WebAddress?
  var created = Date()

  package init(title: String, home: WebAddress? = nil, address: WebAddress? = nil) {
    (self.title, self.home, self.address) = (title, home, address)
  }
}

/// A format in which articles can be written as one feed.
package protocol FeedText {
  /// Returns the part before the articles.
  static func head(_ channel: FeedChannel) -> String
  /// Appends an article.
  static func write(_ entry: FeedEntry, to bytes: inout [UInt8])
  /// The text between two articles.
  static var separator: String { get }
  /// The part after the articles.
  static var tail: String { get }
}

/// A writer of articles as one document, piece by piece.
package protocol ArticleDocument {
  /// The part before the articles.
  var head: String { get }
  /// Appends the next article, unless the document already has it.
  mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8])
  /// The part after the articles.
  var tail: String { get }
}

/// A writer of articles as one feed.
///
/// ``FeedParser`` reads the output back unchanged, except for values that the format cannot contain.
package struct FeedDocument: ArticleDocument {
  private let format: any FeedText.Type
  private let channel: FeedChannel
  /// Hashes of the addresses' bytes that serve as identifiers in the document.
  private var addresses: Set<Int> = []
  private var isFirst = true

  package init(_ format: any FeedText.Type, _ channel: FeedChannel) {
    (self.format, self.channel) = (format, channel)
  }

  package var head: String { format.head(channel) }

  package mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8]) {
    let entry = FeedEntry(listed)
    if ArticleID.isAddress(entry.id), !addresses.insert(Array(entry.id.utf8).hashValue).inserted { return }
    if !isFirst { bytes += format.separator.utf8 }
    isFirst = false
    format.write(entry, to: &bytes)
  }

  package var tail: String { format.tail }
}
