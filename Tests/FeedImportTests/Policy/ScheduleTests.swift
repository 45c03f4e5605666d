import Foundation
import HTTPDownload
import NewsModel
import Testing

@testable import FeedImport
import WebAddress
import TestSupport

@Suite struct ScheduleTests {
  /// Friday, 15 January 2027, 08:00 UTC.
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let hour: TimeInterval = 3600

  /// Returns the time until a feed is due again, in seconds from now; nil for never.
  private func wait(_ change: (inout Schedule.Knowledge) -> Void) -> TimeInterval? {
    next(change).date?.timeIntervalSince(Self.now)
  }

  /// The time by which a feed is due before its interval ends, in seconds.
  private static let slack: TimeInterval = 60

  private func next(
    at date: Date = now, random: Double = 0, _ change: (inout Schedule.Knowledge) -> Void
  ) -> Schedule.Next {
    var known = Schedule.Knowledge()
    known.publishingInterval = PublishingInterval(
      gap: 4 * Self.hour, newest: Self.now.addingTimeInterval(-Self.hour))
    change(&known)
    return Schedule().next(after: known, at: date, random: random)
  }

  @Test func `a feed is polled twice as often as it publishes`() {
    #expect(next { _ in }.reason == PollReason(.publishingInterval, seconds: 4 * Self.hour))
    #expect(wait { _ in } == 2 * Self.hour - Self.slack)
  }

