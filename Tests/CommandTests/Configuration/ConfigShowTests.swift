import Foundation
import NewsConfiguration
import TestSupport
import Testing
import TextOutput
@testable import NewsCommand

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
    #expect(general.contains("newsimport/\(Version.number) (mailto:me@example.org)"))
    #expect(general.contains("contact\n"))
    #expect(general.firstMatch(of: #/fetch.jobs +16 +\[fetch\]\n/#) != nil)
    #expect(general.firstMatch(of: #/fetch.per_host +4 +default\n/#) != nil)
    let feed = try await newsimport("config", "show", "--feed", "a.example")
    #expect(feed.status == 0 && !feed.out.contains("s3cret") && feed.err == "")
    #expect(feed.out.firstMatch(of: #/interval +30 min +\[region.world\]\n/#) != nil)
    #expect(feed.out.firstMatch(of: #/headers.X-Key +\(set\) +\[region.tech\]\n/#) != nil)
    #expect(
      feed.out.contains("user u, password (from ~/pw)")
        && feed.out.contains("[[feed]] https://a.example/feed\n"))
    let region = try await newsimport("config", "show", "--region", "world", "--json").out
    #expect(
      region == """
        {"key":"interval","value":"30 min","source":"file","place":"[region.world]"}
        {"key":"user_agent","value":"newsimport/\(Version.number) (mailto:me@example.org)","source":"file","place":"contact"}
        {"key":"keep","value":"forever","source":"default","place":null}
        {"key":"keep_last","value":null,"source":"default","place":null}
        {"key":"auth","value":"bearer (from HOME)","source":"file","place":"[region.world]"}

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
    let skip = "skip  title:sponsored, url:/ads/  [region.tech]"
    #expect(
      try await lines("a.example") == [
        "keep  none  default", "keep_last  7  [[feed]] https://a.example/feed", skip,
        "only  none  [[feed]] https://a.example/feed",
      ])
    #expect(
      try await lines("b.example") == [
        "keep  forever  [region.world]", "keep_last  1,500  [region.world]", skip,
      ])
    #expect(try await lines("c.example") == ["keep  90 d  [retention]", "keep_last  none  default"])
    let general = try await newsimport("config", "show").out
    #expect(general.firstMatch(of: #/retention.keep +90 d +\[retention\]\n/#) != nil)
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
