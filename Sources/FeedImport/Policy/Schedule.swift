public import Foundation
public import NewsModel

/// Decides when a feed is asked again, and why then: a function of what is known, without a clock of its own.
public struct Schedule: Sendable {
  /// Not more often than this, in seconds, whatever the feed's rhythm is.
  public var floor: TimeInterval = 3600
  /// Where the server gives no validators, each fetch costs it the whole document: not more often than this.
  public var unconditionalFloor: TimeInterval = 86400
  /// A feed is looked after at least so often, in seconds, unless its publisher asks for less.
  public var ceiling: TimeInterval = 86400
  /// What HTTP's cache fields ask for counts at most so long: servers send them for pictures, too.
  public var freshnessCeiling: TimeInterval = 86400
  /// What the document asks for (ttl, update period) counts at most so long: a week.
  public var hintCeiling: TimeInterval = 7 * 86400
  /// After the first failure; it doubles with each further one. Also what stands for a Retry-After that is missing.
  public var firstBackoff: TimeInterval = 3600
  /// The longest time after a failure.
  public var backoffCeiling: TimeInterval = 86400
  /// How much later than decided a feed may be asked, as a share, so that not all are asked at once.
  public var jitter = 0.1

  /// The recommended settings.
  public init() {}

  /// What is known of a feed after an answer.
  public struct Knowledge: Sendable {
    /// How many fetches in a row have failed, the last included; 0 after a success.
    public var failures = 0
    /// The publisher ended the feed (HTTP 410).
    public var isGone = false
    /// How long the server wants to be left alone, in seconds (Retry-After, or what stands for it).
    public var retryAfter: TimeInterval?
    /// How long its Retry-After says, in seconds, where ``retryAfter`` is less of it.
    public var retryWish: TimeInterval?
    /// The status by which the server turned the client away (429, 503): ``retryAfter`` is when it wants to see it again.
    /// Nil for any other answer, after which ``retryAfter`` is the least time.
    public var turnsAway: Int?
    /// How long the answer stays fresh, in seconds; see ``Freshness``.
    public var freshness: TimeInterval?
    /// Whether Expires says so, and not Cache-Control.
    public var isFreshByExpires = false
    /// What the document asks for.
    public var hints = PublisherHints()
    /// How often it brings something; nil when the dates of its articles do not show it.
    public var rhythm: Rhythm?
    /// The user's interval in seconds, which replaces the rhythm and the floors of our own.
    public var interval: TimeInterval?
    /// Whether the next request can be conditional.
    public var hasValidators = true
    /// Whether conditional requests cannot be sent to the address that answers, or are answered by the whole document all
    /// the same.
    public var wastesValidators = false
    /// How long after the fetch before this one was made, in seconds, and whether it brought something; for feeds
    /// without a rhythm.
    public var lastInterval: TimeInterval?
    /// See ``lastInterval``.
    public var hadNews = false
    /// From 0 to 1, always the same for one feed: the share of ``Schedule/jitter`` by which it is polled after the updates
    /// that it announces.
    public var spread = 0.0

    /// Nothing is known.
    public init() {}
  }

  /// When to ask next.
  public struct Next: Sendable, Equatable {
    /// Nil stands for never.
    public var date: Date?
    /// The reason.
    public var reason: PollReason
  }

  /// When to ask again.
  ///
  /// - Parameters:
  ///   - known: What is known after the answer.
  ///   - now: When the answer came.
  ///   - random: From 0 to 1, for the jitter.
  public func next(after known: Knowledge, at now: Date, random: Double) -> Next {
    if known.isGone { return Next(date: nil, reason: PollReason(.gone)) }
    var (interval, reason) = interval(known, at: now)
    var date = now.addingTimeInterval(interval * (1 + jitter * min(max(random, 0), 1)))
    if let (base, period) = announcedUpdates(known), interval <= period {
      reason = PollReason(.updatePeriod, seconds: period)
      date = nextUpdate(known, from: base, every: period, after: now)
    }
    // A wait that was asked for ends when it ends, and is not made longer by hints of another day.
    let allowed = known.failures == 0 ? known.hints.firstAllowed(from: date) : date
    reason.isPostponed = allowed != date
    return Next(date: allowed, reason: reason)
  }

  /// How long to wait after so many failures in a row, in seconds.
  func backoff(afterFailures failures: Int) -> TimeInterval {
    min(firstBackoff * pow(2, Double(min(max(failures, 1), 30) - 1)), backoffCeiling)
  }