  @Test func `a feed that has been quiet for longer is polled less often, but once a day`() {
    let silent: (TimeInterval) -> TimeInterval? = { age in
      wait { $0.publishingInterval?.newest = Self.now.addingTimeInterval(-age) }
    }
    #expect(silent(10 * Self.hour) == 5 * Self.hour - Self.slack)
    #expect(silent(40 * Self.hour) == 20 * Self.hour - Self.slack)
    #expect(silent(400 * Self.hour) == 24 * Self.hour - Self.slack)
    #expect(
      next { $0.publishingInterval?.newest = .distantPast }.reason == PollReason(.ceiling, seconds: 86400))
  }

  @Test func `a feed is polled at most once an hour, however much it publishes`() {
    #expect(
      wait { $0.publishingInterval = PublishingInterval(gap: 60, newest: Self.now) } == Self.hour - Self.slack
    )
    #expect(
      next { $0.publishingInterval = PublishingInterval(gap: 60, newest: Self.now) }.reason
        == PollReason(.floor, seconds: 3600))
  }

  @Test func `a feed without validators whose document shows articles for long is polled once a day`() {
    let next = next {
      $0.hasValidators = false
      $0.newsWindow = Self.window(72 * Self.hour)
    }
    #expect(next.date == Self.now.addingTimeInterval(24 * Self.hour - Self.slack))
    #expect(next.reason == PollReason(.unconditional, seconds: 86400))
  }

  private static func window(_ length: TimeInterval) -> NewsWindow {
    NewsWindow(length: length, hours: PublishingHours(since: now), lastNews: now)
  }

  @Test(arguments: [true, false])
  func `a feed is polled twice while its document shows an article, but at most once an hour`(
    hasValidators: Bool
  ) {
    for (window, wait) in [(4.0, 2.0), (3, 1.5), (0.5, 1)] {
      let next = next {
        $0.hasValidators = hasValidators
        $0.publishingInterval?.gap = 9 * Self.hour
        $0.newsWindow = Self.window(window * Self.hour)
      }
      #expect(next.date == Self.now.addingTimeInterval(wait * Self.hour - Self.slack))
      #expect(next.reason == PollReason(.newsWindow, seconds: window * Self.hour))
    }
  }

  @Test func `the publisher's wishes and the user's interval come before what a document shows`() {
    let wait = { (change: (inout Schedule.Knowledge) -> Void) in
      self.wait {
        $0.newsWindow = Self.window(2 * Self.hour)
        change(&$0)
      }
    }
    #expect(wait { $0.freshness = 6 * Self.hour } == 6 * Self.hour)
    #expect(wait { $0.hints.timeToLive = 6 * Self.hour } == 6 * Self.hour)
    #expect(wait { $0.interval = 6 * Self.hour } == 6 * Self.hour - Self.slack)
  }

  @Test func `a feed with undated articles is polled more often while it has news`() {
    let trial: (TimeInterval, Bool) -> TimeInterval? = { interval, hadNews in
      wait {
        $0.publishingInterval = nil
        $0.lastInterval = interval
        $0.hadNews = hadNews
      }
    }
    #expect(trial(8 * Self.hour, true) == 4 * Self.hour - Self.slack)
    #expect(trial(8 * Self.hour, false) == 12 * Self.hour - Self.slack)
    #expect(trial(Self.hour, true) == Self.hour - Self.slack)
    #expect(trial(20 * Self.hour, false) == 24 * Self.hour - Self.slack)
  }

  @Test func `the publisher's minimum overrides all other settings`() {
    let asks: [((inout Schedule.Knowledge) -> Void, PollReason)] = [
      ({ $0.freshness = 6 * Self.hour }, PollReason(.freshness, seconds: 6 * Self.hour)),
      ({ $0.hints.timeToLive = 6 * Self.hour }, PollReason(.timeToLive, seconds: 6 * Self.hour)),
      ({ $0.hints.updateInterval = 6 * Self.hour }, PollReason(.updatePeriod, seconds: 6 * Self.hour)),
    ]
    for (ask, reason) in asks {
      #expect(next(ask).reason == reason)
      let configured = next {
        $0.interval = 600
        ask(&$0)
      }
      #expect(configured.date == Self.now.addingTimeInterval(6 * Self.hour))
      #expect(configured.reason == reason)
    }
  }

  @Test func `the user's interval replaces the publishing interval and the default minimums`() {
    #expect(wait { $0.interval = 600 } == 540)
    #expect(next { $0.interval = 600 }.reason == PollReason(.configured, seconds: 600))
    #expect(
      wait {
        $0.interval = 600
        $0.hasValidators = false
      } == 540)
  }

  @Test func `cache fields count for at most a day, and the document's hints for a week`() {
    #expect(wait { $0.freshness = 1e12 } == 24 * Self.hour)
    #expect(wait { $0.hints.timeToLive = 1e12 } == 168 * Self.hour)
    #expect(wait { $0.hints.updateInterval = 365 * 24 * Self.hour } == 168 * Self.hour)
  }

  /// Returns the time until a feed with updates at fixed times is due again after its last update, in hours from now.
  private func waitForUpdate(
    every period: Double, hoursSinceLast: Double, spread: Double = 0,
    _ change: (inout Schedule.Knowledge) -> Void = { _ in }
  ) -> Double? {
    let next = next {
      $0.hints.updateInterval = period * Self.hour
      $0.hints.updateBase = Self.now.addingTimeInterval(-(100 * period + hoursSinceLast) * Self.hour)
      $0.spread = spread
      change(&$0)
    }
    return next.date.map { Self.rounded($0.timeIntervalSince(Self.now) / Self.hour) }
  }

  private static func rounded(_ hours: Double) -> Double { (hours * 1e6).rounded() / 1e6 }

  @Test(arguments: [6.0, 12, 24, 168])
  func `a feed with updates at fixed times is polled soon after each update`(period: Double) {
    for since in [0, 0.2, 0.5, 0.9].map({ $0 * period }) {
      #expect(waitForUpdate(every: period, hoursSinceLast: since) == Self.rounded(max(1, period - since)))
      let late = waitForUpdate(every: period, hoursSinceLast: since, spread: 1)
      #expect(late == Self.rounded(max(1, (since == 0 ? 0 : period) - since + 0.1 * period)))
    }
  }

  @Test func `a poll near an update respects all other limits`() {
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) == 1)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.freshness = 4 * Self.hour } == 4)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.hints.timeToLive = 2 * Self.hour } == 2)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.interval = 3 * Self.hour } == 3)
    #expect(
      waitForUpdate(every: 24, hoursSinceLast: 12) { $0.interval = 48 * Self.hour }
        == Self.rounded(48 - 1 / 60))
  }

  /// Returns the times at which cron polls a feed that announces its updates, in minutes since the base, the time of an
  /// update.
  ///
  /// - Parameter latency: The time from the start of a run to its answers, in seconds.
  private func cron(
    every minutes: Double, period: Double, spread: Double, latency: TimeInterval = 5,
    _ change: (inout Schedule.Knowledge) -> Void
  ) -> [Double] {
    var due = Self.now
    return (0..<40).map { _ in
      let run = (due.timeIntervalSince(Self.now) / (minutes * 60)).rounded(.up) * minutes
      let answer = Self.now.addingTimeInterval(run * 60 + latency)
      let next = next(at: answer) {
        $0.publishingInterval = PublishingInterval(gap: period / 5, newest: answer)
        $0.hints.updateInterval = period
        $0.hints.updateBase = Self.now
        $0.spread = spread
        change(&$0)
      }
      due = next.date ?? .distantFuture
      return run
    }
  }

  /// The limits that may be as long as the period of a feed's updates.
  enum Least: CaseIterable {
    case none, timeToLive, freshness, interval, pause, noValidators

    func apply(_ period: TimeInterval, to known: inout Schedule.Knowledge) {
      switch self {
      case .none: break
      case .timeToLive: known.hints.timeToLive = period
      case .freshness: known.freshness = period
      case .interval: known.interval = period
      case .pause: known.retryAfter = period
      case .noValidators: known.hasValidators = period < 86400
      }
    }
  }

  @Test(arguments: [60.0, 1440], Least.allCases)
  func `a wait as long as the update period misses no update`(period: Double, least: Least) {
    for tick in [5.0, 10, 60] {
      for spread in [0, 0.3, 1] {
        let asked = cron(every: tick, period: period * 60, spread: spread) {
          least.apply(period * 60, to: &$0)
        }
        // The first poll may be early, and the second one gets the later update of its period.
        let updates = asked.map { ($0 / period).rounded(.down) }
        #expect(zip(updates.dropFirst(), updates).allSatisfy { $0 - $1 <= 1 }, "\(asked)")
        #expect(updates.last.map { $0 >= 38 } == true)
        let delays = asked.dropFirst(2).map { $0.truncatingRemainder(dividingBy: period) }
        #expect(delays.allSatisfy { $0 <= (0.1 * period / tick).rounded(.up) * tick }, "\(asked)")
        #expect(zip(asked.dropFirst(), asked).allSatisfy { $0 - $1 >= 60 })
      }
    }
  }

  @Test func `an update period longer than the obeyed maximum has no fixed times`() {
    #expect(waitForUpdate(every: 24 * 30, hoursSinceLast: 24 * 29) == 168)
  }

  @Test func `the hours and days that a feed excludes are skipped`() {
    // In two hours it is 10 o'clock.
    let hours = next { $0.hints.skipHours = 0b111 << 9 }
    #expect(hours.date == Self.now.addingTimeInterval(4 * Self.hour))
    #expect(hours.reason.isPostponed)
    let days = next { $0.hints.skipDays = 1 << 5 | 1 << 6 }
    #expect(days.date == Self.now.addingTimeInterval(40 * Self.hour))
    #expect(next { $0.hints.skipHours = 1 << 10 }.reason.isPostponed == false)
  }

  @Test func `hints that exclude every hour of the week are ignored`() {
    #expect(wait { $0.hints.skipHours = .max } == 2 * Self.hour - Self.slack)
    #expect(wait { $0.hints.skipDays = .max } == 2 * Self.hour - Self.slack)
  }

  @Test func `excluded hours are also found before 1970`() {
    var hints = PublisherHints()
    hints.skipHours = 1 << 23
    #expect(hints.firstAllowed(from: Date(timeIntervalSince1970: -60)) == Date(timeIntervalSince1970: 0))
  }

  @Test func `each failure in a row doubles the wait up to a day`() {
    let waits = (1...7).map { count in wait { $0.failures = count } }
    #expect(waits == [1, 2, 4, 8, 16, 24, 24].map { $0 * Self.hour })
    #expect(wait { $0.failures = .max } == 24 * Self.hour)
  }

  @Test func `a server's pause overrides all else if it is longer`() {
    func next(_ pause: TimeInterval, failures: Int = 1, interval: TimeInterval? = nil) -> Schedule.Next {
      self.next {
        $0.retryAfter = pause
        $0.retryWish = pause
        $0.rejects = 503
        $0.failures = failures
        $0.interval = interval
        $0.hints.timeToLive = 86400
      }
    }
    let long = next(20 * Self.hour, failures: 5)
    #expect(long.date == Self.now.addingTimeInterval(20 * Self.hour))
    #expect(long.reason == PollReason(.retryAfter, seconds: 20 * Self.hour))
    let short = next(120, failures: 3)
    #expect(short.date == Self.now.addingTimeInterval(4 * Self.hour))
    #expect(
      short.reason.description
        == "the last 3 fetches failed; the server requested a pause of 2 min (Retry-After)")
    // The user's interval applies as well, up to a day.
    #expect(next(120, interval: 7200).date == Self.now.addingTimeInterval(7200))
    #expect(next(120, interval: 7 * 86400).date == Self.now.addingTimeInterval(86400))
  }

  @Test func `for other answers the pause is only a minimum`() {
    func reason(_ pause: TimeInterval, failures: Int) -> PollReason {
      next {
        $0.retryAfter = pause
        $0.retryWish = pause
        $0.failures = failures
      }.reason
    }
    #expect(reason(5, failures: 2) == PollReason(.failures, count: 2))
    #expect(reason(3 * Self.hour, failures: 2) == PollReason(.retryAfter, seconds: 3 * Self.hour))
    #expect(reason(48 * Self.hour, failures: 0) == PollReason(.retryAfter, seconds: 48 * Self.hour))
  }

  @Test func `a pause without a header field is explained by the status`() {
    let next = next {
      $0.retryAfter = 3600
      $0.rejects = 429
      $0.failures = 1
    }
    #expect(next.reason.description == "the server rejected the request: a pause of 1 h (429)")
  }

  @Test func `a time from Expires is not attributed to Cache-Control`() {
    let next = next {
      $0.freshness = 40000
      $0.isFreshByExpires = true
    }
    #expect(next.reason.description == "the answer stays fresh for 11 h 6 min (Expires)")
  }

  @Test func `a feed that is gone is never polled again`() {
    #expect(next { $0.isGone = true } == Schedule.Next(date: nil, reason: PollReason(.gone)))
  }

  @Test func `polls are delayed by up to a tenth, if runs are frequent`() {
    func delay(_ random: Double, _ change: (inout Schedule.Knowledge) -> Void = { _ in }) -> TimeInterval? {
      next(random: random, change).date.map { $0.timeIntervalSince(Self.now) + Self.slack }
    }
    #expect(delay(1) == 7920)
    #expect(delay(7) == 7920)
    #expect(delay(-7) == 2 * Self.hour)
    #expect(delay(1) { $0.runInterval = 600 } == 7920)
    #expect(delay(1) { $0.runInterval = Self.hour } == 2 * Self.hour)
    #expect(delay(1) { $0.interval = 2 * Self.hour } == 2 * Self.hour)
  }

  @Test(arguments: [600.0, 3600, 86400], [2.0, 30])
  func `a feed with the interval of the runs is polled by each run`(interval: Double, latency: Double) {
    let answer = Self.now.addingTimeInterval(latency)
    let configured = next(at: answer, random: 1) { $0.interval = interval }
    #expect(configured.date.map { $0 <= Self.now.addingTimeInterval(interval) } == true)
    let own = next(at: answer, random: 1) {
      $0.publishingInterval = PublishingInterval(gap: 2 * interval, newest: answer)
      $0.runInterval = interval
    }
    #expect(interval < 3600 || own.date.map { $0 <= Self.now.addingTimeInterval(interval) } == true)
  }
}

