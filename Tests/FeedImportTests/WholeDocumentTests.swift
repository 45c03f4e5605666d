import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

/// Feeds whose servers send the whole document at each fetch, despite their hints.
@Suite struct WholeDocumentTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Returns the feed after each of several fetches, an hour apart.
  private func fetch(_ count: Int, of url: String) async throws -> [StoredFeed] {
    try await store.add([url])
    var states: [StoredFeed] = []
    for hour in 0..<count {
      let now = Self.start.addingTimeInterval(TimeInterval(hour) * 3600)
      store.clock.set(now)
      try await store.fetch { $0.random = { 0 } }
      states.append(try #require(try await store.feeds().first))
    }
    return states
  }

  private func isDaily(_ feed: StoredFeed, hour: Int) -> Bool {
    feed.nextFetch == Self.start.addingTimeInterval(TimeInterval(hour) * 3600 + 86400 - 60)
      && feed.nextReason == "each poll downloads the whole document: not more often than every 1 d"
  }

  @Test func `if a redirect leads to a new address each time no validator is sent`() async throws {
    let count = Counter()
    let server = try LoopbackHTTPServer { request in
      if request.path == "/feed" {
        count.increment()
        return .redirect(302, to: "/signed?\(count.value)")
      }
      return .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""])
    }
    defer { server.stop() }
    let states = try await fetch(3, of: server.url("/feed"))
    #expect(server.requests.allSatisfy { $0.text(of: "If-None-Match") == nil })
    #expect(!isDaily(states[0], hour: 0))
    #expect(isDaily(states[1], hour: 1) && isDaily(states[2], hour: 2))
  }

  @Test(arguments: [(false, false), (true, false), (true, true)])
  func `useless validators are reported after three answers without news`(
    changesTag: Bool, changesBody: Bool
  ) async throws {
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      let number = count.value
      return .ok(
        TestFeed.rss([("a", "A")]) + (changesBody ? "<!-- \(number) -->" : ""),
        headers: ["ETag: \"\(changesTag ? number : 0)\""])
    }
    defer { server.stop() }
    let states = try await fetch(5, of: server.url("/feed"))
    #expect(states.indices.map { isDaily(states[$0], hour: $0) } == [false, false, false, true, true])
  }

  @Test func `after one 304 or news the feed's publishing interval applies`() async throws {
    let count = Counter()
    let server = try LoopbackHTTPServer { request in
      count.increment()
      switch count.value {
      case 3, 8: return .status(304, "Not Modified")
      case 6: return .ok(TestFeed.rss(count: 2), headers: ["ETag: \"1\""])
      default: return .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""])
      }
    }
    defer { server.stop() }
    let states = try await fetch(10, of: server.url("/feed"))
    #expect(!states.indices.contains { isDaily(states[$0], hour: $0) })
  }

  @Test func `a feed that has just moved permanently gets conditional requests from then on`() async throws {
    let hasMoved = Counter()
    let server = try LoopbackHTTPServer { request in
      if request.path == "/old", hasMoved.value > 0 { return .redirect(301, to: "/new") }
      return request.text(of: "If-None-Match") == nil
        ? .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""]) : .status(304, "Not Modified")
    }
    defer { server.stop() }
    _ = try await fetch(1, of: server.url("/old"))
    hasMoved.increment()
    let states = try await fetch(3, of: server.url("/old"))
    #expect(!states.indices.contains { isDaily(states[$0], hour: $0) })
  }
}
