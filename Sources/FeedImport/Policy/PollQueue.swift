import ManagedContext
import NewsModel
import WebAddress

/// The feeds that a run has not claimed yet, which it takes in parts: as many as it will poll in about a quarter of a second.
///
/// The feeds of a publisher (scheme, host and port) are in one part: a run that polls some of them polls all, with the
/// publisher's connections and pauses in one process, and feeds with one address share a request. Otherwise the feeds keep
/// their order.
struct PollQueue {
  private var publishers: ArraySlice<[FeedOutline]>
  /// The least number of feeds of the next part.
  private var size: Int
  private let smallest: Int
  private var last: ContinuousClock.Instant?

  /// The time between two parts below which the next one is larger. A part costs two transactions.
  private static let shortTime: Duration = .milliseconds(250)
  /// The largest part, in smallest parts.
  private static let growth = 16

  /// - Parameters:
  ///   - feeds: The feeds.
  ///   - smallest: The number of feeds of the first part.
  init(_ feeds: [FeedOutline], smallest: Int) {
    (size, self.smallest) = (max(1, smallest), max(1, smallest))
    guard feeds.count > size else {
      publishers = feeds.isEmpty ? [] : [feeds]
      return
    }
    var groups: [[FeedOutline]] = []
    var places: [String: Int] = [:]
    for feed in feeds {
      let origin = feed.currentURL.origin ?? feed.currentURL.text
      if let place = places[origin] {
        groups[place].append(feed)
      } else {
        places[origin] = groups.count
        groups.append([feed])
      }
    }
    publishers = groups[...]
  }

  /// Removes and returns the next part; empty at the end.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isInstead: True if other runs had claimed the part before. It says nothing about the speed of this run.
  mutating func next(at now: ContinuousClock.Instant, isInstead: Bool = false) -> [FeedOutline] {
    if let last, !isInstead {
      size = now - last < Self.shortTime ? min(size * 2, smallest * Self.growth) : max(size / 2, smallest)
    }
    last = now
    var part: [FeedOutline] = []
    while part.count < size, let publisher = publishers.popFirst() { part += publisher }
    return part
  }
}