@Suite struct PublishingIntervalTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func interval(_ ages: [Int64]) -> PublishingInterval? {
    var sample = PublishingInterval.Sample()
    for age in ages { sample.add(Int64(Self.now.timeIntervalSince1970) - age) }
    return sample.publishingInterval(at: Self.now)
  }

  @Test func `the publishing interval is the median of the times between articles, in any order`() {
    #expect(interval([7200, 100, 3700, 500_000])?.gap == 3600)
    #expect(interval([7200, 100])?.newest == Self.now.addingTimeInterval(-100))
  }

  @Test func `articles of the same time count once, and those of the future do not count`() {
    #expect(interval([100, 100, 100]) == nil)
    #expect(interval([100, 100, 3700, 3700])?.gap == 3600)
    #expect(interval([-500, 100, 3700])?.newest == Self.now.addingTimeInterval(-100))
    #expect(interval([]) == nil)
  }

  @Test func `only the newest articles of a long feed count`() {
    let ages = (0..<100_000).map { Int64($0 < 50 ? $0 * 60 : $0 * 86400) }
    #expect(interval(ages.reversed())?.gap == 60)
    #expect(interval(ages)?.gap == 60)
  }
}

@Suite struct FreshnessTests {
  private func lifetime(_ change: (inout ResponseHead) -> Void) -> TimeInterval? {
    var head = ResponseHead(status: 200, address: "http://a/")
    change(&head)
    return Freshness.lifetime(of: head, at: Date(timeIntervalSince1970: 1_800_000_000))
  }

