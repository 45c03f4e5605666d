public import Foundation

/// The publishing interval of a feed, from the dates of its articles.
public struct PublishingInterval: Sendable, Equatable {
  /// The median time between articles, in seconds.
  public var gap: TimeInterval
  /// The date of the newest article.
  public var newest: Date

  /// Creates a publishing interval.
  public init(gap: TimeInterval, newest: Date) {
    self.gap = gap
    self.newest = newest
  }

  /// Returns the time until the next poll after `now`, in seconds: half the interval, and more the longer the feed is silent.
  public func wait(at now: Date) -> TimeInterval {
    max(gap, now.timeIntervalSince(newest)) / 2
  }

  /// The dates of the newest articles of a document. Only a few are kept.
  public struct Sample: Sendable {
    private static let kept = 24
    /// Seconds since 1970, the newest first.
    private var dates: [Int64] = []

    /// Creates a sample without dates.
    public init() {}

    /// Adds a date in seconds since 1970.
    public mutating func add(_ date: Int64) {
      if dates.count == Self.kept, let last = dates.last, date <= last { return }
      let place = dates.firstIndex { $0 < date } ?? dates.count
      dates.insert(date, at: place)
      if dates.count > Self.kept { dates.removeLast() }
    }

    /// Returns the publishing interval of the dates up to `now`; nil with fewer than two different dates.
    ///
    /// Dates in the future are ignored: they are announcements, or come from a wrong clock.
    public func publishingInterval(at now: Date) -> PublishingInterval? {
      let past = dates.filter { $0 > 0 && TimeInterval($0) <= now.timeIntervalSince1970 }
      guard let newest = past.first else { return nil }
      // Articles with the same date were published together and count as one.
      let gaps = zip(past, past.dropFirst()).map { $0 - $1 }.filter { $0 > 0 }.sorted()
      guard !gaps.isEmpty else { return nil }
      return PublishingInterval(
        gap: TimeInterval(gaps[gaps.count / 2]), newest: Date(timeIntervalSince1970: TimeInterval(newest)))
    }
  }
}
