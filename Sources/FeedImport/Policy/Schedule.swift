public import Foundation
public import NewsModel

/// Decides when a feed is polled next, and why. It depends only on the known facts, and has no clock.
public struct Schedule: Sendable {
  /// The shortest polling interval, in seconds.
  public var floor: TimeInterval = 3600
  /// The shortest polling interval without validators, in seconds, for a feed that loses nothing by it. Each
  /// poll costs the server a whole document.
  public var unconditionalFloor: TimeInterval = 86400
  /// The longest polling interval, in seconds, unless the publisher asks for a longer one.
  public var ceiling: TimeInterval = 86400
  /// The longest time from HTTP's cache fields that is obeyed, in seconds: servers also send them for images.
  public var freshnessCeiling: TimeInterval = 86400
  /// The longest time from the document (ttl, update period) that is obeyed, in seconds: a week.
  public var hintCeiling: TimeInterval = 7 * 86400
  /// The wait after the first failure, in seconds; it doubles with each further one. Also the default for a
  /// missing Retry-After.
  public var firstBackoff: TimeInterval = 3600
  /// The longest wait after a failure, in seconds.
  public var backoffCeiling: TimeInterval = 86400
  /// The maximum random delay, as a share of the interval, so that not all feeds are polled at once.
  ///
  /// Polls at the user's interval, or in infrequent runs, have no delay: they would wait for another run.
  public var jitter = 0.1

  /// The recommended settings.
  public init() {}

  /// The facts about a feed after an answer.
  public struct Knowledge: Sendable {
    /// The number of consecutive failures, including the last poll; 0 after a success.
    public var failures = 0
    /// True if the publisher ended the feed (HTTP 410).
    public var isGone = false
    /// The pause that the server requested, in seconds (Retry-After, or the default).
    public var retryAfter: TimeInterval?
    /// The pause in Retry-After, in seconds; ``retryAfter`` is the part that is obeyed.
    public var retryWish: TimeInterval?
    /// The status with which the server rejected the request (429, 503): ``retryAfter`` is the wait that it
    /// wants. Nil for any other answer, after which ``retryAfter`` is the minimum.
    public var rejects: Int?
    /// True if the host allowed no further request, so that nothing is known about the feed. It is due again
    /// after the pause, but not before the usual minimum.
    public var isRefused = false
    /// The time during which the answer stays fresh, in seconds; see ``Freshness``.
    public var freshness: TimeInterval?
    /// True if ``freshness`` comes from Expires, not from Cache-Control.
    public var isFreshByExpires = false
    /// The publisher's wishes in the document.
    public var hints = PublisherHints()
    /// The publishing interval; nil if the articles' dates do not show it.
    public var publishingInterval: PublishingInterval?
    /// The document's window, which shows how long articles stay in it; nil if no document was read.
    public var newsWindow: NewsWindow?
    /// The time since the last run that polled feeds, in seconds; nil if it is unknown.
    public var runInterval: TimeInterval?
    /// The user's interval, in seconds, which replaces the publishing interval and the default minimums.
    public var interval: TimeInterval?
    /// True if the next request can be conditional.
    public var hasValidators = true
    /// True if conditional requests cannot be sent to the address that answers, or receive whole documents.
    public var wastesValidators = false
    /// The planned time between the last two polls, in seconds, or the time that passed if it is shorter. For
    /// feeds without a publishing interval.
    public var lastInterval: TimeInterval?
    /// True if the last poll had news.
    public var hadNews = false
    /// A number from 0 to 1, constant for a feed. It determines how long after an announced update the feed
    /// is polled, as a share of ``Schedule/jitter``.
    public var spread = 0.0

    /// No facts.
    public init() {}
  }

  /// The next poll.
  public struct Next: Sendable, Equatable {
    /// The date; nil for never.
    public var date: Date?
    /// The reason.
    public var reason: PollReason
  }

