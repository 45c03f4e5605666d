import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ScheduleCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      switch request.path {
      case "/gone": .status(410, "Gone")
      case "/busy": .status(429, "Too Many Requests", headers: ["Retry-After: 7200"])
      case "/old": .redirect(301, to: "/a")
      case let path:
        .ok(
          TestFeed.rss(count: 1, prefix: String(path.dropFirst())),
          headers: ["Cache-Control: max-age=14400", "ETag: \"1\""])
      }
    }
  }

  @Test func `a feed that is not due is not polled with its region or with all feeds`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    #expect(
      try await newsimport("fetch", "--due")
        == .init(status: 0, out: "world   1 feed   1 updated   1 new\n", err: ""))
    let again = try await newsimport("fetch", "--due")
    #expect(again.status == 0 && again.out == "")
    #expect(again.err.wholeMatch(of: #/nothing due; next at (\d{4}-\d\d-\d\d )?\d\d:\d\d\n/#) != nil)
    #expect(try await newsimport("fetch", "--due", "--quiet") == .init(status: 0, out: "", err: ""))
    let result = try await newsimport("fetch", "--due", "world", "-v")
    #expect(result.status == 0)
    #expect(result.out.contains("not polled    \(server.url("/a"))  due "))
    #expect(result.out.contains("world   1 feed   1 not polled (not due)\n"))
    #expect(server.requests.count == 1)
    _ = try await newsimport("fetch", "world")
    #expect(server.requests.count == 2)
  }

  @Test func `of feeds that are not due, JSON and metrics have the number`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<3).map { server.url("/\($0)") })
    _ = try await newsimport.run(["region", "add", "tech", server.url("/0")])
    _ = try await newsimport("fetch", "--due", "-q")
    _ = try await newsimport("region", "add", "world", server.url("/new"))
    let metrics = newsimport.folder.path + "/metrics"
    let result = try await newsimport("fetch", "--due", "--json", "--metrics", metrics)
    let lines = result.out.split(separator: "\n")
    #expect(
      result.status == 0 && lines.count == 3 && lines[0].hasPrefix("{\"feed\":\"\(server.url("/new"))\""))
    #expect(
      Set(lines.dropFirst()) == [
        #"{"event":"not_due","region":"tech","feeds":1}"#, #"{"event":"not_due","region":"world","feeds":3}"#,
      ])
    let text = try String(contentsOfFile: metrics, encoding: .utf8)
    #expect(text.contains("newsimport_run_feeds{outcome=\"not_polled\"} 3\n"))
    #expect(try await newsimport("fetch", "--due", "--json", "-q") == .init(status: 0, out: "", err: ""))
  }

  @Test func `concurrent runs poll each due feed once`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<20).map { server.url("/\($0)") })
    async let first = newsimport("fetch", "--due", "-q")
    async let second = newsimport("fetch", "--due", "-q")
    let results = try await [first, second]
    for result in results { #expect(result == .init(status: 0, out: "", err: "")) }
    #expect(server.requests.count == 20)
  }

  @Test func `fetch requires regions, --all, --due or --failed`() async throws {
    let result = try await newsimport("fetch")
    #expect(result.status == 64)
    #expect(result.err.contains("name the regions to fetch, or give --all, --due or --failed"))
  }

  @Test func `explain reports the next poll of a feed and the reason`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(
      ["region", "add", "world"] + ["/a", "/busy", "/gone"].map { server.url($0) })
    let before = try await newsimport("explain", server.url("/a"))
    #expect(before.out.contains("next        now: it was never polled\n"))
    _ = try await newsimport("fetch", "world", "-q")
    let fresh = try await newsimport("explain", server.url("/a"))
    #expect(fresh.status == 0 && fresh.err == "")
    #expect(fresh.out.contains("the answer stays fresh for 4 h (Cache-Control)\n"))
    #expect(fresh.out.contains("last        200   at "))
    #expect(fresh.out.contains("validators  etag \"1\"\n"))
    #expect(fresh.out.contains("regions     world\n"))
    let busy = try await newsimport("explain", "busy")
    #expect(busy.out.contains("): the server requested a pause of 2 h (Retry-After)\n"))
    let gone = try await newsimport("explain", "gone")
    #expect(
      gone.out.contains(
        "next        never: the publisher ended the feed (HTTP 410); newsimport region add polls it again\n"))
    let json = try await newsimport("explain", "busy", "--json")
    #expect(json.out.contains(#""gone":false"#) && json.out.contains(#""statuses":[429]"#))
    #expect(json.out.contains(#""next_reason":"the server requested a pause of 2 h (Retry-After)""#))
  }

  @Test func `explain requires one feed and names the candidates`() async throws {
    _ = try await newsimport.run(["region", "add", "world"] + ["http://a.example/1", "http://a.example/2"])
    let many = try await newsimport("explain", "a.example")
    #expect(
      many
        == .init(
          status: 66, out: "",
          err:
            "newsimport: a.example: more than one feed: http://a.example/1, http://a.example/2; write more of the address\n"
        ))
    let none = try await newsimport("explain", "b.example")
    #expect(
      none
        == .init(
          status: 66, out: "",
          err: "newsimport: b.example: no such feed; newsimport feed list shows all\n"))
  }

  @Test func `doctor reports faults, and stores the new address of a feed that moved`() async throws {
    let server = try server()
    defer { server.stop() }
    #expect(
      try await newsimport.run(["doctor"], variables: ["NEWSIMPORT_STORE": ""]).err
        == "nothing to examine: no store exists yet.   Next: newsimport region add NAME URL\n")
    _ = try await newsimport.run(
      ["region", "add", "world"] + ["/old", "/gone", "/b"].map { server.url($0) })
    #expect(
      try await newsimport("doctor")
        == .init(
          status: 0, out: "",
          err:
            "no findings, but 3 feeds were never polled (newsimport fetch --due): newsimport explain FEED shows why\n"
        ))
    _ = try await newsimport("fetch", "world", "-q")
    let findings = """
      moved   \(server.url("/old"))    -> \(server.url("/a"))
      gone    \(server.url("/gone"))   its publisher ended it (HTTP 410)

      """
    #expect(
      try await newsimport("doctor", "world")
        == .init(status: 0, out: findings, err: "2 findings: 1 moved, 1 gone.  Apply with --fix\n"))
    #expect(
      try await newsimport("doctor", "--fix")
        == .init(
          status: 0,
          out: """
            gone    \(server.url("/gone"))   its publisher ended it (HTTP 410)
            fixed   \(server.url("/old"))    -> \(server.url("/a"))

            """, err: "2 findings: 1 fixed, 1 gone\n"))
    let list = try await newsimport("region", "list", "--json")
    #expect(list.out.contains(server.url("/a")))
    #expect(!list.out.contains(server.url("/old")))
    let articles = try await newsimport("list", "world", "--json", "--fields", "guid").out
    #expect(Set(articles.split(separator: "\n")) == [#"{"guid":"a1"}"#, #"{"guid":"b1"}"#])
  }

  @Test func `a feed that moved permanently is found by its former address`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/old"))
    _ = try await newsimport("fetch", "world", "-q")
    _ = try await newsimport("doctor", "--fix")
    let explained = try await newsimport("explain", server.url("/old")).out
    #expect(explained.hasPrefix("feed        \(server.url("/a"))\n"))
    #expect(explained.contains("moved from  \(server.url("/old"))\n"))
    #expect(
      try await newsimport("explain", "/old", "--json").out.contains(
        "\"moved_from\":[\"\(server.url("/old"))\"]"))
    #expect(
      try await newsimport("region", "add", "world", server.url("/old"), server.url("/b"))
        == .init(
          status: 0,
          out: """
            moved  \(server.url("/old")) -> \(server.url("/a")), which was added; --check searches the old address for a feed of its own
            added  1 feed to region world, 1 already there.   Next: newsimport fetch world

            """, err: ""))
    #expect(try await newsimport("region", "list").out == "world   2 feeds\n")
  }

  @Test func `doctor prints a JSON object for each finding`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(
      ["region", "add", "world"] + ["/old", "/gone", "/b"].map { server.url($0) })
    _ = try await newsimport("fetch", "world", "-q")
    let moved =
      "{\"feed\":\"\(server.url("/old"))\",\"finding\":\"moved\",\"moved_to\":\"\(server.url("/a"))\","
    let gone =
      "{\"feed\":\"\(server.url("/gone"))\",\"finding\":\"gone\",\"cause\":\"its publisher ended it (HTTP 410)\",\"feed_title\":null,\"regions\":[\"world\"]}\n"
    #expect(
      try await newsimport("doctor", "--json").out == moved
        + "\"fixed\":false,\"only_by_you\":false,\"feed_title\":\"Test feed\",\"regions\":[\"world\"]}\n"
        + gone)
    #expect(
      try await newsimport("doctor", "--json", "--fix").out == gone + moved
        + "\"fixed\":true,\"merged\":false}\n")
  }

  @Test func `doctor reports feeds that are paused or failed at the last poll`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/busy"
        ? .status(429, "Busy", headers: ["Retry-After: 7200"]) : .status(500, "Oops")
    }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + ["/busy", "/1", "/2"].map { server.url($0) })
    _ = try await newsimport("fetch", "world", "-q")
    let told = try await newsimport("doctor")
    #expect(told.out == "" && told.err.hasPrefix("no findings, but 1 feed pauses until 2"))
    #expect(
      told.err.hasSuffix(
        ", 2 feeds failed when last fetched (newsimport feed list --failing): newsimport explain FEED shows why\n"
      ))
  }

  @Test func `fetch, explain and doctor state the limit of a host and the feeds that wait for it`()
    async throws
  {
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      return count.value == 1
        ? .ok(TestFeed.rss(count: 1))
        : .status(429, "Busy", headers: ["x-ratelimit-remaining: 0", "x-ratelimit-reset: 60"])
    }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "forum"] + (0..<6).map { server.url("/\($0)") })
    let first = try await newsimport("fetch", "forum", "-v")
    let limit = "127.0.0.1:\(server.port) allows about one request a minute"
    #expect(first.status == 0)
    #expect(first.out.contains("\nforum   6 feeds   1 updated   1 new   5 waiting\n"))
    #expect(
      first.out.contains(
        "\n  waiting  \(limit): 5 feeds wait; the feed that has waited longest comes first, all are read by ")
    )
    // No feed has failed, and a program that reads the output gets the reasons.
    let later = try await newsimport("fetch", "forum")
    #expect(later.status == 0 && later.out == "" && later.err.contains("newsimport: \(limit): "))
    #expect(try await newsimport("fetch", "--due", "--quiet", "--report-after", "1").err == "")
    let json = try await newsimport("fetch", "forum", "--json").out
    #expect(json.split(separator: "\n").count { $0.contains(" allows about one request ") } >= 4)
    // On a busy machine the next request may be allowed meanwhile, and teach a longer time.
    #expect(count.value <= 5)
    let learned = "127.0.0.1:\(server.port) allows about one request "
    let explained = try await newsimport("explain", server.url("/5"))
    #expect(
      explained.out.contains("\nhost        \(learned)")
        && explained.out.contains("; it gets no request before 20"))
    #expect(
      try await newsimport("explain", server.url("/5"), "--json").out
        .contains(#""host_requests":1,"host_seconds":"#))
  }

  @Test func `explain reports the same in text and JSON, and a pause separately`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(429, "Busy") }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/busy"))
    let first = try await newsimport("fetch", "world")
    #expect(
      first.status == 1
        && first.err.contains("/busy: HTTP 429 (too many requests); not polled again before 20"))
    #expect(first.err.hasSuffix(" (429)\n"))
    let refused = try await newsimport("fetch", "world", "-v")
    #expect(refused.out.contains("before 20") && refused.out.contains(" (429)\n"))
    let text = try await newsimport("explain", "busy").out
    let json = try await newsimport("explain", "busy", "--json").out
    func value(_ name: String) throws -> Substring {
      try #require(
        json.firstMatch(of: try Regex("\"\(name)\":\"([^\"]*)\"", as: (Substring, Substring).self))
      )
      .output.1
    }
    /// The test's time zone is UTC.
    func minute(_ name: String) throws -> String {
      String(try value(name).prefix(16)).replacing("T", with: " ")
    }
    #expect(text.contains("next        \(try minute("next_fetch")) (in "))
    #expect(text.contains("): \(try value("next_reason"))\n"))
    #expect(try value("next_reason") == "the server rejected the request: a pause of 1 h (429)")
    #expect(text.contains("pause       not polled before \(try minute("not_before")) (in "))
  }

  @Test func `the newest answer is printed first in text and JSON`() async throws {
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      return count.value == 1 ? .ok(TestFeed.rss(count: 1)) : .status(404, "Not Found")
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    for _ in 0..<2 { _ = try await newsimport("fetch", "world", "-q") }
    #expect(try await newsimport("explain", "/a").out.contains("last        404 200   newest first, at 2"))
    #expect(try await newsimport("explain", "/a", "--json").out.contains("\"statuses\":[404,200]"))
  }

  @Test func `a feed with a table in the configuration keeps its address until the table has the new one`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    func configuration(_ path: String) throws -> String {
      try newsimport.folder.write(
        "config.toml", "[[feed]]\nurl = \"\(server.url(path))\"\ninterval = \"20min\"\n".utf8)
    }
    _ = try await newsimport.run(["region", "add", "world", server.url("/old")])
    let config = try configuration("/old")
    _ = try await newsimport("fetch", "world", "-q", "--config", config)
    let kept = try await newsimport("doctor", "--fix", "--config", config)
    #expect(
      kept.err
        == "newsimport: \(server.url("/old")): its table in the configuration has the old "
        + "address; write the new one there, then run doctor --fix again\n1 finding: 1 moved\n")
    #expect(!kept.out.contains("fixed"))
    let changed = try await newsimport("doctor", "--fix", "--config", try configuration("/a"))
    #expect(changed.err == "1 finding: 1 fixed\n")
    #expect(changed.out.contains("fixed   \(server.url("/old"))   -> \(server.url("/a"))\n"))
  }
}
