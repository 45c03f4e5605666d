import LoopbackServer
import TestSupport
import Testing

/// Feeds that share one request to their server.
@Suite struct SameAddressTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `two feeds with one address share one request, and both get its articles`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/old": .redirect(301, to: "/feed")
      case _ where request.text(of: "If-None-Match") == "\"1\"": .status(304, "Not Modified")
      default: .ok(TestFeed.rss(count: 2), headers: ["ETag: \"1\""])
      }
    }
    defer { server.stop() }
    // Characters outside ASCII are stored as they are written.
    let same = "HTTP://127.0.0.1:\(server.port)/feed#é"
    _ = try await newsimport.run(["region", "add", "world", server.url("/feed"), server.url("/old")])
    _ = try await newsimport.run(["region", "add", "tech", same])
    let first = try await newsimport("fetch", "--all", "-v")
    #expect(first.status == 0 && first.err == "")
    #expect(first.out.contains("tech    1 feed    1 updated   2 new\n"))
    // The redirect was unknown before.
    #expect(server.requests.map(\.path).sorted() == ["/feed", "/feed", "/old"])
    let second = try await newsimport("fetch", "--all", "-v")
    #expect(second.out.contains("world   2 feeds   2 not modified\n"))
    #expect(second.out.contains("tech    1 feed    1 not modified\n"))
    #expect(server.requests.count == 4)
    #expect(server.requests.last?.text(of: "If-None-Match") == "\"1\"")
  }

  @Test func `a feed is added once, however its address is spelled`() async throws {
    _ = try await newsimport("region", "add", "world", "http://example.org/feed")
    let again = try await newsimport("region", "add", "world", "HTTP://Example.org:80/feed#top")
    #expect(again.out.hasPrefix("added  0 feeds to region world, 1 already there."))
    let added = try await newsimport("region", "add", "tech", "HTTPS://Example.com:443/a#b")
    #expect(added.out.hasPrefix("added  1 feed to region tech."))
    #expect(
      try await newsimport("explain", "HTTPS://Example.com:443/a#b").out.contains(
        "https://example.com/a\n"))
    let same = try await newsimport("feed", "rename", "https://example.com/a", "HTTPS://example.com/a")
    #expect(same == .init(status: 0, out: "", err: "https://example.com/a: this is already its address\n"))
  }
}