  @Test(
    arguments: [
      ("max-age=600", 600), ("public, MAX-AGE=\"600\"", 600), ("s-maxage=900", nil), ("max-age=", nil),
      ("max-age=-1", nil), ("max-age=600, no-store", nil), ("no-cache", nil),
      ("max-age=99999999999999999999999", 1e23),
      ("", nil), ("max-age=0", 0),
    ] as [(String, Double?)])
  func `Cache-Control states how long an answer stays fresh`(field: String, seconds: Double?) {
    #expect(lifetime { $0.cacheControl = field } == seconds)
  }

  @Test func `Expires counts from the server's own clock, and less than max-age`() {
    #expect(lifetime { $0.expires = "Fri, 15 Jan 2027 09:00:00 GMT" } == 3600)
    #expect(
      lifetime {
        $0.date = "Fri, 15 Jan 2027 08:30:00 GMT"
        $0.expires = "Fri, 15 Jan 2027 09:00:00 GMT"
      } == 1800)
    #expect(lifetime { $0.expires = "Fri, 15 Jan 2027 07:00:00 GMT" } == 0)
    #expect(lifetime { $0.expires = "0" } == nil)
    #expect(
      lifetime {
        $0.cacheControl = "max-age=60"
        $0.expires = "Fri, 15 Jan 2027 09:00:00 GMT"
      } == 60)
  }
}
