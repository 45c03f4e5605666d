import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@Suite struct ServerPausesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func after(_ seconds: TimeInterval) -> Date { Self.now.addingTimeInterval(seconds) }

  @Test func `one refused address blocks only itself, in any spelling`() {
    var pauses = ServerPauses()
    pauses.note("https://a.example/1", until: after(60))
    pauses.note("https://A.example:443/1#x", until: after(90))
    #expect(pauses.refusal(of: "https://a.example/1", at: Self.now) == .notBefore(after(90)))
    #expect(pauses.refusal(of: "HTTPS://u:p@a.example/1", at: Self.now) == .notBefore(after(90)))
    #expect(pauses.refusal(of: "https://a.example/1?q", at: Self.now) == nil)
    #expect(pauses.refusal(of: "https://a.example/2", at: Self.now) == nil)
    #expect(pauses.refusal(of: "https://a.example/1", at: after(91)) == nil)
  }

  @Test func `two refused addresses close their host until the first pause ends`() {
    var pauses = ServerPauses()
    pauses.note("https://a.example/1", until: after(60))
    pauses.note("https://A.example:443/2", until: after(90))
    #expect(pauses.refusal(of: "https://a.example/3", at: Self.now) == .hostClosed(after(60)))
    #expect(pauses.refusal(of: "https://a.example/3", at: after(61)) == nil)
    #expect(pauses.refusal(of: "https://b.example/3", at: Self.now) == nil)
    #expect(pauses.refusal(of: "http://a.example/3", at: Self.now) == nil)
    #expect(pauses.refusal(of: "no address", at: Self.now) == nil)
  }

  @Test func `a pause made with a wrong clock is ignored`() {
    var pauses = ServerPauses()
    pauses.note("https://a.example/1", until: after(400 * 86400))
    pauses.note("https://a.example/2", until: after(60))
    #expect(pauses.refusal(of: "https://a.example/1", at: Self.now) == nil)
    #expect(pauses.refusal(of: "https://a.example/3", at: Self.now) == nil)
  }

  @Test func `a feed redirected to a busy address closes that address for other feeds and later runs`()
    async throws
  {
    let store = try NewsStore()
    let busy = try LoopbackHTTPServer { _ in .status(429, "Busy", headers: ["Retry-After: 120"]) }
    defer { busy.stop() }
    let server = try LoopbackHTTPServer { request in .redirect(302, to: busy.url(request.path)) }
    defer { server.stop() }
    try await store.add([server.url("/1"), server.url("/2")])
    try await store.fetch()
    let refusals = try await store.perform { (source) throws(StoreError) in
      let pauses = ServerPauses(of: try source.pausedFeeds(at: Date()), at: Date())
      let urls = [busy.url("/1"), busy.url("/3"), server.url("/3")]
      return urls.map { pauses.refusal(of: WebAddress($0), at: Date()) }
    }
    #expect(refusals.count == 3)
    if case .notBefore = refusals[0] {} else { Issue.record("the address itself is open") }
    if case .hostClosed = refusals[1] {} else { Issue.record("its host is open") }
    #expect(refusals[2] == nil)
  }

  @Test
  func `a server that refuses two feeds gets no request for its other feeds in this run`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .status(503, "Busy", headers: ["Retry-After: 120"]) }
    defer { server.stop() }
    try await store.add((0..<20).map { server.url("/\($0)") })
    var options = ImportOptions(userAgent: "test")
    options.perHost = 1
    let end = try await FeedImporter(root: store.root, options: options).run(try await store.requests())
    #expect(server.requests.count == 2)
    #expect(end.notPolled.count == 20 - server.requests.count)
    #expect(try await store.feeds().filter { $0.fetches == 0 }.count == end.notPolled.count)
  }

  @Test func `a redirect to a closed host is not followed, and the feed counts as not polled`() async throws {
    let store = try NewsStore()
    let busy = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    let server = try LoopbackHTTPServer { _ in .redirect(302, to: busy.url("/3")) }
    defer {
      server.stop()
      busy.stop()
    }
    try await store.add([server.url("/")])
    var pauses = ServerPauses()
    let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
    for path in ["/1", "/2"] { pauses.note(WebAddress(busy.url(path)), until: now.addingTimeInterval(600)) }
    let options = ImportOptions(userAgent: "test")
    let requests = try await store.requests()
    let end = try await FeedImporter(root: store.root, options: options).run(requests, pauses: pauses)
    #expect(end.notPolled.count == 1)
    #expect(end.notPolled[requests[0].feed] == .hostClosed(now.addingTimeInterval(600)))
    #expect(busy.requests.isEmpty && busy.connectionCount == 0)
    #expect(server.requests.count == 1)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.fetches == 0 && feed.failures == 0 && feed.error == nil)
    // Its own server gets no useless request until then.
    #expect(feed.notBefore == now.addingTimeInterval(600) && feed.nextFetch == feed.notBefore)
  }

  @Test(arguments: [(500, "Oops"), (403, "Forbidden"), (200, "OK"), (304, "Not Modified")])
  func `a Retry-After of any answer applies to its address, and closes no host`(status: Int, words: String)
    async throws
  {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { request in
      switch status {
      case 200: .ok(TestFeed.rss(count: 1), headers: ["Retry-After: 90000"])
      case 304 where request.text(of: "If-None-Match") == nil:
        .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""])
      default: .status(status, words, headers: ["Retry-After: 90000"])
      }
    }
    defer { server.stop() }
    try await store.add((0..<3).map { server.url("/\($0)") })
    try await store.fetch()
    if status == 304 { try await store.fetch() }
    let now = Date()
    for feed in try await store.feeds() {
      let wait = try #require(feed.notBefore).timeIntervalSince(now)
      #expect(wait > 89000 && wait <= 90000)
      #expect(try #require(feed.nextFetch).timeIntervalSince(now) >= wait - 1)
      #expect(feed.nextReason == "the server requested a pause of 1 d 1 h (Retry-After)")
    }
    let refusals = try await store.perform { (source) throws(StoreError) in
      let pauses = ServerPauses(of: try source.pausedFeeds(at: now), at: now)
      return ["/1", "/other"].map { pauses.refusal(of: WebAddress(server.url($0)), at: now) }
    }
    if case .notBefore = refusals[0] {} else { Issue.record("the address itself is open") }
    #expect(refusals[1] == nil)
  }

  @Test func `a short Retry-After makes no poll earlier`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { request in
      request.path == "/ok"
        ? .ok(TestFeed.rss(count: 1), headers: ["Retry-After: 5"])
        : .status(500, "Oops", headers: ["Retry-After: 5"])
    }
    defer { server.stop() }
    try await store.add([server.url("/ok"), server.url("/oops")])
    try await store.fetch()
    for feed in try await store.feeds() {
      #expect(try #require(feed.nextFetch).timeIntervalSinceNow > 3500)
    }
  }
}
