import FeedImport
import Foundation
import LoopbackServer
import NewsModel
import TestSupport
import Testing

@Suite struct RequestAdditionsTests {
  private let store: NewsStore
  private var additions: RequestAdditions {
    var additions = RequestAdditions()
    additions.userAgent = "mine/1"
    additions.headers = [("X-Token", Secret("t0ken"))]
    additions.credentials = .bearer(Secret("b3arer"))
    return additions
  }

  init() throws {
    store = try NewsStore()
  }

  private func fetch(adding additions: RequestAdditions? = nil) async throws {
    let requests = try await store.requests().map { request in
      var request = request
      if let additions { request.add(additions) }
      return request
    }
    let options = ImportOptions(userAgent: "newsimport-test")
    try await FeedImporter(root: store.root, options: options).run(requests)
  }

  @Test func `no output contains a secret`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(additions, to: &dumped)
    dump(secret, to: &dumped)
    for text in ["\(secret)", "\([secret])", String(reflecting: secret), "\(additions)", dumped] {
      #expect(!text.contains("hunter2") && !text.contains("t0ken") && !text.contains("b3arer"), "\(text)")
    }
  }

  @Test func `configured credentials replace those in the address`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    try await store.add(["http://user:pw@127.0.0.1:\(server.port)/"])
    try await fetch()
    var basic = RequestAdditions()
    basic.credentials = .basic(user: "u", password: Secret("p"))
    try await fetch(adding: basic)
    #expect(
      server.requests.map { request in
        request.fields.filter { $0.name == "Authorization" }.map { String(decoding: $0.value, as: UTF8.self) }
      } == [["Basic dXNlcjpwdw=="], ["Basic dTpw"]])
  }

  @Test
  func `after a permanent redirect to another host no credentials are sent, then or later`() async throws {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    let server = try LoopbackHTTPServer { _ in .redirect(301, to: other.url("/")) }
    defer {
      server.stop()
      other.stop()
    }
    try await store.add([server.url("/")])
    for _ in 0..<5 { try await fetch(adding: additions) }
    #expect(
      server.requests.map { $0.text(of: "Authorization") } == Array(repeating: "Bearer b3arer", count: 5))
    #expect(server.requests.map { $0.text(of: "X-Token") } == Array(repeating: "t0ken", count: 5))
    #expect(other.requests.count == 5)
    for request in other.requests {
      #expect(request.value(of: "Authorization") == nil && request.value(of: "X-Token") == nil)
      #expect(request.text(of: "User-Agent") == "mine/1")
    }
    let feed = try #require(try await store.feeds().first)
    // The new address is stored, for the user to decide.
    #expect(feed.url == server.url("/") && feed.movedTo == other.url("/") && feed.outcome == .unchanged)
  }

  @Test func `a feed that had moved is polled at its own address once it has credentials`() async throws {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    let server = try LoopbackHTTPServer { _ in .redirect(301, to: other.url("/")) }
    defer {
      server.stop()
      other.stop()
    }
    try await store.add([server.url("/")])
    try await fetch()
    try await fetch()
    #expect(try await store.feeds().first?.movedTo == other.url("/"))
    #expect(server.requests.count == 1)
    try await fetch(adding: additions)
    #expect(server.requests.last?.text(of: "X-Token") == "t0ken")
    #expect(
      other.requests.allSatisfy { $0.value(of: "X-Token") == nil && $0.value(of: "Authorization") == nil })
  }

  @Test func `a move within the host keeps its credentials`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/old" ? .redirect(301, to: "/new") : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    for _ in 0..<2 { try await fetch(adding: additions) }
    #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
    #expect(server.requests.allSatisfy { $0.text(of: "Authorization") == "Bearer b3arer" })
  }
}