  /// Returns the date of the next poll.
  ///
  /// - Parameters:
  ///   - known: The facts after the answer.
  ///   - now: The time of the answer.
  ///   - random: A number from 0 to 1, for the jitter.
  public func next(after known: Knowledge, at now: Date, random: Double) -> Next {
    if known.isGone { return Next(date: nil, reason: PollReason(.gone)) }
    var (interval, reason) = interval(known, at: now)
    var date = now.addingTimeInterval(wait(interval, known, random: min(max(random, 0), 1)))
    if let (base, period) = announcedUpdates(known), interval <= period {
      reason = PollReason(.updatePeriod, seconds: period)
      date = nextUpdate(known, from: base, every: period, after: now)
    }
    // A requested pause ends at its end. Hints about other days do not extend it.
    let allowed = known.failures == 0 ? known.hints.firstAllowed(from: date) : date
    reason.isPostponed = allowed != date
    return Next(date: allowed, reason: reason)
  }

  /// Returns the time until the feed is due, in seconds.
  ///
  /// It is a little shorter than the interval, because an answer arrives some seconds after its run began.
  /// Otherwise the feed would not be due yet in the run one interval later.
  private func wait(_ interval: TimeInterval, _ known: Knowledge, random: Double) -> TimeInterval {
    if known.failures > 0 || known.isRefused || known.retryAfter.map({ $0 >= interval }) ?? false {
      return interval * (1 + jitter * random)
    }
    let isSpread = known.interval == nil && known.runInterval.map { 3 * $0 <= interval } ?? true
    let wait = interval * (isSpread ? 1 + jitter * random : 1) - min(Self.slack, interval / 10)
    // The publisher's wishes are exact.
    return publisherFloors(known).reduce(wait) { max($0, $1.0) }
  }

  /// Returns the wait after consecutive failures, in seconds.
  func backoff(afterFailures failures: Int) -> TimeInterval {
    min(firstBackoff * pow(2, Double(min(max(failures, 1), 30) - 1)), backoffCeiling)
  }

  private func interval(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    if known.isRefused { return refusedInterval(known) }
    guard let wait = known.retryAfter else { return ordinaryInterval(known, at: now) }
    var pause = pauseReason(known, wait)
    let ordinary = ordinaryInterval(known, at: now)
    if wait >= ordinary.0 { return (wait, pause) }
    guard known.rejects != nil, ordinary.1.code == .failures else { return ordinary }
    pause.count = ordinary.1.count
    return (ordinary.0, pause)
  }

  private func pauseReason(_ known: Knowledge, _ wait: TimeInterval) -> PollReason {
    if let wish = known.retryWish, wish >= wait {
      return PollReason(wish > wait ? .limitedRetryAfter : .retryAfter, seconds: wait)
    }
    return PollReason(
      known.rejects == nil ? .retryAfter : .rejected, seconds: wait, status: known.rejects)
  }

  /// Returns the interval for a feed after its host refused the request. It does not grow with repetition.
  private func refusedInterval(_ known: Knowledge) -> (TimeInterval, PollReason) {
    let wait = known.retryAfter ?? 0
    let least = known.interval.map { min($0, floor) } ?? floor
    if wait >= least { return (wait, pauseReason(known, wait)) }
    return (least, PollReason(least < floor ? .configured : .floor, seconds: least))
  }

  /// Returns the interval without a pause.
  private func ordinaryInterval(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    if known.failures > 0 {
      // A feed with an interval of a week is polled earlier after a failure.
      let least = min(known.interval ?? floor, backoffCeiling)
      return (
        max(least, backoff(afterFailures: known.failures)), PollReason(.failures, count: known.failures)
      )
    }
    // The publisher's wishes take precedence over all others, including the user's.
    return floors(known, at: now).reduce(wish(known, at: now)) { $1.0 > $0.0 ? $1 : $0 }
  }

  /// Returns the interval without the publisher's wishes.
  private func wish(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    if let interval = known.interval { return (interval, PollReason(.configured, seconds: interval)) }
    let (interval, reason): (TimeInterval, PollReason) =
      if let publishingInterval = known.publishingInterval {
        (publishingInterval.wait(at: now), PollReason(.publishingInterval, seconds: publishingInterval.gap))
      } else {
        ((known.lastInterval ?? 2 * floor) * (known.hadNews ? 0.5 : 1.5), PollReason(.trial))
      }
    let limited = interval > ceiling ? (ceiling, PollReason(.ceiling, seconds: ceiling)) : (interval, reason)
    // A poll that comes later may miss articles.
    return windowWait(known, at: now).flatMap { $0.0 < limited.0 ? $0 : nil } ?? limited
  }

