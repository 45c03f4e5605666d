import LoopbackServer
import TestSupport
import Testing

/// Feeds that are one request to their server.
@Suite struct SameAddressTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `two feeds of one address are one request, and both get its articles`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/old": .redirect(301, to: "/feed")
      case _ where request.text(of: "If-None-Match") == "\"1\"": .status(304, "Not Modified")
      default: .ok(TestFeed.rss(count: 2), headers: ["ETag: \"1\""])
      }
    }
    defer { server.stop() }
    let same = "HTTP://127.0.0.1:\(server.port)/feed#top"
    _ = try await newsimport.run(["region", "add", "world", server.url("/feed"), server.url("/old")])
    _ = try await newsimport.run(["region", "add", "tech", same])
    let first = try await newsimport("fetch", "--all", "-v")
    #expect(first.status == 0 && first.err == "")
    #expect(first.out.contains("tech    1 feed    1 updated   2 new\n"))
    // Nobody knew of the redirect before.
    #expect(server.requests.map(\.path).sorted() == ["/feed", "/feed", "/old"])
    let second = try await newsimport("fetch", "--all", "-v")
    #expect(second.out.contains("world   2 feeds   2 not modified\n"))
    #expect(second.out.contains("tech    1 feed    1 not modified\n"))
    #expect(server.requests.count == 4)
    #expect(server.requests.last?.text(of: "If-None-Match") == "\"1\"")
  }
}
