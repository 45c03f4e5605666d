import Foundation
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct FetcherTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func use(
    _ host: String, _ settings: Int64, hoursAgo: Double, returned: Double? = nil
  ) -> FetcherUse {
    let date = { (hours: Double) in now - hours * 3600 }
    return FetcherUse(
      host: host, settings: settings, polled: date(hoursAgo), returned: returned.map(date))
  }

  @Test(
    arguments: [
      ([], []),
      ([use("a", 1, hoursAgo: 1)], []),
      ([use("a", 1, hoursAgo: 1), use("b", 1, hoursAgo: 2)], []),
      // Two machines.
      ([use("b", 2, hoursAgo: 1), use("a", 1, hoursAgo: 2)], ["a1", "b2"]),
      // A machine that is not used any more.
      ([use("a", 1, hoursAgo: 1), use("b", 2, hoursAgo: 25)], []),
      // A configuration that was edited, and one that was edited and restored.
      ([use("a", 1, hoursAgo: 2), use("a", 2, hoursAgo: 1)], []),
      ([use("a", 1, hoursAgo: 1, returned: 1), use("a", 2, hoursAgo: 2)], []),
      // Two configurations on one machine, in turn.
      ([use("a", 1, hoursAgo: 1, returned: 1), use("a", 2, hoursAgo: 2, returned: 2)], ["a2", "a1"]),
      // A wrong clock.
      ([use("a", 1, hoursAgo: -30), use("b", 2, hoursAgo: 0)], ["a1", "b2"]),
    ] as [([FetcherUse], [String])])
  func `machines differ by the configurations that they use now`(uses: [FetcherUse], differing: [String]) {
    #expect(FetcherUse.differing(uses, at: Self.now).map { "\($0.host)\($0.settings)" } == differing)
  }

  /// Records runs, whose times are in minutes.
  private func fetchers(
    after runs: [(host: String, settings: Int64, began: Double, ended: Double)]
  ) async throws -> [FetcherUse] {
    let store = try NewsStore()
    for run in runs {
      try await store.perform { (source) throws(StoreError) in
        try source.noteFetcher(
          run.host, settings: run.settings, from: Self.now + run.began * 60, to: Self.now + run.ended * 60)
      }
    }
    return try await store.perform { (source) throws(StoreError) in try source.fetchers() }
      .sorted { ($0.host, $0.settings) < ($1.host, $1.settings) }
  }

  @Test func `a configuration returns if the machine uses it again after another one`() async throws {
    let minute = { (count: Double) in Self.now + count * 60 }
    #expect(
      try await fetchers(after: [("a", 1, 0, 1), ("a", 2, 10, 11), ("a", 2, 20, 21), ("b", 1, 15, 16)]) == [
        FetcherUse(host: "a", settings: 1, polled: minute(1)),
        FetcherUse(host: "a", settings: 2, polled: minute(21)),
        FetcherUse(host: "b", settings: 1, polled: minute(16)),
      ])
    #expect(
      try await fetchers(after: [("a", 1, 0, 1), ("a", 2, 10, 11), ("a", 1, 20, 21)]).map(\.returned)
        == [minute(21), nil])
  }

  @Test func `of runs at the same time, both configurations return`() async throws {
    let end = Self.now + 60 * 3
    #expect(
      try await fetchers(after: [("a", 1, 0, 2), ("a", 2, 1, 3)]).map(\.returned) == [end, end])
  }

  @Test func `machines are forgotten after a week`() async throws {
    let week = 7.0 * 24 * 60
    #expect(
      try await fetchers(after: [("a", 1, 0, 1), ("b", 1, 5, 6), ("c", 1, week, week + 2)]).map(\.host)
        == ["b", "c"])
  }
}
