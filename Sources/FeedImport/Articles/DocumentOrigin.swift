import FeedParsing
import Foundation

/// A document's origin.
package struct DocumentOrigin: Sendable {
  /// The feed's addresses: its own, the requested one, and those that sent this answer and the previous one.
  let addresses: [String]
  /// True if this or the previous answer came from another address than the feed's own: the same id may then
  /// mean another article.
  let isElsewhere: Bool

  /// An unknown origin by default.
  package init(addresses: [String] = [], isElsewhere: Bool = false) {
    (self.addresses, self.isElsewhere) = (addresses, isElsewhere)
  }
}

/// The article order in one document: newest first, unless most dates state the opposite.
struct DocumentOrder {
  /// The neighbours with the newer article first, minus those with the older one first.
  private var newestFirst = 0
  private var last: Int64?
  private var place: Int64 = 0

  mutating func observe(_ items: [ParsedItem]) {
    for item in items {
      guard let date = item.published ?? item.modified else { continue }
      if let last { newestFirst += (date < last ? 1 : 0) - (date > last ? 1 : 0) }
      last = date
    }
  }

  /// Returns the next article's ``Article/sequence``.
  mutating func next(at now: Date) -> Int64 {
    place += 1
    let microseconds = Int64((now.timeIntervalSince1970 * 1e6).rounded(.down))
    return microseconds + (newestFirst < 0 ? place : -place)
  }
}
