import Foundation
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct ConfigurationLinesTests {
  private let lines = ConfigurationLines(
    """
    contact = "me@example.org"   # here
    schedule.floor = "2h"
    [fetch]
    jobs=16
    [region.world]
    interval = "30min"
    [ region . "my news".headers ]   # and here
    X-Key = "a = b"
    note = \"\"\"
    [fetch]
    per_host = 1
    \"\"\"
    [[feed]]
    url = "https://a.example/"
    [[feed]]
    interval = "1h"
    url = "https://b.example/"
    [feed.auth]
    bearer_env = "B"
    """)

  @Test(
    arguments: [
      ("contact", [], 1), ("floor", ["schedule"], 2), ("jobs", ["fetch"], 4),
      ("interval", ["region", "world"], 6),
      ("headers", ["region", "my news"], 7), ("per_host", ["fetch"], nil),
      ("interval", ["region", "tech"], nil),
    ] as [(String, [String], Int?)]) func `a key is found in its table`(
      key: String, table: [String], line: Int?
    )
  {
    #expect(lines.line(of: key, in: table) == line)
  }

  @Test(
    arguments: [
      ("interval", "https://a.example/", nil), ("interval", "https://b.example/", 16),
      ("auth", "https://b.example/", 18), ("auth", "https://a.example/", nil),
      ("url", "https://c.example/", nil),
    ] as [(String, String, Int?)]) func `a key is found in the table of its feed`(
      key: String, url: String, line: Int?
    )
  {
    #expect(lines.line(of: key, inFeed: url) { $0 == url } == line)
  }

  @Test(
    arguments: [
      ("contact", 1), ("fetch.jobs", 4), ("fetch", 3), ("region.world.interval", 6),
      ("region.my news.headers.X-Key", 8), ("feed number 2.interval", 16),
      ("feed https://b.example/.auth.bearer_env", 19), ("feed number 1.interval", 13),
      ("fetch.per_host", 3), ("schedule", 2), ("feed", 13), ("contact.x.y", 1), ("retention.keep", nil),
      ("feed https://c.example/.interval", nil), ("feed https://www.b.example/.auth", nil),
    ] as [(String, Int?)]) func `the place that an error names is found`(place: String, line: Int?)
  {
    #expect(lines.line(ofPlace: place) == line)
  }
}

