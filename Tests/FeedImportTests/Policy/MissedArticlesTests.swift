import Foundation
import TestSupport
import Testing

@testable import FeedImport

/// Four simulated weeks of feeds whose documents show an article for a few hours, polled by a run every ten minutes.
@Suite struct MissedArticlesTests {
  /// A kind of publisher.
  struct Publisher: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The number of articles in the document.
    let shown: Int
    /// Returns the times of the articles, in seconds, ordered.
    let articles: @Sendable (inout SeededGenerator) -> [Double]
  }

  private static let (hour, day) = (3600.0, 86_400.0)
  private static let weeks = -20.0 * day..<28 * day
  /// A Thursday.
  private static let start = Date(timeIntervalSince1970: 1_772_064_000)

  private static func steady(every gap: Double, shown: Int) -> Publisher {
    Publisher(testDescription: "one every \(Int(gap / 60)) min, \(shown) shown", shown: shown) { random in
      var (time, times) = (weeks.lowerBound, [Double]())
      while time < weeks.upperBound {
        time += gap * Double.random(in: 0.8...1.2, using: &random)
        times.append(time)
      }
      return times
    }
  }

  /// Publishes on working days from 8 to 18 h.
  private static func office(every gap: Double, shown: Int) -> Publisher {
    Publisher(testDescription: "office hours, one every \(Int(gap / 60)) min, \(shown) shown", shown: shown) {
      random in
      var times: [Double] = []
      for number in -20..<28 where (1...5).contains((number + 28 + 4) % 7) {
        var time = Double(number) * day + 8 * hour + Double.random(in: 0...gap, using: &random)
        while time < Double(number) * day + 18 * hour {
          times.append(time)
          time += gap * Double.random(in: 0.8...1.2, using: &random)
        }
      }
      return times
    }
  }

  private static func bursts(
    of count: Int, within duration: Double, every gap: Double, shown: Int
  ) -> Publisher {
    Publisher(testDescription: "\(count) within \(duration / hour) h, \(shown) shown", shown: shown) {
      random in
      var (time, times) = (weeks.lowerBound, [Double]())
      while time < weeks.upperBound {
        time += gap * Double.random(in: 0.5...1.5, using: &random)
        for number in 0..<count {
          let place = Double(number) + Double.random(in: 0...0.5, using: &random)
          times.append(time + duration * place / Double(count))
        }
      }
      return times.sorted()
    }
  }

  static let publishers = [
    steady(every: 20 * 60, shown: 8), steady(every: 40 * 60, shown: 8), steady(every: 3 * hour, shown: 10),
    steady(every: day, shown: 10), office(every: 40 * 60, shown: 5), office(every: 20 * 60, shown: 10),
    office(every: hour, shown: 20), bursts(of: 20, within: 2 * hour, every: 12 * hour, shown: 22),
    bursts(of: 10, within: hour, every: day, shown: 15),
    bursts(of: 30, within: 3 * hour, every: 3 * day, shown: 32),
  ]

  /// The results of a simulation.
  private struct Result {
    var (polls, published, missed, reported) = (0, 0, 0, 0)
    var share: Double { Double(missed) / Double(max(1, published)) }
  }

  private static func poll(
    _ publisher: Publisher, hasValidators: Bool, isDated: Bool, seed: UInt64, every period: Double = 600
  ) -> Result {
    var random = SeededGenerator(seed: seed)
    let times = publisher.articles(&random)
    var result = Result()
    var known = Schedule.Knowledge()
    known.hasValidators = hasValidators
    known.runInterval = period
    var (next, lastFetch, planned) = (Date.distantPast, Date?.none, 0.0)
    var (seen, first, end) = (Set<Int>(), Int?.none, 0)
    for run in 0..<Int(28 * day / period) {
      let (began, now) = (
        start.addingTimeInterval(Double(run) * period), start.addingTimeInterval(Double(run) * period + 3)
      )
      guard began >= next else { continue }
      result.polls += 1
      while end < times.count, start.addingTimeInterval(times[end]) <= now { end += 1 }
      let items = max(0, end - publisher.shown)..<end
      first = first ?? items.lowerBound
      let new = items.filter { seen.insert($0).inserted }.count
      // Without changes, the answer is "not modified", or the same body.
      if new > 0 {
        var dates = PublishingInterval.Sample()
        if isDated {
          for item in items.reversed() { dates.add(Int64(start.timeIntervalSince1970 + times[item])) }
        }
        known.newsWindow = NewsWindow.after(
          .init(articles: items.count, new: new, dates: dates), knowing: known.newsWindow,
          interval: known.publishingInterval, lastFetch: lastFetch, at: now)
        known.publishingInterval = dates.publishingInterval(at: now)
      }
      known.hadNews = new > 0
      known.lastInterval = lastFetch.map { min(now.timeIntervalSince($0), planned) }
      let date = Schedule().next(after: known, at: now, random: Double.random(in: 0...1, using: &random)).date
      next = date ?? .distantFuture
      (lastFetch, planned) = (now, next.timeIntervalSince(now))
    }
    // Articles of the last two days may still be shown.
    let last = times.firstIndex { $0 > weeks.upperBound - 2 * day } ?? times.count
    result.published = last - (first ?? 0)
    result.missed = ((first ?? 0)..<last).count { !seen.contains($0) }
    result.reported = known.newsWindow?.missed ?? 0
    return result
  }

  private static func total(_ results: [Result]) -> Result {
    results.reduce(into: Result()) { total, result in
      total.polls += result.polls
      total.published += result.published
      total.missed += result.missed
      total.reported += result.reported
    }
  }

  @Test(arguments: publishers, [true, false])
  func `of a feed with dates, less than one article in a hundred is missed`(
    publisher: Publisher, hasValidators: Bool
  ) {
    let result = Self.total(
      (0..<4).map { Self.poll(publisher, hasValidators: hasValidators, isDated: true, seed: $0) })
    #expect(result.share < 0.01)
  }

  @Test(arguments: publishers, [true, false])
  func `of a feed without dates, less than one article in fifty is missed`(
    publisher: Publisher, hasValidators: Bool
  ) {
    let result = Self.total(
      (0..<4).map { Self.poll(publisher, hasValidators: hasValidators, isDated: false, seed: $0) })
    #expect(result.share < 0.02)
  }

  @Test func `a feed whose document shows articles for long is polled once a day without validators`() {
    let result = Self.poll(
      Self.steady(every: Self.day, shown: 10), hasValidators: false, isDated: true, seed: 1)
    #expect(result.polls <= 30 && result.reported == 0)
  }

  @Test func `a feed of office hours is not polled at night once its hours are known`() {
    let result = Self.poll(
      Self.office(every: 40 * 60, shown: 5), hasValidators: false, isDated: true, seed: 1)
    // Around the clock, half of the window of 200 minutes would be 14 polls a day, as in the first week.
    #expect(result.polls < 28 * 11)
  }

  private static func after(
    _ new: Int, of articles: Int, ages: [Double], knowing known: NewsWindow? = nil,
    _ interval: PublishingInterval? = nil, atHour hour: Double
  ) -> NewsWindow {
    let now = start.addingTimeInterval(hour * Self.hour)
    var dates = PublishingInterval.Sample()
    for age in ages { dates.add(Int64(now.timeIntervalSince1970 - age * Self.hour)) }
    return NewsWindow.after(
      .init(articles: articles, new: new, dates: dates), knowing: known, interval: interval,
      lastFetch: known.map { _ in start }, at: now)
  }

  @Test func `an answer that has only new articles is counted, except the first`() {
    let ages = [0.0, 1, 2, 3]
    let first = Self.after(4, of: 4, ages: ages, atHour: 0)
    #expect(first.missed == 0 && first.lastMissed == nil)
    let interval = PublishingInterval(gap: Self.hour, newest: Self.start)
    let missed = Self.after(4, of: 4, ages: ages, knowing: first, interval, atHour: 24)
    #expect(missed.missed == 1 && missed.lastMissed == Self.start.addingTimeInterval(24 * Self.hour))
    #expect(Self.after(3, of: 4, ages: ages, knowing: first, interval, atHour: 3).missed == 0)
    // The oldest article came an hour after the newest one before it, as usual.
    #expect(Self.after(4, of: 4, ages: ages, knowing: first, interval, atHour: 4).missed == 0)
    // Articles that are published together, as in a daily digest.
    #expect(Self.after(4, of: 4, ages: [1, 1, 1, 1], knowing: first, interval, atHour: 24).missed == 0)
    #expect(Self.after(1, of: 1, ages: [1], knowing: first, interval, atHour: 24).missed == 0)
    #expect(Self.after(4, of: 4, ages: [], knowing: first, interval, atHour: 24).missed == 1)
  }

  @Test func `what is learned about hours is stored as a number`() throws {
    var hours = PublishingHours(since: Self.start)
    hours.add(
      from: Self.start.addingTimeInterval(8 * Self.hour), to: Self.start.addingTimeInterval(9.5 * Self.hour))
    #expect(try #require(PublishingHours(number: hours.number)) == hours)
    // One week is too short to know the quiet hours.
    let night = Self.start.addingTimeInterval(8 * Self.day + 20 * Self.hour)
    #expect(hours.next(at: night) == night)
    hours.begin(at: night)
    #expect(hours.next(at: night) == Self.start.addingTimeInterval(9 * Self.day + 8 * Self.hour))
    hours.begin(at: night.addingTimeInterval(15 * Self.day))
    #expect(
      hours.next(at: night.addingTimeInterval(15 * Self.day)) == night.addingTimeInterval(15 * Self.day))
    #expect(PublishingHours(number: -1) == nil && PublishingHours(number: nil) == nil)
    for number in [Int64.max, 0, 1 << 48] {
      #expect(PublishingHours(number: number).map { $0.next(at: night) >= night } == true)
    }
  }

  @Test func `runs that are an hour apart poll a busy feed each time`() {
    let result = Self.poll(
      Self.steady(every: 20 * 60, shown: 8), hasValidators: true, isDated: true, seed: 1, every: Self.hour)
    #expect(result.polls == 28 * 24 && result.missed == 0)
  }
}
