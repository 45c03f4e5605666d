import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct DiscoverCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let page = """
    <!DOCTYPE html><html><head><meta charset=utf-8><title>Daily</title>
    <script>if (1 < 2) document.write("<link rel=alternate type=application/rss+xml href=/no>")</script>
    <link rel="alternate" type="application/rss+xml" title="Daily &raquo; Comments" href="/comments/feed">
    <link rel="alternate" type="application/rss+xml" title="Daily" href="rss/front.xml">
    <link rel="alternate" type="application/atom+xml" title="Daily\u{202E} &raquo; Sport" href="/sport.atom">
    </head><body><p>News
    """

  /// A site with pages and feeds; other paths are not found.
  private func server(_ more: [String: ScriptedResponse] = [:]) throws -> LoopbackHTTPServer {
    let feed = TestFeed.rss(count: 20).replacingOccurrences(
      of: "<link>https://example.org/</link>", with: "<ttl>15</ttl>")
    let html = ["Content-Type: text/html"]
    let pages: [String: ScriptedResponse] = [
      "/": .ok(Self.page, headers: html), "/rss/front.xml": .ok(feed),
      "/feed.xml": .ok(TestFeed.rss(count: 1)),
      "/bare": .ok("<!DOCTYPE html><title>x</title><a href=/about>About</a>", headers: html),
      "/stale": .ok("<html><link rel=alternate type=application/rss+xml href=/gone.xml>", headers: html),
      "/old": .redirect(301, to: "/rss/front.xml"), "/moved": .redirect(302, to: "/rss/front.xml"),
    ].merging(more) { _, new in new }
    return try LoopbackHTTPServer { request in pages[request.path] ?? .status(404, "Not Found") }
  }

  private func feeds() async throws -> String {
    try await newsimport("region", "list", "--json").out
  }

  @Test func `the best feed of a page is added, and the others are named`() async throws {
    let server = try server()
    defer { server.stop() }
    let feed = server.url("/rss/front.xml")
    #expect(
      try await newsimport("region", "add", "world", "--discover", server.url("/"), server.url("/feed.xml"))
        == .init(
          status: 0,
          out: """
            found  \(feed)  (RSS 2.0, 20 articles, ttl 15 min)
            added  2 feeds to region world.   Next: newsimport fetch world

            """,
          err: """
            also: \(server.url("/sport.atom"))  Daily\\u202e \u{BB} Sport
            also: \(server.url("/comments/feed"))  Daily \u{BB} Comments

            """))
    #expect(Set(server.requests.map(\.target)) == ["/", "/feed.xml", "/rss/front.xml"])
    #expect(server.requests.count == 3)
    #expect(
      try await feeds()
        == "{\"name\":\"world\",\"feeds\":[\"\(feed)\",\"\(server.url("/feed.xml"))\"],\"failing\":0,\"gone\":0}\n"
    )
  }

  @Test func `with --public-only or public_only no private address is requested`()
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let config = try newsimport.folder.write("config.toml", "[fetch]\npublic_only = true\n".utf8)
    for option in [["--public-only"], ["--config", config]] {
      let result = try await newsimport.run(
        ["region", "add", "world", "--discover", server.url("/feed")] + option)
      #expect(result.status == 69)
      #expect(result.err.contains("address refused: 127.0.0.1 is not public"))
    }
    #expect(server.connectionCount == 0)
  }

  @Test func `in a pipe no request is sent without --check`() async throws {
    let server = try server()
    defer { server.stop() }
    #expect(
      try await newsimport("region", "add", "world", server.url("/"))
        == .init(status: 0, out: "added  1 feed to region world.   Next: newsimport fetch world\n", err: ""))
    #expect(server.requests.isEmpty)
    #expect(server.connectionCount == 0)
  }

  @Test func `on a terminal addresses are checked, unless --no-check is given`() async throws {
    let server = try server()
    defer { server.stop() }
    let terminal = try Terminal(columns: 200)
    let words = ["region", "add", "world", server.url("/"), server.url("/missing")]
    let variables = ["TERM": "dumb"]
    let checked = try await newsimport.run(words, on: terminal, variables: variables)
    #expect(checked.status == 1)
    #expect(
      checked.out.split(whereSeparator: \.isNewline).map(String.init) == [
        "found  \(server.url("/rss/front.xml"))  (RSS 2.0, 20 articles, ttl 15 min)",
        "also: \(server.url("/sport.atom"))  Daily\\u202e \u{BB} Sport",
        "also: \(server.url("/comments/feed"))  Daily \u{BB} Comments",
        "newsimport: \(server.url("/missing")): HTTP 404 (not found); check the address",
        "newsimport: 1 address was not added; --no-check adds addresses as they are",
        "added  1 feed to region world.   Next: newsimport fetch world",
      ])
    let asked = server.requests.count
    let unchecked = try await newsimport.run(
      words + ["--no-check"], on: Terminal(columns: 200), variables: variables)
    #expect(unchecked.status == 0 && unchecked.out.contains("added  2 feeds"))
    #expect(server.requests.count == asked)
  }

  @Test func `a feed that answered its last poll is not checked, unless --check is given`() async throws {
    let server = try server()
    defer { server.stop() }
    let feed = server.url("/feed.xml")
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world")
    let words = ["region", "add", "tech", feed]
    let result = try await newsimport.run(words, on: Terminal(columns: 200), variables: ["TERM": "dumb"])
    #expect(result.status == 0 && result.out.contains("added  1 feed to region tech."))
    #expect(server.requests.count == 1)
    _ = try await newsimport.run(words + ["--check"])
    #expect(server.requests.count == 2)
  }

  @Test(arguments: [
    (
      ScriptedResponse.status(403, "Forbidden"),
      "HTTP 403 (forbidden); if it requires a user or a token, set auth"
    ),
    (
      ScriptedResponse.status(403, "Forbidden", headers: ["cf-mitigated: challenge"]),
      "HTTP 403 (a wall against programs wants a browser); look for another address of the feed"
    ),
  ]) func `a server that refuses programs is reported with advice`(
    response: ScriptedResponse, message: String
  )
    async throws
  {
    let server = try server(["/feed": response])
    defer { server.stop() }
    let result = try await newsimport("region", "add", "world", "--check", server.url("/feed"))
    #expect(result.status == 69 && result.out == "")
    #expect(result.err.contains(message))
  }

  @Test func `a Mastodon profile's feed is found without its page`() async throws {
    let server = try server(["/@ann.rss": .ok(TestFeed.rss(count: 3))])
    defer { server.stop() }
    let result = try await newsimport("region", "add", "world", "--check", server.url("/@ann"))
    #expect(result.out.hasPrefix("found  \(server.url("/@ann.rss"))  (RSS 2.0, 3 articles)\n"))
    #expect(server.requests.map(\.target) == ["/@ann.rss"])
  }

  @Test func `without a link the usual paths are requested in order, up to the first feed`() async throws {
    let server = try server()
    defer { server.stop() }
    let result = try await newsimport("region", "add", "world", "--discover", server.url("/bare"))
    #expect(
      result
        == .init(
          status: 0,
          out: """
            found  \(server.url("/feed.xml"))  (RSS 2.0, 1 article)
            added  1 feed to region world.   Next: newsimport fetch world

            """, err: ""))
    #expect(server.requests.map(\.target) == ["/bare", "/feed", "/feed.xml"])
    #expect(server.mostConnectionsAtOnce == 1)
  }

  @Test func `a permanent redirect adds its target, a temporary one does not`() async throws {
    let server = try server()
    defer { server.stop() }
    let result = try await newsimport(
      "region", "add", "world", "--discover", server.url("/old"), server.url("/moved"))
    #expect(result.status == 0)
    #expect(
      result.out.hasPrefix(
        "found  \(server.url("/rss/front.xml"))  (RSS 2.0, 20 articles, ttl 15 min)\nadded  2"))
    #expect(
      try await feeds()
        == "{\"name\":\"world\",\"feeds\":[\"\(server.url("/rss/front.xml"))\",\"\(server.url("/moved"))\"],\"failing\":0,\"gone\":0}\n"
    )
  }

  @Test func `addresses without a feed are named in the given order, and the others are added`() async throws
  {
    let server = try server(["/feed.xml": .status(500)])
    defer { server.stop() }
    let result = try await newsimport(
      "region", "add", "world", "--discover", server.url("/missing"), server.url("/"), server.url("/bare"),
      server.url("/stale"))
    #expect(result.status == 1)
    #expect(result.out.hasSuffix("added  1 feed to region world.   Next: newsimport fetch world\n"))
    #expect(
      result.err.split(separator: "\n").filter { $0.hasPrefix("newsimport: ") } == [
        "newsimport: \(server.url("/missing")): HTTP 404 (not found); check the address",
        """
        newsimport: \(server.url("/bare")): an HTML page without a link to a feed, and no feed at the usual \
        paths; look for the feed's address on the site, and add that
        """,
        """
        newsimport: \(server.url("/stale")): an HTML page, and the feed that it links to is of no use: \
        \(server.url("/gone.xml")): HTTP 404 (not found); try again later, or add another feed of the site
        """,
      ])
  }

  @Test(
    arguments: [(["/missing"], 69), (["/bare"], 65), (["/missing", "/bare"], 65), (["/stale"], 69)]
      as [([String], Int32)])
  func `without a found feed nothing is added, and no store is created`(paths: [String], status: Int32)
    async throws
  {
    let server = try server(["/feed.xml": .status(404)])
    defer { server.stop() }
    let result = try await newsimport.run(["region", "add", "world", "--discover"] + paths.map(server.url))
    #expect(result.status == status)
    #expect(result.out == "")
    #expect(result.err.filter { $0 == "\n" }.count == paths.count)
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    #expect(server.requests.count <= 8 * paths.count)
  }

  @Test func `an address is requested once, however many addresses lead to it`() async throws {
    let server = try server()
    defer { server.stop() }
    let urls = ["/", "/", "/rss/front.xml", "/old"].map(server.url)
    let result = try await newsimport.run(["region", "add", "world", "--discover"] + urls)
    #expect(result.status == 0)
    #expect(
      result.out.hasSuffix("added  1 feed to region world, 3 already there.   Next: newsimport fetch world\n")
    )
    // The redirect of /old is followed by the downloader.
    #expect(server.requests.map(\.target).sorted() == ["/", "/old", "/rss/front.xml", "/rss/front.xml"])
  }

  @Test func `a feed whose server is paused is not requested`() async throws {
    let server = try server(["/busy": .status(503, "Service Unavailable", headers: ["Retry-After: 3600"])])
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/busy"))
    _ = try await newsimport("fetch", "world")
    let result = try await newsimport("region", "add", "tech", "--discover", server.url("/busy"))
    #expect(result.status == 69 && result.out == "")
    #expect(
      result.err.hasPrefix(
        "newsimport: \(server.url("/busy")): not requested: its server requested a pause; try again after 2")
    )
    #expect(result.err.hasSuffix(" (Retry-After)\n"))
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["/link", "/moved-away"])
  func `a feed on another host is named but not added to a region with credentials`(path: String)
    async throws
  {
    let stranger = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    let server = try server([
      "/link": .ok("<html><link rel=alternate type=application/rss+xml href=\(stranger.url("/feed"))>"),
      "/moved-away": .redirect(301, to: stranger.url("/feed")),
    ])
    defer {
      server.stop()
      stranger.stop()
    }
    let config = try newsimport.folder.write(
      "config.toml", "[region.world]\nheaders = { X-Token = \"t\" }\n".utf8)
    let result = try await newsimport(
      "region", "add", "world", "--discover", server.url(path), "--config", config)
    #expect(
      result
        == .init(
          status: 1, out: "",
          err: """
            newsimport: \(server.url(path)): its feed is at \(stranger.url("/feed")), another host, to which \
            credentials or headers of the configuration would be sent; if they are for that host, add that address \
            itself; else in another region

            """))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    #expect(stranger.requests.allSatisfy { $0.value(of: "X-Token") == nil })
    // A region without credentials accepts the feed.
    #expect(
      try await newsimport("region", "add", "open", "--discover", server.url(path), "--config", config).status
        == 0)
  }

  @Test func `a discovery that the server pauses reports until when`() async throws {
    let server = try server(["/busy": .status(429, "Busy", headers: ["Retry-After: 3600"])])
    defer { server.stop() }
    let result = try await newsimport("region", "add", "tech", "--discover", server.url("/busy"))
    #expect(result.status == 69)
    #expect(result.err.contains(": HTTP 429 (too many requests); try again after 2"))
    #expect(result.err.hasSuffix(" (Retry-After)\n"))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }

  @Test func `many addresses of a host are requested over at most four connections`() async throws {
    let server = try server()
    defer { server.stop() }
    let urls = (0..<20).map { server.url("/\($0)") }
    #expect(try await newsimport.run(["region", "add", "world", "--discover"] + urls).status == 69)
    #expect(server.requests.count == 20)
    #expect(server.mostConnectionsAtOnce <= 4)
  }

  @Test func `JSON has a line for each address`() async throws {
    let server = try server()
    defer { server.stop() }
    let result = try await newsimport(
      "region", "add", "world", "--discover", "--json", server.url("/"), server.url("/missing"))
    #expect(
      result
        == .init(
          status: 1,
          out: """
            {"url":"\(server.url("/"))","feed":"\(server.url("/rss/front.xml"))","added":true,"title":"Test feed",\
            "format":"rss2.0","articles":20,"ttl_minutes":15,\
            "others":["\(server.url("/sport.atom"))","\(server.url("/comments/feed"))"],"requests":2,"error":null}
            {"url":"\(server.url("/missing"))","feed":null,"added":false,"title":null,"format":null,"articles":null,\
            "ttl_minutes":null,"others":[],"requests":1,"error":"HTTP 404 (not found)"}

            """,
          err: "newsimport: \(server.url("/missing")): HTTP 404 (not found); check the address\n"))
  }

  @Test func `a fetch that receives a page names the best feed that the page links to`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/"))
    #expect(
      try await newsimport("fetch", "world").err == """
        newsimport: \(server.url("/")): not a feed: an HTML page; it links to a feed at \
        \(server.url("/rss/front.xml")); next try in 1 h; newsimport region add world --check \
        \(server.url("/")) searches for the page's feed

        """)
  }

  @Test func `options that require each other are explained`() async throws {
    #expect(try await newsimport("region", "add", "world", "--json", "http://127.0.0.1:1/").status == 64)
    let refused = try await newsimport("region", "add", "world", "--discover", "ftp://127.0.0.1/")
    #expect(refused.status == 65)
    #expect(
      try await newsimport("region", "add", "--help").out.contains("--check https://daily.example.org/"))
  }
}
