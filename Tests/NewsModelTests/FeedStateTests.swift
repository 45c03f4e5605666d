import Foundation
import GRDB
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct FeedStateTests {
  /// A feed's values, and its state.
  private struct Example: Sendable {
    var isGone = false
    var failures = 0
    var outcome: FetchOutcome? = .unchanged
    var interval: Int?
    var newestArticle: TimeInterval?
    var lastFetch: TimeInterval?
    let state: FeedState
  }

  private static let now: TimeInterval = 1_700_000_000
  private static let day: TimeInterval = 86400
  private static let examples: [Example] = [
    Example(state: .healthy), Example(outcome: nil, state: .neverPolled),
    Example(failures: 1, state: .failing),
    Example(isGone: true, failures: 1, state: .gone),
    Example(interval: 3600, newestArticle: now - 7 * day, state: .healthy),
    Example(interval: 3600, newestArticle: now - 7 * day - 1, state: .stale),
    Example(interval: 86400, newestArticle: now - 8 * day, state: .healthy),
    Example(interval: 86400, newestArticle: now - 8 * day - 1, state: .stale),
    Example(outcome: nil, interval: 86400, newestArticle: now - 30 * day, state: .stale),
    Example(failures: 3, interval: 86400, newestArticle: now - 30 * day, state: .failing),
    Example(interval: nil, newestArticle: now - 400 * day, state: .healthy),
    Example(interval: 86400, newestArticle: nil, state: .healthy),
    Example(outcome: .refused, lastFetch: nil, state: .neverPolled),
    Example(outcome: .refused, lastFetch: now - 7 * day, state: .healthy),
    Example(outcome: .refused, lastFetch: now - 7 * day - 1, state: .stale),
  ]

  @Test(.disabled(if: TestServer.replacesFiles, "it runs the SQL of statistics in the dialect of SQLite"))
  func `the state of a feed is the same in Swift and in SQL`() async throws {
    let store = try NewsStore()
    try await store.add(Self.examples.indices.map { "https://example.org/\($0)" })
    let states = try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds().sorted { $0.id.key < $1.id.key }
      return zip(feeds, Self.examples).map { feed, example in
        feed.isGone410 = example.isGone
        feed.failures = example.failures
        feed.lastOutcome = example.outcome
        feed.lastFetch = example.lastFetch.map { Date(timeIntervalSince1970: $0) }
        feed.publishingInterval = example.interval
        feed.newestArticle = example.newestArticle.map { Date(timeIntervalSince1970: $0) }
        return feed.state(at: Date(timeIntervalSince1970: Self.now))
      }
    }
    #expect(states == Self.examples.map(\.state))
    var configuration = Configuration()
    configuration.readonly = true
    let indices = try await DatabaseQueue(path: store.path, configuration: configuration).read {
      try Int.fetchAll(
        $0, sql: "SELECT \(FeedState.sql(of: "f", at: Int64(Self.now))) FROM feed f ORDER BY id")
    }
    #expect(indices.map { FeedState.allCases[$0] } == states)
  }
}
