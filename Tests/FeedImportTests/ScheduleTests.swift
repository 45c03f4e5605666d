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

  /// When a feed is asked again, in seconds from now; nil for never.
  private func wait(_ change: (inout Schedule.Knowledge) -> Void) -> TimeInterval? {
    next(change).date?.timeIntervalSince(Self.now)
  }

  private func next(
    at date: Date = now, random: Double = 0, _ change: (inout Schedule.Knowledge) -> Void
  ) -> Schedule.Next {
    var known = Schedule.Knowledge()
    known.rhythm = Rhythm(gap: 4 * Self.hour, newest: Self.now.addingTimeInterval(-Self.hour))
    change(&known)
    return Schedule().next(after: known, at: date, random: random)
  }

  @Test func `a feed is asked twice as often as it brings something`() {
    #expect(next { _ in }.reason == PollReason(.rhythm, seconds: 4 * Self.hour))
    #expect(wait { _ in } == 2 * Self.hour)
  }

  @Test func `the longer a feed is silent the less it is asked, but once a day`() {
    let silent: (TimeInterval) -> TimeInterval? = { age in
      wait { $0.rhythm?.newest = Self.now.addingTimeInterval(-age) }
    }
    #expect(silent(10 * Self.hour) == 5 * Self.hour)
    #expect(silent(40 * Self.hour) == 20 * Self.hour)
    #expect(silent(400 * Self.hour) == 24 * Self.hour)
    #expect(next { $0.rhythm?.newest = .distantPast }.reason == PollReason(.ceiling, seconds: 86400))
  }

  @Test func `however much a feed brings it is asked once an hour`() {
    #expect(wait { $0.rhythm = Rhythm(gap: 60, newest: Self.now) } == Self.hour)
    #expect(
      next { $0.rhythm = Rhythm(gap: 60, newest: Self.now) }.reason == PollReason(.floor, seconds: 3600))
  }

  @Test func `a feed without validators is asked once a day`() {
    #expect(wait { $0.hasValidators = false } == 24 * Self.hour)
    #expect(next { $0.hasValidators = false }.reason == PollReason(.unconditional, seconds: 86400))
  }

  @Test func `articles without dates are looked for more often while there is news`() {
    let trial: (TimeInterval, Bool) -> TimeInterval? = { interval, hadNews in
      wait {
        $0.rhythm = nil
        $0.lastInterval = interval
        $0.hadNews = hadNews
      }
    }
    #expect(trial(8 * Self.hour, true) == 4 * Self.hour)
    #expect(trial(8 * Self.hour, false) == 12 * Self.hour)
    #expect(trial(Self.hour, true) == Self.hour)
    #expect(trial(20 * Self.hour, false) == 24 * Self.hour)
  }

  @Test func `what the publisher asks for holds against everybody's wishes`() {
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

  @Test func `the user's interval replaces the rhythm and our own floors`() {
    #expect(wait { $0.interval = 600 } == 600)
    #expect(next { $0.interval = 600 }.reason == PollReason(.configured, seconds: 600))
    #expect(
      wait {
        $0.interval = 600
        $0.hasValidators = false
      } == 600)
  }

  @Test func `cache fields count for a day at most, and what the document asks for a week`() {
    #expect(wait { $0.freshness = 1e12 } == 24 * Self.hour)
    #expect(wait { $0.hints.timeToLive = 1e12 } == 168 * Self.hour)
    #expect(wait { $0.hints.updateInterval = 365 * 24 * Self.hour } == 168 * Self.hour)
  }

  /// When a feed is asked again whose last update was some hours ago, in hours from now.
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
  func `a feed that is updated at fixed times is asked soon after each update`(period: Double) {
    for since in [0, 0.2, 0.5, 0.9].map({ $0 * period }) {
      #expect(waitForUpdate(every: period, hoursSinceLast: since) == Self.rounded(max(1, period - since)))
      let late = waitForUpdate(every: period, hoursSinceLast: since, spread: 1)
      #expect(late == Self.rounded(max(1, (since == 0 ? 0 : period) - since + 0.1 * period)))
    }
  }

  @Test func `an update that is near is awaited for as long as all else that is asked for`() {
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) == 1)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.freshness = 4 * Self.hour } == 4)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.hints.timeToLive = 2 * Self.hour } == 2)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 23.9) { $0.interval = 3 * Self.hour } == 3)
    #expect(waitForUpdate(every: 24, hoursSinceLast: 12) { $0.interval = 48 * Self.hour } == 48)
  }

  /// When cron asks a feed that announces its updates, in minutes since the base, at which an update is.
  ///
  /// - Parameter latency: How long after the start of a run its answers come, in seconds.
  private func cron(
    every minutes: Double, period: Double, spread: Double, latency: TimeInterval = 5,
    _ change: (inout Schedule.Knowledge) -> Void
  ) -> [Double] {
    var due = Self.now
    return (0..<40).map { _ in
      let run = (due.timeIntervalSince(Self.now) / (minutes * 60)).rounded(.up) * minutes
      let answer = Self.now.addingTimeInterval(run * 60 + latency)
      let next = next(at: answer) {
        $0.rhythm = Rhythm(gap: period / 5, newest: answer)
        $0.hints.updateInterval = period
        $0.hints.updateBase = Self.now
        $0.spread = spread
        change(&$0)
      }
      due = next.date ?? .distantFuture
      return run
    }
  }

  /// What may hold for as long as the period of a feed's updates.
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
  func `a wait as long as the period of the updates misses none of them`(period: Double, least: Least) {
    for tick in [5.0, 10, 60] {
      for spread in [0, 0.3, 1] {
        let asked = cron(every: tick, period: period * 60, spread: spread) {
          least.apply(period * 60, to: &$0)
        }
        // The first may be early, and the second brings what comes later in its period.
        let updates = asked.map { ($0 / period).rounded(.down) }
        #expect(zip(updates.dropFirst(), updates).allSatisfy { $0 - $1 <= 1 }, "\(asked)")
        #expect(updates.last.map { $0 >= 38 } == true)
        let delays = asked.dropFirst(2).map { $0.truncatingRemainder(dividingBy: period) }
        #expect(delays.allSatisfy { $0 <= (0.1 * period / tick).rounded(.up) * tick }, "\(asked)")
        #expect(zip(asked.dropFirst(), asked).allSatisfy { $0 - $1 >= 60 })
      }
    }
  }

  @Test func `an update period longer than what is heeded has no fixed times`() {
    #expect(waitForUpdate(every: 24 * 30, hoursSinceLast: 24 * 29) == 168)
  }

  @Test func `the hours and days that a feed excludes are left out`() {
    // Two hours from now it is 10 o'clock.
    let hours = next { $0.hints.skipHours = 0b11 << 10 }
    #expect(hours.date == Self.now.addingTimeInterval(4 * Self.hour))
    #expect(hours.reason.isPostponed)
    let days = next { $0.hints.skipDays = 1 << 5 | 1 << 6 }
    #expect(days.date == Self.now.addingTimeInterval(40 * Self.hour))
    #expect(next { $0.hints.skipHours = 1 << 9 }.reason.isPostponed == false)
  }

  @Test func `hints that leave no hour of the week mean nothing`() {
    #expect(wait { $0.hints.skipHours = .max } == 2 * Self.hour)
    #expect(wait { $0.hints.skipDays = .max } == 2 * Self.hour)
  }

  @Test func `excluded hours are found before 1970 too`() {
    var hints = PublisherHints()
    hints.skipHours = 1 << 23
    #expect(hints.firstAllowed(from: Date(timeIntervalSince1970: -60)) == Date(timeIntervalSince1970: 0))
  }

  @Test func `each failure in a row doubles the wait up to a day`() {
    let waits = (1...7).map { count in wait { $0.failures = count } }
    #expect(waits == [1, 2, 4, 8, 16, 24, 24].map { $0 * Self.hour })
    #expect(wait { $0.failures = .max } == 24 * Self.hour)
  }

  @Test func `a pause that the server asks for counts more than all else where it is longer`() {
    func next(_ pause: TimeInterval, failures: Int = 1, interval: TimeInterval? = nil) -> Schedule.Next {
      self.next {
        $0.retryAfter = pause
        $0.retryWish = pause
        $0.turnsAway = 503
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
        == "the last 3 fetches failed; the server asks for a pause of 2 min (Retry-After)")
    // Not before the user's interval either, up to a day.
    #expect(next(120, interval: 7200).date == Self.now.addingTimeInterval(7200))
    #expect(next(120, interval: 7 * 86400).date == Self.now.addingTimeInterval(86400))
  }

  @Test func `of another answer the pause is the least time, and nothing more often`() {
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

  @Test func `a pause that no field asks for is told by the status`() {
    let next = next {
      $0.retryAfter = 3600
      $0.turnsAway = 429
      $0.failures = 1
    }
    #expect(next.reason.description == "the server turned us away: a pause of 1 h (429)")
  }

  @Test func `what Expires says is not told as of Cache-Control`() {
    let next = next {
      $0.freshness = 40000
      $0.isFreshByExpires = true
    }
    #expect(next.reason.description == "the answer stays fresh for 11 h 6 min (Expires)")
  }

  @Test func `a feed that its publisher ended is never asked again`() {
    #expect(next { $0.isGone = true } == Schedule.Next(date: nil, reason: PollReason(.gone)))
  }

  @Test func `feeds are spread by up to a tenth, later and never earlier`() {
    #expect(next(random: 1) { _ in }.date == Self.now.addingTimeInterval(2.2 * Self.hour))
    #expect(next(random: 7) { _ in }.date == Self.now.addingTimeInterval(2.2 * Self.hour))
    #expect(next(random: -7) { _ in }.date == Self.now.addingTimeInterval(2 * Self.hour))
  }
}

@Suite struct RhythmTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func rhythm(_ ages: [Int64]) -> Rhythm? {
    var sample = Rhythm.Sample()
    for age in ages { sample.add(Int64(Self.now.timeIntervalSince1970) - age) }
    return sample.rhythm(at: Self.now)
  }

  @Test func `the gap is the middle of the times between articles, in any order`() {
    #expect(rhythm([7200, 100, 3700, 500_000])?.gap == 3600)
    #expect(rhythm([7200, 100])?.newest == Self.now.addingTimeInterval(-100))
  }

  @Test func `articles of one moment are one, and those of the future none`() {
    #expect(rhythm([100, 100, 100]) == nil)
    #expect(rhythm([100, 100, 3700, 3700])?.gap == 3600)
    #expect(rhythm([-500, 100, 3700])?.newest == Self.now.addingTimeInterval(-100))
    #expect(rhythm([]) == nil)
  }

  @Test func `of a long feed the newest articles count`() {
    let ages = (0..<100_000).map { Int64($0 < 50 ? $0 * 60 : $0 * 86400) }
    #expect(rhythm(ages.reversed())?.gap == 60)
    #expect(rhythm(ages)?.gap == 60)
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
  func `Cache-Control says how long an answer stays fresh`(field: String, seconds: Double?) {
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
