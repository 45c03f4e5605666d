import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

@Suite struct FetchLogTests {
  @Test func `the log is in the order of the answers, regardless of the clock, and keeps the last 30`()
    async throws
  {
    let store = try NewsStore()
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      return .status(400 + count.value, "No")
    }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    for number in 1...32 {
      // At the 31st fetch the clock is a year ahead.
      let ahead: TimeInterval = number == 31 ? 365 * 86400 : 0
      let now = Date(timeIntervalSince1970: 1_800_000_000 + ahead + TimeInterval(number))
      store.clock.set(now)
      try await store.fetch()
    }
    let statuses = try await store.perform { (source) throws(StoreError) in
      guard let feed = try source.feeds().first else { return [Int?]() }
      return try source.log(of: feed).map(\.status)
    }
    // 410 marks the feed as gone, which a manual fetch ignores.
    #expect(statuses == (403...432).reversed().map { $0 })
  }
}
