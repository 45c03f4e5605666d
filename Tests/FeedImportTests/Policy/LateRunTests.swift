import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

@testable import FeedImport

/// Runs that come later than planned, or with a wrong clock.
@Suite struct LateRunTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Returns a feed whose articles have no dates.
  private static func undated(_ guids: [String], head: String = "") -> String {
    let items = guids.map { "<item><guid>\($0)</guid><title>\($0)</title></item>" }
    return "<rss version=\"2.0\"><channel><title>T</title>\(head)\(items.joined())</channel></rss>"
  }

  private func nextFetch(at now: Date) async throws -> TimeInterval {
    store.clock.set(now)
    try await store.fetch { $0.random = { 0 } }
    let next = try #require(try await store.feeds().first?.nextFetch)
    return next.timeIntervalSince(now)
  }

  @Test func `a run whose clock is behind does not silence a feed without dates`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(Self.undated(["a", "b"]), headers: ["ETag: \"1\""]) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    _ = try await nextFetch(at: Self.start)
    _ = try await nextFetch(at: Self.start.addingTimeInterval(-3 * 86400))
    #expect(try await nextFetch(at: Self.start.addingTimeInterval(600)) < 4 * 3600)
  }

  @Test func `no feed is due in an hour that it excludes, however late the run is`() async throws {
    // At 8 o'clock.
    let document = Self.undated(["a"], head: "<skipHours><hour>10</hour></skipHours>")
    let server = try LoopbackHTTPServer { _ in .ok(document, headers: ["ETag: \"1\""]) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    #expect(try await nextFetch(at: Self.start) < 2 * 3600)
    let feed = try #require(
      try await store.perform { (source) throws(StoreError) in
        try source.schedules(source.feeds().map(\.id)).first
      })
    let (ten, eleven) = (Self.start.addingTimeInterval(2 * 3600), Self.start.addingTimeInterval(3 * 3600))
    #expect(PollPolicy.isDue(feed, at: ten.addingTimeInterval(-1)))
    #expect(
      !PollPolicy.isDue(feed, at: ten) && !PollPolicy.isDue(feed, at: eleven.addingTimeInterval(-1)))
    #expect(PollPolicy.isDue(feed, at: eleven))
    #expect(PollPolicy.nextPoll(of: feed, server: nil, at: ten) == eleven)
  }
}
