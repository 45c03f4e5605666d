public import Foundation

/// How often a feed brings something, from the dates of its articles.
public struct Rhythm: Sendable, Equatable {
  /// The middle of the times between articles, in seconds.
  public var gap: TimeInterval
  /// The date of the newest article.
  public var newest: Date

  /// Describes a rhythm.
  public init(gap: TimeInterval, newest: Date) {
    self.gap = gap
    self.newest = newest
  }

  /// When to look again after `now`, in seconds: twice as often as articles come; less often the longer none came.
  public func interval(at now: Date) -> TimeInterval {
    max(gap, now.timeIntervalSince(newest)) / 2
  }

  /// The dates of the newest articles of a document, of which only a few are kept however many there are.
  public struct Sample: Sendable {
    private static let kept = 24
    /// Seconds since 1970, the newest first.
    private var dates: [Int64] = []

    /// A sample without dates.
    public init() {}

    /// Takes a date in seconds since 1970.
    public mutating func add(_ date: Int64) {
      if dates.count == Self.kept, let last = dates.last, date <= last { return }
      let place = dates.firstIndex { $0 < date } ?? dates.count
      dates.insert(date, at: place)
      if dates.count > Self.kept { dates.removeLast() }
    }

    /// The rhythm of the dates up to `now`; nil with fewer than two different ones.
    ///
    /// A date in the future says nothing: it is an announcement, or a wrong clock.
    public func rhythm(at now: Date) -> Rhythm? {
      let past = dates.filter { $0 > 0 && TimeInterval($0) <= now.timeIntervalSince1970 }
      guard let newest = past.first else { return nil }
      // Articles of one moment were published together: they are one.
      let gaps = zip(past, past.dropFirst()).map { $0 - $1 }.filter { $0 > 0 }.sorted()
      guard !gaps.isEmpty else { return nil }
      return Rhythm(
        gap: TimeInterval(gaps[gaps.count / 2]), newest: Date(timeIntervalSince1970: TimeInterval(newest)))
    }
  }
}
