import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `newsimport feed list`, and the titles of feeds.
@Suite struct FeedListCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      switch request.path {
      case "/gone": .status(410, "Gone")
      case "/missing": .status(404, "Not Found")
      case "/secret": .status(401, "Unauthorized")
      case "/old": .ok(TestFeed.rss([("a", "A")]).replacing("</channel>", with: "\(Self.older)</channel>"))
      default: .ok(TestFeed.rss([], title: "The publisher's"))
      }
    }
  }

  private static let older = "<item><guid>b</guid><pubDate>Tue, 02 Feb 2010 17:23:16 +0000</pubDate></item>"

  @Test func `feeds are listed with their state`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/gone"), server.url("/missing"))
    _ = try await newsimport("region", "add", "tech", server.url("/old"), server.url("/new"))
    _ = try await newsimport("fetch", "--all", "-q")
    func paths(_ arguments: String...) async throws -> [String] {
      let result = try await newsimport.run(["feed", "list", "--fields", "feed"] + arguments)
      #expect(result.status == 0 && result.err == "")
      return result.out.split(separator: "\n").map { String($0.dropFirst(server.url("").count)) }
    }
    #expect(try await paths() == ["/gone", "/missing", "/old", "/new"])
    #expect(try await paths("--failing") == ["/missing"])
    #expect(try await paths("--gone") == ["/gone"])
    #expect(try await paths("--stale") == ["/old"])
    #expect(try await paths("--failing", "--gone", "--stale", "tech") == ["/old"])
    let table = try await newsimport("feed", "list", "--failing")
    #expect(table.out.hasPrefix("  failed   20") && table.out.hasSuffix("HTTP 404 (not found)\n"))
    let none = try await newsimport("feed", "list", "world", "--stale")
    #expect(none == .init(status: 0, out: "", err: "no such feeds\n"))
  }

  @Test func `the user's title is kept, and an empty one restores the publisher's`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let list =
      "<opml version='2.0'><body><outline text='world'><outline text='My name' xmlUrl='\(server.url("/new"))'/>"
      + "<outline title='By url' type='rss' url='\(server.url("/old"))'/>"
      + "<outline text='A page' type='link' url='http://127.0.0.1:1/page'/></outline></body></opml>"
    let imported = try await newsimport("opml", "import", "-", input: list)
    #expect(imported.out.hasPrefix("added  2 feeds to world\n"))
    _ = try await newsimport("fetch", "world", "-q")
    #expect(try await newsimport("opml", "export").out.contains("text=\"My name\""))
    let renamed = try await newsimport("feed", "rename", "/new", "--title", "Another")
    #expect(renamed == .init(status: 0, out: "renamed  \(server.url("/new")) to \"Another\"\n", err: ""))
    #expect(try await newsimport("opml", "export").out.contains("text=\"Another\""))
    let back = try await newsimport("feed", "rename", "/new", "--title", "")
    #expect(back.out == "renamed  \(server.url("/new")) to \"The publisher's\"\n")
    let nothing = try await newsimport("feed", "rename", "/new")
    #expect(
      nothing.status == 64
        && nothing.err
          == "newsimport: give the feed's new address, a --title, or both; see newsimport feed rename --help\n"
    )
  }

  @Test func `the first fetch of a feed without articles counts as updated`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/new"))
    #expect(try await newsimport("fetch", "world", "-v").out.hasSuffix("world   1 feed   1 updated\n"))
    #expect(try await newsimport("fetch", "world", "-v").out.hasSuffix("world   1 feed   1 not modified\n"))
  }

  @Test func `a failure is reported with a suggestion`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/secret"))
    let failed = try await newsimport("fetch", "world")
    #expect(
      failed.err.hasSuffix("; if it requires a user or a token, set auth for it in the configuration\n"))
    let bare = try await newsimport("region", "add", "world", "example.org/feed")
    #expect(bare.status == 65)
    #expect(bare.err.contains("; nothing was added; did you mean https://example.org/feed?\n"))
    let word = try await newsimport("region", "add", "world", "wurld")
    #expect(word.status == 65 && !word.err.contains("did you mean"))
  }

  @Test func `a region with feeds is removed only after a question or with --yes`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/", "https://b.example/")
    _ = try await newsimport("region", "add", "tech", "https://b.example/")
    let asked = try await newsimport("region", "remove", "world")
    #expect(
      asked
        == .init(
          status: 64, out: "",
          err:
            "newsimport: remove region world, but keep its 2 feeds, 1 of which is in no other region: nothing was "
            + "done; give --yes to confirm it without a question\n"))
    #expect(try await newsimport("region", "list").out == "tech    1 feed\nworld   2 feeds\n")
    #expect(try await newsimport("region", "remove", "world", "--yes").status == 0)
    let next = try await newsimport("explain", "a.example", "--json").out
    #expect(next.contains("\"next_fetch\":null,\"next_reason\":\"it is in no region\""))
  }

  @Test func `of two addresses of a feed doctor suggests renaming the one that redirects`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/feed/" ? .redirect(302, to: "/feed") : .ok(TestFeed.rss(count: 2))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed/"), server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
    let found = try await newsimport("doctor")
    #expect(
      found.out.hasSuffix(
        "newsimport feed rename \(server.url("/feed/")) \(server.url("/feed")) makes them one\n"))
  }
}
