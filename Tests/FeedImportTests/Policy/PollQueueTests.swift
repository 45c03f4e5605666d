import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

@Suite struct PollQueueTests {
  private func feeds(_ urls: [String]) async throws -> [FeedOutline] {
    let store = try NewsStore()
    try await store.add(urls)
    return try await store.perform { (source) throws(StoreError) in
      try source.feedOutlines(of: source.regions()[0])
    }
  }

  /// Returns the parts that are taken with a time between them.
  private func parts(_ urls: [String], smallest: Int, each time: Duration = .seconds(1)) async throws
    -> [[String]]
  {
    var queue = PollQueue(try await feeds(urls), smallest: smallest)
    var now = ContinuousClock.now
    var parts: [[String]] = []
    while true {
      let part = queue.next(at: now)
      if part.isEmpty { return parts }
      parts.append(part.map(\.url.text))
      now += time
    }
  }

  private static let urls = (1...9).map { "https://\($0).example/" }

  @Test func `feeds are taken in parts, in their order`() async throws {
    let urls = Self.urls
    #expect(
      try await parts(Array(urls[0..<5]), smallest: 2) == [
        Array(urls[0..<2]), Array(urls[2..<4]), [urls[4]],
      ])
    #expect(try await parts(urls, smallest: 9) == [urls])
    #expect(try await parts(["https://a.example/"], smallest: 5) == [["https://a.example/"]])
  }

  @Test func `parts grow while the run takes them quickly`() async throws {
    let quick = try await parts(Self.urls, smallest: 1, each: .milliseconds(10))
    #expect(quick.map(\.count) == [1, 2, 4, 2])
    var queue = PollQueue(try await feeds(Self.urls), smallest: 1)
    let now = ContinuousClock.now
    let times: [Duration] = [.zero, .milliseconds(100), .seconds(2), .seconds(2.1), .seconds(9)]
    #expect(times.map { queue.next(at: now + $0).count } == [1, 2, 1, 2, 1])
    queue = PollQueue(try await feeds(Self.urls), smallest: 1)
    #expect((0..<4).map { _ in queue.next(at: now, isInstead: true).count } == [1, 1, 1, 1])
  }

  @Test func `all feeds of a publisher are in one part`() async throws {
    let urls = [
      "https://a.example/1", "https://b.example/1", "https://c.example/1", "https://a.example/2",
      "http://a.example/3", "https://a.example:8443/4", "https://a.example/5",
    ]
    #expect(
      try await parts(urls, smallest: 2) == [
        ["https://a.example/1", "https://a.example/2", "https://a.example/5"],
        ["https://b.example/1", "https://c.example/1"],
        ["http://a.example/3", "https://a.example:8443/4"],
      ])
  }
}
