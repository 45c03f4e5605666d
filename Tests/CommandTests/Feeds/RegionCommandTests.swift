import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct RegionCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test(arguments: [" lead", "trail ", "", "\u{1B}[2J", String(repeating: "a", count: 201)])
  func `a region's name that cannot be typed or seen is refused`(name: String) async throws {
    let result = try await newsimport("region", "add", name, "https://a.example/")
    #expect(result.status == 64 && result.out == "")
    #expect(
      result.err.hasSuffix(
        "': not a valid name for a region; use letters and digits, no blank at either end, and at most 200 bytes\n"
      ))
  }

  @Test func `a name that means a query is refused for a region`() async throws {
    let message =
      "newsimport: '@x': the name of a region cannot begin with @, because @NAME is a query of the configuration\n"
    for arguments in [
      ["region", "add", "@x", "https://a.example/"], ["import", "--region", "@x", "-"],
      ["opml", "import", "--region", "@x", "-"],
    ] {
      #expect(try await newsimport.run(arguments) == .init(status: 64, out: "", err: message), "\(arguments)")
    }
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    // The folders of a list lose the sign.
    let list =
      "<opml version='2.0'><body><outline text='@x'><outline xmlUrl='https://a.example/'/></outline></body></opml>"
    _ = try await newsimport("opml", "import", "-", input: list)
    #expect(try await newsimport("sql", "SELECT name FROM regions").out == "name\nx\n")
  }

  @Test func `commands that choose feeds take no query`() async throws {
    let message =
      "newsimport: @x: a query chooses articles, and this command takes the names of regions\n"
    _ = try await newsimport("region", "add", "r", "https://a.example/")
    for arguments in [
      ["fetch", "@x"], ["feed", "list", "@x"], ["opml", "export", "@x"],
      ["doctor", "@x"], ["region", "remove", "@x", "--yes"],
      ["prune", "--region", "@x", "--keep", "1d", "--yes"],
    ] {
      #expect(try await newsimport.run(arguments) == .init(status: 64, out: "", err: message), "\(arguments)")
    }
  }

  @Test func `an address in place of the region is reported as a forgotten region`() async throws {
    let result = try await newsimport("region", "add", "http://u:s3cret@a.example/", "http://b.example/")
    #expect(
      result
        == .init(
          status: 64, out: "",
          err:
            "newsimport: http://u@a.example/: an address instead of the name of a region: newsimport region add NAME URL\n"
        ))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }

  @Test func `an argument that is not valid text is refused`() async throws {
    let result = try await Command.run(
      "bash",
      [
        "-c",
        "exec '\(Command.builtProducts)/newsimport' region add $'bad\\xff' http://a.example/ --store '\(newsimport.store)'",
      ])
    #expect(result.status == 64 && result.out == "")
    #expect(result.err.hasPrefix("newsimport: argument 3 is not valid UTF-8"))
  }

  @Test(arguments: [("e\u{301}te\u{301}", "\u{E9}t\u{E9}"), ("\u{E9}t\u{E9}", "e\u{301}te\u{301}")])
  func `a region is the same however its letters are composed`(made: String, named: String) async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", made, server.url("/a"))
    #expect(try await newsimport("region", "add", named, server.url("/a")).out.contains("1 already there"))
    #expect(try await newsimport("fetch", named, "-q").status == 0)
    for command in ["list", "stats", "doctor", "export"] {
      #expect(try await newsimport(command, named).status == 0, "\(command)")
    }
    #expect(try await newsimport("search", "a", "--region", named).status != 66)
    #expect(try await newsimport("mark", "read", "--region", named).out.contains("1 article"))
    let names = try await newsimport("sql", "--format", "tsv", "SELECT name FROM regions").out
    #expect(Array(names.utf8) == Array("name\n\u{E9}t\u{E9}\n".utf8))
    #expect(try await newsimport("region", "rename", named, made).status == 0)
    #expect(try await newsimport("region", "remove", made, "--yes").status == 0)
  }

  @Test func `the feeds of a region are shown with their last answers`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/good" ? .ok(TestFeed.rss(count: 1)) : .status(500)
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/good"), server.url("/bad"))
    let before = try await newsimport("feed", "list", "world")
    #expect(before.out.components(separatedBy: "never polled").count == 3 && before.status == 0)
    _ = try await newsimport("fetch", "world", "-q")
    let lines = try await newsimport("feed", "list", "world").out.split(separator: "\n")
    #expect(lines.first?.hasPrefix("  updated   20") == true && lines.first?.hasSuffix("/good") == true)
    #expect(
      lines.last?.hasPrefix("  failed    20") == true
        && lines.last?.hasSuffix("/bad    HTTP 500 (server error)") == true)
    let json = try await newsimport("feed", "list", "world", "--json").out.split(separator: "\n")
    let bad = try JSONSerialization.jsonObject(with: Data((json.last ?? "").utf8)) as? [String: Any]
    #expect(bad?["status"] as? Int == 500 && bad?["failures"] as? Int == 1 && bad?["gone"] as? Bool == false)
  }

  @Test func `titles are cut on a terminal but not in a pipe`() async throws {
    let title = String(repeating: "A long title ", count: 5) + "ends"
    let server = try LoopbackHTTPServer { _ in
      .ok(
        "<rss version=\"2.0\"><channel><title>\(title)</title><item><title>x</title></item></channel></rss>")
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/good"), "http://127.0.0.1:1/")
    _ = try await newsimport("fetch", "world", "-q")
    let failed = try await newsimport(
      "sql", "--json", "SELECT last_error FROM feeds WHERE last_error IS NOT NULL"
    ).out
    let reason = try #require(failed.dropFirst("{\"last_error\":\"".count).split(separator: "\"").first)
    #expect(reason.count > 40)
    let shown = try await newsimport("feed", "list", "world").out
    #expect(shown.contains("  \(title)  ") && shown.contains("  \(reason)\n"))
    #expect(try await newsimport("list", "world").out.contains("  \(title)  x  1\n"))
    for words in [["feed", "list", "world"], ["list", "world"]] {
      let onTerminal = try await newsimport.run(words, on: try Terminal(columns: 200)).out
      #expect(onTerminal.contains("A long title") && !onTerminal.contains(title))
    }
    let onTerminal = try await newsimport.run(["feed", "list", "world"], on: try Terminal(columns: 80)).out
    #expect(onTerminal.split { $0.isWhitespace }.joined(separator: " ").contains(reason))
  }

  @Test func `a renamed region keeps its feeds`() async throws {
    _ = try await newsimport("region", "add", "wrld", "https://a.example/")
    let result = try await newsimport("region", "rename", "wrld", "world")
    #expect(result == .init(status: 0, out: "renamed  wrld -> world\n", err: ""))
    #expect(try await newsimport("region", "list").out == "world   1 feed\n")
  }

  @Test func `a renamed region that the configuration names is reported`() async throws {
    let path = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[region.wrld]\non_new = [\"true\"]\n[query.a]\nregions = [\"wrld\"]\n[query.b]\nregions = [\"tech\"]\n"
        .utf8)
    _ = try await newsimport("region", "add", "wrld", "https://a.example/")
    let result = try await newsimport("region", "rename", "wrld", "world")
    #expect(
      result
        == .init(
          status: 0, out: "renamed  wrld -> world\n",
          err:
            "newsimport: the configuration still names wrld: [region.wrld], [query.a]; change the name in \(path), too\n"
        ))
    #expect(try await newsimport("region", "rename", "world", "welt").err == "")
  }

  @Test func `the removal of a region reports feeds that are in no region now, with a way back`() async throws
  {
    _ = try await newsimport("region", "add", "a", "https://a.example/", "https://b.example/")
    _ = try await newsimport("region", "add", "b", "https://b.example/")
    #expect(
      try await newsimport("region", "remove", "a", "--yes").out == """
        removed  region a; 1 of its 2 feeds is in no other region, and no longer fetched.   \
        Next: newsimport region add REGION URL brings it back, newsimport feed remove URL deletes it

        """)
    let words = """
      in no region, so it is not fetched; newsimport region add REGION https://a.example/ brings it back, \
      newsimport feed remove https://a.example/ deletes it
      """
    let found = try await newsimport("doctor")
    #expect(found.out == "unassigned   https://a.example/   \(words)\n" && found.status == 0)
    #expect(found.err == "1 finding: 1 unassigned\n")
    #expect(
      try await newsimport("doctor", "--json").out
        == #"{"feed":"https://a.example/","finding":"unassigned","cause":"\#(words)","feed_title":null,"regions":[]}"#
        + "\n")
    #expect(try await newsimport("doctor", "b").out == "")
    #expect(
      try await newsimport("region", "remove", "b", "--yes").out.contains(
        "; its 1 feed is kept, but no longer fetched.   Next:"))
    for command in ["region list", "stats"] {
      let none = try await newsimport.run(command.split(separator: " ").map(String.init))
      #expect(none.status == 0 && none.out == "")
      #expect(
        none.err
          == "no regions: 2 feeds are in no region.   Next: newsimport doctor lists them\n"
      )
    }
    _ = try await newsimport("region", "add", "c", "https://a.example/")
    #expect(try await newsimport("doctor").err == "1 finding: 1 unassigned\n")
  }

  @Test func `feeds in other regions stay there when a region is removed`() async throws {
    _ = try await newsimport("region", "add", "a", "https://a.example/")
    _ = try await newsimport("region", "add", "b", "https://a.example/")
    #expect(
      try await newsimport("region", "remove", "a", "--yes").out
        == "removed  region a; its feeds are in other regions\n")
  }

  @Test func `region 2 is listed before region 10`() async throws {
    for name in ["region 10", "region 2"] {
      _ = try await newsimport("region", "add", name, "https://a.example/")
    }
    let list = try await newsimport("region", "list").out
    #expect(list == "region 2    1 feed\nregion 10   1 feed\n")
    let stats = try await newsimport("stats").out.split(separator: "\n").filter { $0.hasPrefix("region ") }
    #expect(stats.suffix(2).map { $0.prefix(9).trimmingPrefix("region ").prefix(2) } == ["2 ", "10"])
    let feeds = try await newsimport("feed", "list", "--json").out
    #expect(feeds.contains(#""regions":["region 2","region 10"]"#))
  }

  @Test func `an existing, unknown or invalid name changes nothing`() async throws {
    _ = try await newsimport("region", "add", "a", "https://a.example/")
    _ = try await newsimport("region", "add", "b", "https://b.example/")
    let taken = try await newsimport("region", "rename", "a", "b")
    #expect(taken.status == 64 && taken.err.hasPrefix("newsimport: b: a region of this name exists"))
    let missing = try await newsimport("region", "rename", "c", "d")
    #expect(missing.status == 66 && missing.err == "newsimport: c: no such region; the regions are a, b\n")
    #expect(try await newsimport("region", "rename", "a", "\u{1B}[2J").status == 64)
    #expect(try await newsimport("region", "list").out == "a   1 feed\nb   1 feed\n")
  }
}