@Suite struct ConfigShowTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @discardableResult
  private func configure(_ toml: String) throws -> String {
    try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  @Test func `without a file every value is the program's default`() async throws {
    let result = try await newsimport("config", "show")
    #expect(result.status == 0 && result.err == "")
    let lines = result.out.split(separator: "\n")
    #expect(lines.count == 14 && lines[0].firstMatch(of: #/^configuration +none +default$/#) != nil)
    #expect(lines[1].hasSuffix("\(newsimport.store)   $NEWSIMPORT_STORE"))
    #expect(lines[2...].allSatisfy { $0.hasSuffix("   default") })
  }

  @Test func `each value is printed with its origin`() async throws {
    try configure(
      """
      contact = "me@example.org"
      [fetch]
      jobs = 16
      [region.tech]
      interval = "1h"
      headers = { "X-Key" = "s3cret" }
      [region.world]
      interval = "30min"
      auth = { bearer_env = "HOME" }
      [[feed]]
      url = "https://a.example/feed"
      auth = { basic = { user = "u", password_file = "~/pw" } }
      """)
    _ = try await newsimport("region", "add", "world", "https://a.example/feed", "https://b.example/feed")
    _ = try await newsimport("region", "add", "tech", "https://a.example/feed")
    let general = try await newsimport("config", "show").out
    #expect(
      general.contains("newsimport/0.1.0 (mailto:me@example.org)") && general.contains("contact, line 1\n"))
    #expect(general.firstMatch(of: #/fetch.jobs +16 +\[fetch\], line 3\n/#) != nil)
    #expect(general.firstMatch(of: #/fetch.per_host +4 +default\n/#) != nil)
    let feed = try await newsimport("config", "show", "--feed", "a.example")
    #expect(feed.status == 0 && !feed.out.contains("s3cret") && feed.err == "")
    #expect(feed.out.firstMatch(of: #/interval +30 min +\[region.world\], line 8\n/#) != nil)
    #expect(feed.out.firstMatch(of: #/headers.X-Key +\(set\) +\[region.tech\], line 6\n/#) != nil)
    #expect(
      feed.out.contains("user u, password (from ~/pw)")
        && feed.out.contains("[[feed]] https://a.example/feed, line 12\n"))
    let region = try await newsimport("config", "show", "--region", "world", "--json").out
    #expect(
      region == """
        {"key":"interval","value":"30 min","source":"file","place":"[region.world]","line":8}
        {"key":"user_agent","value":"newsimport/0.1.0 (mailto:me@example.org)","source":"file","place":"contact","line":1}
        {"key":"keep","value":"forever","source":"default","place":null,"line":null}
        {"key":"keep_last","value":null,"source":"default","place":null,"line":null}
        {"key":"auth","value":"bearer (from HOME)","source":"file","place":"[region.world]","line":9}

        """)
  }

  @Test func `retention and filters of a feed are printed with their origin`() async throws {
    try configure(
      """
      [retention]
      keep = "90d"
      [region.tech]
      keep = "60d"
      skip = ["title:Sponsored", "url:/ads/"]
      [region.world]
      keep = "forever"
      keep_last = 1500
      [[feed]]
      url = "https://a.example/feed"
      keep_last = 7
      only = []
      """)
    _ = try await newsimport("region", "add", "world", "https://b.example/feed")
    _ = try await newsimport("region", "add", "tech", "https://a.example/feed", "https://b.example/feed")
    _ = try await newsimport("region", "add", "other", "https://c.example/feed")
    func lines(_ feed: String) async throws -> [String] {
      try await newsimport("config", "show", "--feed", feed).out.split(separator: "\n")
        .map { String($0).replacing(#/ {2,}/#, with: "  ") }.filter {
          !$0.hasPrefix("interval") && !$0.hasPrefix("user_agent")
        }
    }
    let skip = "skip  title:sponsored, url:/ads/  [region.tech], line 5"
    #expect(
      try await lines("a.example") == [
        "keep  none  default", "keep_last  7  [[feed]] https://a.example/feed, line 11", skip,
        "only  none  [[feed]] https://a.example/feed, line 12",
      ])
    #expect(
      try await lines("b.example") == [
        "keep  forever  [region.world], line 7", "keep_last  1,500  [region.world], line 8", skip,
      ])
    #expect(try await lines("c.example") == ["keep  90 d  [retention], line 2", "keep_last  none  default"])
    let general = try await newsimport("config", "show").out
    #expect(general.firstMatch(of: #/retention.keep +90 d +\[retention\], line 2\n/#) != nil)
  }

  @Test func `an unknown region and an unknown feed are reported`() async throws {
    #expect(try await newsimport("config", "show", "--region", "x").status == 66)
    #expect(try await newsimport("config", "show", "--feed", "x").status == 66)
    #expect(try await newsimport("config", "show", "--feed", "x", "--region", "y").status == 64)
    try configure("[[feed]]\nurl = \"https://a.example/feed\"\ninterval = \"1h\"")
    let known = try await newsimport("config", "show", "--feed", "https://a.example/feed")
    #expect(known.status == 0 && known.out.hasPrefix("interval     1 h"))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }

  @Test func `an unknown key is named with a suggestion`() async throws {
    try configure("[fetch]\njbos = 3")
    let result = try await newsimport("config", "show")
    #expect(result.status == 78 && result.err.hasSuffix("fetch.jbos: unknown key; did you mean jobs?\n"))
  }
}
