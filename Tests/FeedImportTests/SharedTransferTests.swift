import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct SharedTransferTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  @Test func `feeds with different validators share a full request, and conditional ones from then on`()
    async throws
  {
    let server = try LoopbackHTTPServer { request in
      request.text(of: "If-None-Match") == "\"now\""
        ? .status(304, "Not Modified") : .ok(TestFeed.rss(count: 3), headers: ["ETag: \"now\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed"), server.url("/feed#2")])
    try await store.perform { (source) throws(StoreError) in
      try source.feeds().first?.etag = Array("\"old\"".utf8)
    }
    try await store.fetch()
    #expect(server.requests.map { $0.text(of: "If-None-Match") } == [nil])
    #expect(try await store.articles().count == 6)
    try await store.fetch()
    #expect(server.requests.map { $0.text(of: "If-None-Match") } == [nil, "\"now\""])
    #expect(try await store.feeds().map(\.outcome) == [.unchanged, .unchanged])
  }

  @Test
  func `feeds that moved to one address, except for the fragment, share their validators`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/1", "/2": .redirect(301, to: "/feed#\(request.path.dropFirst())")
      default:
        request.text(of: "If-None-Match") == nil
          ? .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""]) : .status(304, "Not Modified")
      }
    }
    defer { server.stop() }
    try await store.add([server.url("/1"), server.url("/2")])
    try await store.fetch()
    let before = server.requests.count
    try await store.fetch()
    #expect(server.requests.dropFirst(before).map { $0.text(of: "If-None-Match") } == ["\"1\""])
  }

  @Test func `feeds with other credentials have their own requests`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    try await store.add(
      [server.url("/feed"), server.url("/feed").replacingOccurrences(of: "://", with: "://me:x@")])
    try await store.fetch()
    #expect(
      server.requests.map { $0.text(of: "Authorization") != nil }.sorted { !$0 && $1 } == [false, true])
  }

  @Test(arguments: 1...3) func `a long answer reaches all feeds of its address completely`(workers: Int)
    async throws
  {
    let count = 4_000
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: count)) }
    defer { server.stop() }
    try await store.add((1...3).map { server.url("/feed#\($0)") })
    try await store.fetch {
      $0.workers = workers
      $0.atomicBytes = 1 << 17
      $0.heldBytes = 1 << 17
    }
    #expect(server.requests.count == 1)
    #expect(try await store.feeds().map(\.inserted) == [count, count, count])
  }

  @Test func `a failed answer is a failure of each feed`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(404, "Not Found") }
    defer { server.stop() }
    try await store.add([server.url("/feed"), server.url("/feed#2")])
    try await store.fetch()
    #expect(server.requests.count == 1)
    #expect(try await store.feeds().map(\.failures) == [1, 1])
  }
}