  /// Returns the longest interval that misses no articles; nil if it is not known.
  private func windowWait(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason)? {
    guard let window = known.newsWindow, let length = window.length,
      let wait = window.wait(isDated: known.publishingInterval != nil, atLeast: floor, at: now)
    else { return nil }
    return (wait, PollReason(.newsWindow, seconds: length))
  }

  /// Returns a date soon after the next update, so that a feed that lists its articles for one period loses
  /// nothing.
  ///
  /// The delay is the same after each update: with a long delay after a short one, an update would be missed.
  private func nextUpdate(
    _ known: Knowledge, from base: Date, every period: TimeInterval, after now: Date
  ) -> Date {
    let first = base.addingTimeInterval(jitter * min(max(known.spread, 0), 1) * period)
    let periods = (now.timeIntervalSince(first) / period).rounded(.down) + 1
    let least = max(leastInterval(known, at: now), known.retryAfter ?? 0)
    // The answer arrives some seconds after the run began. After a whole period, the feed would not be due
    // yet in the run one period later. Each fetch would be later than the previous one.
    return max(
      first.addingTimeInterval(periods * period), now.addingTimeInterval(min(least, period - Self.slack)))
  }

  /// Returns the longest interval that holds without the update period: the user's, a default minimum, or an
  /// interval from HTTP's cache fields and RSS `ttl`.
  private func leastInterval(_ known: Knowledge, at now: Date) -> TimeInterval {
    var others = known
    others.hints.updateInterval = nil
    return floors(others, at: now).map(\.0).reduce(known.interval ?? 0, max)
  }

  private func floors(_ known: Knowledge, at now: Date) -> [(TimeInterval, PollReason)] {
    guard known.interval == nil else { return publisherFloors(known) }
    return [(floor, PollReason(.floor, seconds: floor))]
      + [unconditionalFloor(known, at: now)].compactMap(\.self) + publisherFloors(known)
  }

  /// Returns the shortest interval for a feed if every poll costs a whole document: a day, or the longest one
  /// that misses no articles.
  ///
  /// Nil for other feeds, and for a feed without validators until its window is known: the first polls find
  /// it out.
  private func unconditionalFloor(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason)? {
    if known.hasValidators, !known.wastesValidators { return nil }
    let longest = windowWait(known, at: now)
    if let longest, longest.0 < unconditionalFloor { return longest }
    if longest == nil, !known.hasValidators { return nil }
    return (
      unconditionalFloor,
      PollReason(known.hasValidators ? .wholeDocuments : .unconditional, seconds: unconditionalFloor)
    )
  }

  /// Returns the intervals that the publisher asks for.
  private func publisherFloors(_ known: Knowledge) -> [(TimeInterval, PollReason)] {
    var floors: [(TimeInterval, PollReason)] = []
    if let freshness = known.freshness {
      let time = min(freshness, freshnessCeiling)
      floors.append((time, PollReason(known.isFreshByExpires ? .expires : .freshness, seconds: time)))
    }
    if let time = known.hints.timeToLive.map({ min($0, hintCeiling) }) {
      floors.append((time, PollReason(.timeToLive, seconds: time)))
    }
    if let time = known.hints.updateInterval.map({ min($0, hintCeiling) }) {
      floors.append((time, PollReason(.updatePeriod, seconds: time)))
    }
    return floors
  }

  /// Returns an update time and the period between updates. Nil without a base, after a failure, or if the
  /// period is too short or too long to follow.
  private func announcedUpdates(_ known: Knowledge) -> (base: Date, period: TimeInterval)? {
    guard known.failures == 0, !known.isRefused, let base = known.hints.updateBase,
      let period = known.hints.updateInterval,
      (2 * Self.slack...hintCeiling).contains(period)
    else { return nil }
    return (base, period)
  }

  /// The maximum difference between the interval or update period and a shorter wait, in seconds.
  private static let slack: TimeInterval = 60
}
