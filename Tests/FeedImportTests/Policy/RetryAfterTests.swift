import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

@Suite struct RetryAfterTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func after(_ seconds: TimeInterval) -> Date { Self.start.addingTimeInterval(seconds) }

  private func fetch(_ seconds: TimeInterval = 0, _ change: (inout ImportOptions) -> Void = { _ in })
    async throws -> StoredFeed
  {
    store.clock.set(after(seconds))
    try await store.fetch {
      $0.random = { 0 }
      change(&$0)
    }
    return try #require(try await store.feeds().first)
  }

  @Test(arguments: [429, 503]) func `however often a server refuses, the pause is its Retry-After`(
    status: Int
  ) async throws {
    let server = try LoopbackHTTPServer { _ in .status(status, "Busy", headers: ["Retry-After: 5400"]) }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    for hour in [0, 2, 5, 10] as [Double] {
      let feed = try await fetch(hour * 3600)
      #expect(feed.notBefore == after(hour * 3600 + 5400) && feed.nextFetch == feed.notBefore)
      #expect(feed.nextReason == "the server requested a pause of 1 h 30 min (Retry-After)")
      #expect(feed.outcome == .refused && feed.failures == 0 && feed.fetches > 0)
    }
  }

  @Test(arguments: [429, 503])
  func `without a Retry-After the pause is an hour each time, and 503 is a failure`(status: Int) async throws
  {
    let server = try LoopbackHTTPServer { _ in .status(status, "Busy") }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    for (hour, wait) in [(0, 1), (2, 2), (5, 4)] as [(Double, Double)] {
      let feed = try await fetch(hour * 3600)
      #expect(feed.notBefore == after((hour + 1) * 3600))
      #expect(feed.nextFetch == after((hour + (status == 503 ? wait : 1)) * 3600))
      #expect(feed.nextReason?.hasSuffix("(\(status))") == true)
    }
  }

  @Test func `two feeds that are always refused do not starve the others of their host`() async throws {
    let server = try LoopbackHTTPServer { request in
      if request.path.hasPrefix("/bad") { return .status(503, "Busy", headers: ["Retry-After: 1800"]) }
      return request.text(of: "If-None-Match") == nil
        ? .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""]) : .status(304, "Not Modified")
    }
    defer { server.stop() }
    try await store.add(["/bad1", "/bad2", "/1", "/2", "/3"].map { server.url($0) })
    for hour in 0..<48 {
      let now = after(TimeInterval(hour) * 3600)
      let (due, pauses) = try await store.perform { (source) throws(StoreError) in
        let pauses = ServerPauses(of: try source.pausedFeeds(at: now), at: now)
        let due = try source.feeds().filter {
          PollPolicy.isDue($0, at: now) && pauses.refusal(of: $0.currentURL, at: now) == nil
        }
        return (Set(due.map(\.id)), pauses)
      }
      let requests = try await store.requests().filter { due.contains($0.feed) }
        .map { request in
          var request = request
          request.interval = 3600
          return request
        }
      var options = ImportOptions(userAgent: "test")
      options.perHost = 1
      store.clock.set(now)
      options.random = { 0 }
      _ = try await FeedImporter(root: store.root, options: options).run(requests, pauses: pauses)
    }
    for path in ["/1", "/2", "/3"] {
      #expect(server.requests.count { $0.path == path } >= 46)
    }
    #expect(server.requests.count { $0.path.hasPrefix("/bad") } <= 2 * 48)
  }

  @Test(arguments: [["Retry-After: 120"], ["Retry-After: 0"], []], [429, 503])
  func `a server that refuses two feeds, for any time, gets no other request in the run`(
    fields: [String], status: Int
  ) async throws {
    let server = try LoopbackHTTPServer { _ in .status(status, "Busy", headers: fields) }
    defer { server.stop() }
    try await store.add((0..<20).map { server.url("/\($0)") })
    _ = try await fetch { $0.perHost = 1 }
    #expect(server.requests.count == 2)
  }

  @Test func `queued redirects to a host are not followed once it refuses`()
    async throws
  {
    let gate = Gate()
    let busy = try LoopbackHTTPServer { _ in
      ScriptedResponse.status(429, "Busy", headers: ["Retry-After: 300"]).after(gate)
    }
    let servers = try (0..<12).map { number in
      try LoopbackHTTPServer { _ in .redirect(302, to: busy.url("/\(number)")) }
    }
    defer { for server in servers + [busy] { server.stop() } }
    try await store.add(servers.map { $0.url("/feed") })
    async let run: Void = store.fetch { $0.perHost = 1 }
    for server in servers { await server.waitForRequests(1) }
    gate.open()
    try await run
    // Requests that begin at the time of the second answer are still sent.
    #expect(busy.requests.count <= 4)
    #expect(busy.connectionCount <= 4)
    #expect(try await store.feeds().count { $0.failures == 0 && $0.fetches == 0 } >= 8)
  }

  @Test(arguments: [301, 302, 307, 308])
  func `a redirect with a Retry-After is followed then, and not before`(
    status: Int
  ) async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/new"
        ? .ok(TestFeed.rss(count: 1))
        : .status(status, "Moved", headers: ["Location: /new", "Retry-After: 7200"])
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    let paused = try await fetch()
    #expect(server.requests.map(\.path) == ["/old"])
    #expect(paused.notBefore == after(7200) && paused.nextFetch == after(7200))
    #expect(paused.nextReason == "the server requested a pause of 2 h (Retry-After)")
    #expect(paused.error?.hasPrefix("HTTP \(status) (redirect), to be followed after a pause") == true)
    #expect(paused.movedTo == nil)
    let led = try await fetch(7201)
    #expect(server.requests.map(\.path) == ["/old", "/old", "/new"])
    #expect(led.outcome == .updated && led.notBefore == nil && led.failures == 0)
    #expect((led.movedTo != nil) == (status == 301 || status == 308))
  }

  @Test func `a redirect's pause is at most a week, and none for a Retry-After of zero`() async throws {
    let fields = Counter()
    let server = try LoopbackHTTPServer { request in
      if request.path == "/new" { return .ok(TestFeed.rss(count: 1)) }
      fields.increment()
      let wait = fields.value == 1 ? "0" : "99999999999"
      return .status(302, "Found", headers: ["Location: /new", "Retry-After: \(wait)"])
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    #expect(try await fetch().outcome == .updated)
    #expect(try await fetch(10).notBefore == after(10 + 7 * 86400))
  }

  @Test(arguments: ["0", "60"])
  func `a short pause makes nothing due before the user's minimum interval`(field: String)
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .status(429, "Busy", headers: ["Retry-After: \(field)"]) }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    let feed = try await fetch { $0.schedule.floor = 7200 }
    #expect(feed.nextFetch == after(7200))
    #expect(feed.notBefore == (field == "0" ? nil : after(60)))
  }

  @Test func `an unrequested protocol switch is reported at once`() async throws {
    let server = try LoopbackHTTPServer { _ in
      ScriptedResponse(
        .send(
          ScriptedResponse.head(
            101, "Switching Protocols", headers: ["Upgrade: websocket", "Connection: Upgrade"])), .hang)
    }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    let feed = try await fetch { $0.timeout = 3 }
    #expect(feed.error == "HTTP 101 (switching protocols), which was not requested")
  }
}
