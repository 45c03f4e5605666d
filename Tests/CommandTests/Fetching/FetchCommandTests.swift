import Foundation
import LoopbackServer
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct FetchCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      switch request.path {
      case "/missing": .status(404, "Not Found")
      case "/page": .ok("<html><body>No feed</body></html>")
      case let path where request.text(of: "If-None-Match") == "\"\(path)\"": .status(304, "Not Modified")
      case let path:
        .ok(TestFeed.rss(count: 2, prefix: String(path.dropFirst())), headers: ["ETag: \"\(path)\""])
      }
    }
  }

  @Test func `a fetch prints the updated regions, and without news prints nothing into a pipe`() async throws
  {
    let server = try server()
    defer { server.stop() }
    #expect(
      try await newsimport("region", "add", "world", server.url("/a"), server.url("/b"))
        == .init(status: 0, out: "added  2 feeds to region world.   Next: newsimport fetch world\n", err: ""))
    #expect(
      try await newsimport("fetch", "world")
        == .init(status: 0, out: "world   2 feeds   2 updated   4 new\n", err: ""))
    #expect(try await newsimport("fetch", "world") == .init(status: 0, out: "", err: ""))
    #expect(
      try await newsimport("fetch", "--all", "-v")
        == .init(
          status: 0,
          out: """
              not modified  \(server.url("/a"))
              not modified  \(server.url("/b"))
            world   2 feeds   2 not modified

            """,
          err: ""))
  }

  @Test func `only feeds whose last answer was a failure are fetched on request`() async throws {
    let server = try server()
    defer { server.stop() }
    let (good, missing, page) = (server.url("/a"), server.url("/missing"), server.url("/page"))
    _ = try await newsimport("region", "add", "world", good, missing)
    _ = try await newsimport("region", "add", "tech", page, server.url("/new"))
    #expect(
      try await newsimport("fetch", "--failed")
        == .init(status: 0, out: "", err: "nothing to fetch: the last answer of no feed was a failure\n"))
    #expect(server.requests.isEmpty)
    _ = try await newsimport("fetch", "world", "-q")
    let before = server.requests.count
    let again = try await newsimport("fetch", "world", "--failed", "-v")
    #expect(again.status == 69)
    #expect(
      again.out == """
          not polled    \(good)  its last answer was no failure
          failed        \(missing)
        world   2 feeds   1 failed   1 not polled (not failing)

        """)
    #expect(again.err.hasPrefix("newsimport: \(missing): HTTP 404 (not found), 2nd failure in a row; "))
    #expect(server.requests.dropFirst(before).map(\.path) == ["/missing"])
    let json = try await newsimport("fetch", "--all", "--failed", "--json")
    #expect(json.status == 69 && json.out.split(separator: "\n").count == 4)
    #expect(server.requests.dropFirst(before).map(\.path) == ["/missing", "/missing"])
    _ = try await newsimport("fetch", "tech", "--failed", "--due", "-q")
    #expect(server.requests.count == before + 2)
  }

  @Test func `a feed sent again without news is reported as not modified but sent`()
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1, prefix: "a")) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world")
    #expect(
      try await newsimport("fetch", "world", "-v").out == """
          not modified  \(server.url("/a"))  nothing new in it
        world   1 feed   1 not modified

        """)
  }

  @Test func `a quiet run with JSON prints failures only`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/missing"))
    let run = try await newsimport("fetch", "world", "--quiet", "--json")
    #expect(run.status == 1)
    #expect(run.out.split(separator: "\n").count == 1 && run.out.contains("/missing"), "\(run.out)")
    let due = try await newsimport("fetch", "--due", "--quiet", "--json")
    #expect(due == .init(status: 0, out: "", err: ""))
  }

  @Test func `a region is named if no store exists`() async throws {
    for arguments in [["fetch", "world"], ["region", "remove", "world"], ["opml", "export", "world"]] {
      #expect(
        try await newsimport.run(arguments)
          == .init(
            status: 66, out: "",
            err: "newsimport: world: no such region: \(newsimport.store): no such store; "
              + "newsimport region add world URL creates one\n"), "\(arguments)")
    }
  }

  @Test func `a run of all regions creates no store`() async throws {
    let metrics = newsimport.folder.file("news.prom")
    let result = try await newsimport("fetch", "--all", "--metrics", metrics)
    #expect(
      result
        == .init(
          status: 66, out: "",
          err: "newsimport: \(newsimport.store): no such store; newsimport region add NAME URL creates one\n")
    )
    #expect(try await newsimport("fetch", "--due", "--quiet") == result)
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    #expect(try String(contentsOfFile: metrics, encoding: .utf8).contains("newsimport_run_exit_status 66\n"))
    // A missing store at the default path is not an error.
    let usual = try await newsimport.run(["fetch", "--due"], variables: ["NEWSIMPORT_STORE": ""])
    #expect(usual.status == 0 && usual.err.hasPrefix("nothing to fetch: no store exists at "))
  }

  @Test func `feeds in no region are not fetched and are reported`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    _ = try await newsimport("feed", "remove", "a.example", "--region", "world")
    #expect(
      try await newsimport("fetch", "--all")
        == .init(
          status: 0, out: "",
          err: "nothing to fetch: 1 feed is in no region.   Next: newsimport doctor lists it\n"))
  }

  @Test func `shortened texts and lists are reported only with -v or --json`() async throws {
    let tags = (0..<300).map { "<category>\($0)</category>" }.joined()
    let text = String(repeating: "long ", count: 300_000)
    let server = try LoopbackHTTPServer { request in
      .ok(
        "<rss version='2.0'><channel><title>\(request.path)</title><item><guid>1</guid>\(tags)"
          + "<description>\(text)</description></item></channel></rss>")
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "quiet", server.url("/a"))
    _ = try await newsimport("region", "add", "loud", server.url("/b"))
    _ = try await newsimport("region", "add", "lines", server.url("/c"))
    let words = "1 text and 1 list were too long and are kept in part"
    #expect(
      try await newsimport("fetch", "quiet")
        == .init(status: 0, out: "quiet   1 feed   1 updated   1 new\n", err: ""))
    let loud = try await newsimport("fetch", "loud", "-v")
    #expect(loud.out.hasPrefix("  updated       \(server.url("/b"))  1 new  \(words)\n"), "\(loud.out)")
    #expect(loud.err == "")
    let lines = try await newsimport("fetch", "lines", "--json")
    #expect(lines.out.contains("\"warning\":\"\(words)\""), "\(lines.out)")
  }

  @Test func `a failed feed is named with its cause, the others are saved, and the status is 1`() async throws
  {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport(
      "region", "add", "world", server.url("/a"), server.url("/missing"), server.url("/page"))
    #expect(
      try await newsimport("fetch", "world")
        == .init(
          status: 1, out: "world   3 feeds   1 updated   2 new   2 failed\n",
          err: """
            newsimport: \(server.url("/missing")): HTTP 404 (not found); next try in 1 h
            newsimport: \(server.url("/page")): not a feed: an HTML page; next try in 1 h; newsimport region add world --check \(server.url("/page")) searches for the page's feed

            """))
    let list = try await newsimport("list", "world", "--json", "--fields", "guid")
    #expect(list.out == "{\"guid\":\"a1\"}\n{\"guid\":\"a2\"}\n")
  }

  @Test func `a wall that sends its page instead of the feed is named`() async throws {
    let page = "<html><title>Making sure you&#39;re not a bot!</title><script id='anubis_challenge'></script>"
    let server = try LoopbackHTTPServer { _ in .ok(page) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    let run = try await newsimport("fetch", "world")
    #expect(
      run.err.hasPrefix(
        "newsimport: \(server.url("/a")): HTTP 200 (a wall against programs wants a browser); next try in "),
      "\(run)")
  }

  @Test func `when every feed fails the status is 69`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/missing"))
    #expect(try await newsimport("fetch", "world", "-q").status == 69)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
  func `with --public-only this machine's addresses are refused in one line`(host: String) async throws {
    let server = try server()
    defer { server.stop() }
    let url = "http://\(host):\(server.port)/a"
    _ = try await newsimport("region", "add", "world", url)
    let run = try await newsimport("fetch", "world", "--public-only")
    #expect(run.status == 69)
    #expect(run.err.split(separator: "\n").count == 1)
    #expect(run.err.hasPrefix("newsimport: \(url): address refused: "))
    #expect(run.err.contains(" is not public; next try in "))
    #expect(server.connectionCount == 0)
  }

  @Test func `a feed in two regions is polled once and counted in both`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/a"))
    _ = try await newsimport("region", "add", "tech", server.url("/a"))
    let result = try await newsimport("fetch", "--all")
    #expect(result.out == "tech    1 feed   1 updated   2 new\nworld   1 feed   1 updated   2 new\n")
    #expect(server.requests.count == 1)
  }

  @Test func `JSON has a line for each feed`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/missing"))
    let result = try await newsimport("fetch", "world", "--json")
    #expect(
      withoutTimes(result.out) == """
        {"feed":"\(server.url("/a"))","regions":["world"],"outcome":"updated","status":200,"new":2,"edited":0,\
        "bytes":514,"first_byte_ms":0,"total_ms":0,"error":null,"warning":null,"next_fetch":"…",\
        "next_reason":"its publishing interval is unknown: polled more often while it has new articles","not_before":null,"skipped":0,"reason":null,"joined":0,"transferred":514,\
        "markup_changes":0,"date_changes":0,"title":"Test feed","archived_edits":0}
        {"feed":"\(server.url("/missing"))","regions":["world"],"outcome":"failed","status":404,"new":0,\
        "edited":0,"bytes":0,"first_byte_ms":0,"total_ms":0,"error":"HTTP 404 (not found)","warning":null,"next_fetch":"…",\
        "next_reason":"the last fetch failed","not_before":null,"skipped":0,"reason":null,"joined":0,"transferred":0,\
        "markup_changes":0,"date_changes":0,"title":null,"archived_edits":0}

        """)
    #expect(result.status == 1)
  }

  @Test func `a killed run keeps saved articles, and the next run saves each article once`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { request in
      let response = ScriptedResponse.ok(TestFeed.rss(count: 50, prefix: String(request.path.dropFirst())))
      return request.path == "/9" ? response.after(gate) : response
    }
    defer { server.stop() }
    for number in 0..<10 { _ = try await newsimport("region", "add", "world", server.url("/\(number)")) }
    let killed = try await newsimport.run(["fetch", "world"]) { signal in
      await server.waitForRequests(10)
      signal(SIGKILL)
    }
    #expect(killed.status == -SIGKILL)
    gate.open()
    #expect(try await newsimport("fetch", "world", "-q") == .init(status: 0, out: "", err: ""))
    let guids = try await newsimport("list", "world", "--json", "--fields", "guid").out.split(separator: "\n")
    #expect(guids.count == 500)
    #expect(Set(guids).count == 500)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal ends a fetch with its status, and saved articles stay`(signal: Int32, status: Int32)
    async throws
  {
    let gate = Gate()
    let server = try LoopbackHTTPServer { request in
      let response = ScriptedResponse.ok(TestFeed.rss(count: 1, prefix: request.path))
      return request.path == "/slow" ? response.after(gate) : response
    }
    defer {
      gate.open()
      server.stop()
    }
    _ = try await newsimport("region", "add", "world", server.url("/slow"))
    let stopped = try await newsimport.run(["fetch", "world"]) { send in
      await server.waitForRequests(1)
      send(signal)
    }
    #expect(
      stopped
        == .init(
          status: status, out: "",
          err:
            "newsimport: stopped: 0 of 1 feed done, 1 remains; all saved results are kept, and the next fetch continues\n"
        ))
  }

  @Test func `after four feeds without an answer the other feeds of the host are skipped`() async throws {
    let server = try server()
    defer { server.stop() }
    let dead = try SilentServer()
    let urls = (0..<30).map { "http://127.0.0.1:\(dead.port)/\($0)" }
    _ = try await newsimport.run(["region", "add", "world", server.url("/a")] + urls)
    let run = try await newsimport("fetch", "world", "--timeout", "0.2")
    #expect(run.status == 1)
    #expect(
      run.out
        == "world   31 feeds   1 updated   2 new   4 failed   26 not polled (on hosts that do not answer)\n")
    let lines = run.err.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(
      lines.last
        == "newsimport: http://127.0.0.1:\(dead.port): did not answer 4 feeds; its other 26 feeds were not polled; next try in 1 h"
    )
    #expect(
      try await newsimport("explain", urls[29]).out.contains("): its host did not answer 4 other feeds\n"))
    // The feeds that failed are polled last, so four other feeds are tried this time.
    let json = try await newsimport("fetch", "world", "--timeout", "0.2", "--json")
    let objects = json.out.split(separator: "\n")
    #expect(objects.count == 31)
    #expect(objects.count { $0.contains("\"outcome\":\"not asked\"") } == 26)
    #expect(objects[1...4].allSatisfy { $0.contains("its host did not answer 4 other feeds") })
  }

  @Test func `a feed whose server asked for a pause is skipped, which is not a failure`() async throws {
    let server = try LoopbackHTTPServer { _ in
      .status(503, "Service Unavailable", headers: ["Retry-After: 3600"])
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    let first = try await newsimport("fetch", "world", "--report-after", "1", "--json")
    #expect(first.status == 0 && first.err == "")
    #expect(first.out.contains(#""outcome":"refused","status":503"#))
    #expect(try await newsimport("feed", "list", "--failing", "--json").out == "")
    let second = try await newsimport("fetch", "world", "-v")
    #expect(second.status == 0)
    #expect(second.out.contains("not polled"))
    #expect(server.requests.count == 1)
  }

  /// The lines with zero for measured times, and an ellipsis for values that depend on the clock.
  private func withoutTimes(_ lines: String) -> String {
    lines.replacing(#/_ms":\d+/#, with: "_ms\":0").replacing(#/"(next|next_fetch)":"[^"]*"/#) {
      "\"\($0.output.1)\":\"…\""
    }
  }
}
