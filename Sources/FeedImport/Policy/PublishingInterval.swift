public import Foundation

/// A feed's publishing interval, from its articles' dates.
public struct PublishingInterval: Sendable, Equatable {
  /// The median time between articles, in seconds.
  public var gap: TimeInterval
  /// The newest article's date.
  public var newest: Date

  /// Creates a publishing interval.
  public init(gap: TimeInterval, newest: Date) {
    self.gap = gap
    self.newest = newest
  }

  /// Returns the time until the next poll after `now`, in seconds: half the interval, and more the longer the
  /// feed is silent.
  public func wait(at now: Date) -> TimeInterval {
    max(gap, now.timeIntervalSince(newest)) / 2
  }

  /// The dates of a document's newest articles. Only a few are kept.
  public struct Sample: Sendable {
    private static let kept = 24
    /// Seconds since 1970, the newest first.
    private var dates: [Int64] = []
    /// The oldest date, even if it is not kept.
    private var oldest: Int64?

    /// Creates a sample without dates.
    public init() {}

    /// The newest date, in seconds since 1970; nil without dates.
    var newest: Int64? { dates.first }

    /// Adds a date in seconds since 1970.
    public mutating func add(_ date: Int64) {
      oldest = min(oldest ?? date, date)
      if dates.count == Self.kept, let last = dates.last, date <= last { return }
      let place = dates.firstIndex { $0 < date } ?? dates.count
      dates.insert(date, at: place)
      if dates.count > Self.kept { dates.removeLast() }
    }

    /// Returns the dates up to `now`, the newest first.
    func past(at now: Date) -> [Date] {
      dates.lazy.filter { $0 > 0 && TimeInterval($0) <= now.timeIntervalSince1970 }
        .map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// Returns whether the oldest article came soon after the previous document's newest one, so that none
    /// was missed between them. Articles that were all published together do not suggest missed ones.
    func follows(_ former: PublishingInterval?) -> Bool {
      guard let oldest, let newest else { return false }
      if oldest == newest { return true }
      guard let former else { return false }
      return TimeInterval(oldest) - former.newest.timeIntervalSince1970 <= former.gap * 1.5
    }

    /// Returns the publishing interval up to `now`; nil with fewer than two different dates.
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
