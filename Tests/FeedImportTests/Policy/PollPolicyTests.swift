import Foundation
import ManagedContext
import NewsModel
import TestSupport
import Testing

@testable import FeedImport

/// The validity of a stored schedule, and the detection of schedules made with a wrong clock.
@Suite struct PollPolicyTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day: TimeInterval = 86400

  /// A feed with a schedule: when it was decided, and when the feed is due, in days from now.
  struct Schedule: Sendable, CustomTestStringConvertible {
    let decided: Double?
    let next: Double
    var pause: Double?
    let isDue: Bool
    var testDescription: String { "decided \(decided ?? .nan), next \(next), pause \(pause ?? .nan)" }
  }

  private static let schedules = [
    Schedule(decided: 0, next: 1, isDue: false),
    Schedule(decided: -1, next: 364, isDue: false),
    Schedule(decided: -20, next: -1, isDue: true),
    // The clock was ahead.
    Schedule(decided: 3, next: 4, isDue: true),
    Schedule(decided: 400, next: 401, isDue: true),
    Schedule(decided: 3, next: 4, pause: 4, isDue: true),
    // Two clocks never agree to the second.
    Schedule(decided: 0.005, next: 1, isDue: false),
    Schedule(decided: nil, next: 1, isDue: false),
    Schedule(decided: -1, next: 5, pause: 5, isDue: false),
    // The pause is longer than the longest pause that is obeyed.
    Schedule(decided: nil, next: -1, pause: 8, isDue: true),
  ]

  private static func after(_ days: Double) -> Date { now.addingTimeInterval(days * day) }

  @Test(arguments: schedules)
  func `a schedule of any length is valid unless it was made with a clock that was ahead`(
    _ schedule: Schedule
  )
    async throws
  {
    let store = try NewsStore()
    try await store.add(["https://a.example/"])
    for isOldStore in [false, true] {
      let feed = try await store.perform { (source) throws(StoreError) in
        let feed = try source.feeds()[0]
        feed.scheduledAt = isOldStore ? nil : schedule.decided.map(Self.after)
        feed.lastFetch = isOldStore ? schedule.decided.map(Self.after) : Self.after(-30)
        feed.nextFetch = Self.after(schedule.next)
        feed.notBefore = schedule.pause.map(Self.after)
        return feed.id
      }
      let row = try #require(
        try await store.perform { (source) throws(StoreError) in try source.schedules([feed]) }.first)
      #expect(PollPolicy.isDue(row, at: Self.now) == schedule.isDue)
      let claims = Claims(in: store.root)
      let wanted = [Claims.Wanted(row.id, at: row.currentURL)]
      let taken = try await claims.take(wanted, dueOnly: true, at: Self.now)
      #expect(taken.requests.count == (schedule.isDue ? 1 : 0))
    }
  }
}
