import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

/// Validators belong to the address that sent them.
@Suite struct ValidatorAddressTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  @Test(arguments: [302, 303, 307])
  func `validators of one target of a temporary redirect are sent only to that target`(status: Int)
    async throws
  {
    let turn = Counter()
    let server = try LoopbackHTTPServer { request in
      if request.path == "/feed" { return .redirect(status, to: turn.value == 1 ? "/b" : "/a") }
      // Both targets would accept the validator.
      if request.text(of: "If-None-Match") == "\"1\"" { return .status(304, "Not Modified") }
      let prefix = String(request.path.dropFirst())
      return .ok(TestFeed.rss(count: 1, prefix: prefix), headers: ["ETag: \"1\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    try await store.fetch()
    turn.increment()
    try await store.fetch()
    #expect(try await store.articles().map(\.guid) == ["a1", "b1"])
    #expect(server.requests.map(\.path) == ["/feed", "/a", "/feed", "/a", "/feed", "/b"])
    #expect(
      server.requests.map { $0.text(of: "If-None-Match") } == [nil, nil, nil, "\"1\"", nil, nil])
  }

  @Test func `a feed that answers itself gets conditional requests, before and after a redirect`()
    async throws
  {
    let turn = Counter()
    let server = try LoopbackHTTPServer { request in
      if request.path == "/feed", turn.value == 1 { return .redirect(302, to: "/elsewhere") }
      if request.path == "/elsewhere" { return .status(404, "Not Found") }
      return request.text(of: "If-None-Match") == nil
        ? .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""]) : .status(304, "Not Modified")
    }
    defer { server.stop() }
    try await store.add([server.url("/feed#part")])
    try await store.fetch()
    turn.increment()
    try await store.fetch()
    turn.increment()
    try await store.fetch()
    #expect(
      server.requests.map { $0.text(of: "If-None-Match") } == [nil, "\"1\"", nil, "\"1\""])
    #expect(try await store.feeds().map(\.outcome) == [.unchanged])
  }
}
