public import Foundation
public import ManagedContext
public import NewsModel

/// Decides whether a feed may be polled now.
public enum PollPolicy {
  /// A reason not to poll a feed.
  public enum Refusal: Sendable, Hashable {
    /// The publisher ended it (HTTP 410).
    case gone
    /// Its server requested a pause until then (Retry-After).
    case notBefore(Date)
    /// Its host rejected two other feeds, and requested a pause until then.
    case hostClosed(Date)
    /// Its host allows no further request now, and other feeds have waited longer.
    case waiting(HostWait)
    /// Its host, or the proxy, did not answer for this number of other feeds in this run; it is due again
    /// then.
    case hostSilent(Date, feeds: Int, proxy: String?)
    /// It is not due before then, and only due feeds were requested.
    case notDue(Date)
    /// Its last answer was successful, and only failed feeds were requested.
    case notFailed
    /// Another run has claimed it.
    case claimed
    /// No server could be reached for other feeds in this run.
    case offline

    /// The end of a server's pause; nil for other reasons.
    var end: Date? {
      switch self {
      case .notBefore(let date), .hostClosed(let date): date
      case .waiting(let wait): wait.until
      default: nil
      }
    }

    /// True if the feed waits for its turn at a host that limits requests.
    var isTurn: Bool { if case .waiting = self { true } else { false } }
  }

  /// Returns whether `feed` is due at `now`, for a run that polls only due feeds.
  ///
  /// A feed that was never polled is due, as is a feed with a schedule that ``isFromWrongClock(_:at:)``. No
  /// feed is due in an hour that it excludes, however late the run is.
  public static func isDue(_ feed: some EntityValues<Feed>, at now: Date) -> Bool {
    guard refusal(to: feed, at: now) == nil, PublisherHints(hoursOf: feed).allows(now) else { return false }
    guard let date = feed.nextFetch else { return true }
    return date <= now || isFromWrongClock(feed, at: now)
  }

  /// Returns whether a clock that was ahead of `now` made the feed's schedule: its dates are then void.
  public static func isFromWrongClock(_ feed: some EntityValues<Feed>, at now: Date) -> Bool {
    feed.scheduleDate.map { $0 > now.addingTimeInterval(clockTolerance) } ?? false
  }

  static func areDue(at now: Date) -> FetchPredicate<Feed> {
    mayBePolled(at: now) && dueConditions(at: now).reduce(.constant(false)) { $0 || $1 }
  }

  /// Requests that find each feed that satisfies ``areDue(at:)``, and few others, in the store's indexes.
  static func dueRequests(at now: Date) -> [FetchRequest<Feed>] {
    // SQLite would read all feeds for an order that an index has.
    dueConditions(at: now).map { condition in
      FetchRequest(
        Feed.self, where: condition && \.isGone410 == false, sortedBy: [.ascending(\.lastFetch)])
    }
  }

  /// Conditions on one index each. A due feed meets at least one. SQLite would read all feeds for both.
  private static func dueConditions(at now: Date) -> [FetchPredicate<Feed>] {
    [\.nextFetch == nil || \.nextFetch <= now, areFromWrongClock(at: now)]
  }

  /// The feeds without a ``refusal(to:at:)``, as a predicate.
  static func mayBePolled(at now: Date) -> FetchPredicate<Feed> {
    let isNotPaused =
      \Feed.notBefore == nil || \Feed.notBefore <= now
      || \Feed.notBefore > now.addingTimeInterval(longestWait) || areFromWrongClock(at: now)
    return \Feed.isGone410 == false && isNotPaused
  }

  private static func areFromWrongClock(at now: Date) -> FetchPredicate<Feed> {
    let limit = now.addingTimeInterval(clockTolerance)
    return \Feed.scheduledAt > limit || (\Feed.scheduledAt == nil && \Feed.lastFetch > limit)
  }

  /// Returns the date on which a run that polls only due feeds polls `feed` next.
  ///
  /// Nil means at once, because the feed was never polled or its schedule ``isFromWrongClock(_:at:)``, or
  /// never.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - server: The pause of the feed's server, which other feeds may have caused.
  ///   - now: The time.
  public static func nextPoll(of feed: some EntityValues<Feed>, server: Refusal?, at now: Date) -> Date? {
    if feed.isGone410 { return nil }
    var dates = isFromWrongClock(feed, at: now) ? [] : [feed.nextFetch].compactMap(\.self)
    dates += [refusal(to: feed, at: now), server].compactMap { $0?.end }
    let hints = PublisherHints(hoursOf: feed)
    return dates.max().map { date in
      let first = max(date, now)
      return hints.allows(first) ? date : hints.firstAllowed(from: first)
    }
  }

  /// Returns when a feed that a run has refused to poll will be polled next; nil for never, or if another run
  /// polls it.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - refusal: The reason.
  ///   - isByHand: True if the next run also polls feeds that are not due.
  ///   - now: The time.
  public static func nextPoll(
    of feed: some EntityValues<Feed>, after refusal: Refusal, isByHand: Bool, at now: Date
  ) -> Date? {
    switch refusal {
    case .gone, .claimed, .notFailed, .offline: nil
    case .notBefore(let date), .hostClosed(let date), .hostSilent(let date, _, _):
      isByHand ? date : nextPoll(of: feed, server: refusal, at: now) ?? date
    case .waiting(let wait):
      isByHand ? wait.until : nextPoll(of: feed, server: refusal, at: now) ?? wait.until
    case .notDue(let date): date
    }
  }

  /// The longest pause that is obeyed, in seconds: 7 days.
  static let longestWait: TimeInterval = 7 * 86400

  /// The tolerance for a clock that was ahead when a schedule was made, in seconds. The wait is longer by no
  /// more than this.
  private static let clockTolerance: TimeInterval = 600

  /// Returns the reason not to poll `feed` at `now`; nil if it may be polled.
  ///
  /// A pause beyond seven days exceeds the maximum that is obeyed: a wrong clock made it, and it is void.
  public static func refusal(to feed: some EntityValues<Feed>, at now: Date) -> Refusal? {
    if feed.isGone410 { return .gone }
    guard let date = feed.notBefore, date > now, date.timeIntervalSince(now) <= longestWait,
      !isFromWrongClock(feed, at: now)
    else { return nil }
    return .notBefore(date)
  }
}