  private func interval(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    guard let wait = known.retryAfter else { return ordinaryInterval(known, at: now) }
    var pause = pauseReason(known, wait)
    let ordinary = ordinaryInterval(known, at: now)
    if wait >= ordinary.0 { return (wait, pause) }
    guard known.turnsAway != nil, ordinary.1.code == .failures else { return ordinary }
    pause.count = ordinary.1.count
    return (ordinary.0, pause)
  }

  private func pauseReason(_ known: Knowledge, _ wait: TimeInterval) -> PollReason {
    if let wish = known.retryWish, wish >= wait {
      return PollReason(wish > wait ? .limitedRetryAfter : .retryAfter, seconds: wait)
    }
    return PollReason(
      known.turnsAway == nil ? .retryAfter : .turnedAway, seconds: wait, status: known.turnsAway)
  }

  /// As if the server had not asked for a pause.
  private func ordinaryInterval(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    if known.failures > 0 {
      // A feed of a week's interval is not given up for a week.
      let least = min(known.interval ?? floor, backoffCeiling)
      return (
        max(least, backoff(afterFailures: known.failures)), PollReason(.failures, count: known.failures)
      )
    }
    // What the publisher asks for holds against everybody's wishes, the user's included.
    return floors(known).reduce(wish(known, at: now)) { $1.0 > $0.0 ? $1 : $0 }
  }

  /// How often it would be asked if nobody minded.
  private func wish(_ known: Knowledge, at now: Date) -> (TimeInterval, PollReason) {
    if let interval = known.interval { return (interval, PollReason(.configured, seconds: interval)) }
    let (interval, reason): (TimeInterval, PollReason) =
      if let rhythm = known.rhythm {
        (rhythm.interval(at: now), PollReason(.rhythm, seconds: rhythm.gap))
      } else {
        ((known.lastInterval ?? 2 * floor) * (known.hadNews ? 0.5 : 1.5), PollReason(.trial))
      }
    return interval > ceiling ? (ceiling, PollReason(.ceiling, seconds: ceiling)) : (interval, reason)
  }

  /// Soon after the next update, so that nothing is lost of a feed that lists its articles for one period. The delay is the
  /// same after each update: with a long delay after a short one, an update would be missed.
  private func nextUpdate(
    _ known: Knowledge, from base: Date, every period: TimeInterval, after now: Date
  ) -> Date {
    let first = base.addingTimeInterval(jitter * min(max(known.spread, 0), 1) * period)
    let periods = (now.timeIntervalSince(first) / period).rounded(.down) + 1
    let least = max(leastInterval(known), known.retryAfter ?? 0)
    // The answer arrives some seconds after the run began. After a wait of a whole period the feed would not be due yet in
    // the run one period later, and each fetch would be later than the one before.
    return max(
      first.addingTimeInterval(periods * period), now.addingTimeInterval(min(least, period - Self.slack)))
  }

  /// The longest of the intervals that hold whatever the update period is: the user's, or our own floors, and those of
  /// HTTP's cache fields and RSS `ttl`.
  private func leastInterval(_ known: Knowledge) -> TimeInterval {
    var others = known
    others.hints.updateInterval = nil
    return floors(others).map(\.0).reduce(known.interval ?? 0, max)
  }

  private func floors(_ known: Knowledge) -> [(TimeInterval, PollReason)] {
    var floors: [(TimeInterval, PollReason)] = []
    if known.interval == nil {
      floors.append((floor, PollReason(.floor, seconds: floor)))
      if !known.hasValidators {
        floors.append((unconditionalFloor, PollReason(.unconditional, seconds: unconditionalFloor)))
      } else if known.wastesValidators {
        floors.append((unconditionalFloor, PollReason(.wholeDocuments, seconds: unconditionalFloor)))
      }
    }
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

  /// The time of one update and the period between updates; nil without a base, if the period is too short or too long to
  /// follow, and after a failure.
  private func announcedUpdates(_ known: Knowledge) -> (base: Date, period: TimeInterval)? {
    guard known.failures == 0, let base = known.hints.updateBase, let period = known.hints.updateInterval,
      (2 * Self.slack...hintCeiling).contains(period)
    else { return nil }
    return (base, period)
  }

  /// How much shorter than the period of the updates a wait may be, in seconds.
  private static let slack: TimeInterval = 60
}
