import FeedParsing
import Foundation

/// The origin of a document.
package struct DocumentOrigin: Sendable {
  /// The addresses of the feed: its own, the requested one, the one that answered, and the one that sent the previous answer.
  var addresses: [String] = []
  /// True if the answer, or the last one, came from another address than the feed's own: the same id may then mean
  /// another article.
  var isElsewhere = false

  /// An unknown origin.
  package init() {}

  /// Describes the origin of a document.
  init(addresses: [String], isElsewhere: Bool) {
    (self.addresses, self.isElsewhere) = (addresses, isElsewhere)
  }
}

/// The order of the articles in one document: newest first, unless most dates state the opposite.
struct DocumentOrder {
  /// The number of neighbours with the newer article first, minus those with the older one first.
  private var newestFirst = 0
  private var last: Int64?
  private var place: Int64 = 0

  /// Adds the dates of the next articles.
  mutating func observe(_ items: [ParsedItem]) {
    for item in items {
      guard let date = item.published ?? item.modified else { continue }
      if let last { newestFirst += (date < last ? 1 : 0) - (date > last ? 1 : 0) }
      last = date
    }
  }

  /// Returns the ``Article/sequence`` of the next article.
  mutating func next(at now: Date) -> Int64 {
    place += 1
    let microseconds = Int64((now.timeIntervalSince1970 * 1e6).rounded(.down))
    return microseconds + (newestFirst < 0 ? place : -place)
  }
}
