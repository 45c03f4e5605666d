import LoopbackServer
import TestSupport
import Testing

/// Feeds whose publisher has ended them (HTTP 410).
@Suite struct EndedFeedTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `an ended feed is polled again after it is added again`() async throws {
    let isBack = Counter()
    let server = try LoopbackHTTPServer { _ in
      isBack.value > 0 ? .ok(TestFeed.rss(count: 1)) : .status(410, "Gone")
    }
    defer { server.stop() }
    let feed = server.url("/feed")
    _ = try await newsimport("region", "add", "world", feed)
    let ended = try await newsimport("fetch", "world")
    #expect(
      ended.err
        == "newsimport: \(feed): HTTP 410 (gone); the publisher ended the feed; it is not polled again "
        + "unless you add it again (newsimport region add)\n")
    _ = try await newsimport("fetch", "world", "-q")
    #expect(server.requests.count == 1)
    isBack.increment()
    let opml = try newsimport.folder.write(
      "feeds.opml", "<opml><body><outline xmlUrl=\"\(feed)\"/></body></opml>".utf8)
    #expect(
      try await newsimport("opml", "import", opml, "--region", "world").out
        == "added  0 feeds to world, 1 already there; 1 has ended (HTTP 410): newsimport region add world URL polls it again\n"
        + "Next: newsimport fetch world\n")
    _ = try await newsimport("fetch", "world", "-q")
    #expect(server.requests.count == 1)
    let added = try await newsimport("region", "add", "world", feed)
    #expect(
      added.out
        == "added  0 feeds to region world, 1 already there; 1 had ended (HTTP 410) and is polled again.   "
        + "Next: newsimport fetch world\n")
    // Until the next poll the feed counts neither as healthy nor as failing.
    #expect(try await newsimport("feed", "list", "world").out.contains("never polled"))
    #expect(
      try await newsimport("stats", "--json").out.contains(
        #""healthy":0,"failing":0,"stale":0,"gone":0,"unasked":1"#))
    #expect(try await newsimport("doctor").err.hasPrefix("no findings, but 1 feed was never polled ("))
    #expect(
      try await newsimport("explain", feed).out.contains(
        "now: it has another address, or was added again, since it was polled\n"))
    let fetched = try await newsimport("fetch", "world")
    #expect(fetched == .init(status: 0, out: "world   1 feed   1 updated   1 new\n", err: ""))
  }

  @Test func `a feed with a temporary redirect to a gone address is polled again`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/for-now": .redirect(302, to: "/gone")
      case "/for-good": .redirect(301, to: "/gone")
      default: .status(410, "Gone")
      }
    }
    defer { server.stop() }
    _ = try await newsimport.run(
      ["region", "add", "world"] + ["/for-now", "/for-good"].map { server.url($0) })
    let result = try await newsimport("fetch", "world")
    let lines = result.err.split(separator: "\n").map(String.init)
    try #require(lines.count == 2)
    #expect(lines[0].contains("HTTP 410 (gone), at \(server.url("/gone")); next try in 1 h"))
    #expect(lines[1].contains("the publisher ended the feed"))
    _ = try await newsimport("fetch", "world")
    #expect(
      server.requests.map(\.path).sorted() == [
        "/for-good", "/for-now", "/for-now", "/gone", "/gone", "/gone",
      ])
  }
}
