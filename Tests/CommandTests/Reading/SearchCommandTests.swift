import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct SearchCommandTests {
  private let newsimport: CommandRun
  private var index: String { newsimport.store + ".search" }

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    try await fetch(feed, into: "world", newsimport)
    try await fetch(
      "<rss version=\"2.0\"><channel><title>Tech</title><item><guid>t</guid><title>Storm in C++</title></item></channel></rss>",
      into: "tech", newsimport)
  }

  private static func fetch(
    _ feed: String, into region: String, _ newsimport: CommandRun
  ) async throws {
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", region, server.url("/feed"))
    #expect(try await newsimport("fetch", region, "-q").status == 0)
  }

  private static let feed = """
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>The Daily</title>
    <item><guid>one</guid><title>Storm closes Channel ports</title><link>https://example.org/1</link>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><dc:creator>Ann Sailor</dc:creator><category>weather</category>
    <description>&lt;p>All &lt;b>ferries&lt;/b> stay in the ports &amp;amp; wait &#27;[31m.&lt;/p>&lt;script>secret()&lt;/script></description></item>
    <item><guid>two</guid><title>Ferry fares rise</title><pubDate>Thu, 04 Feb 2010 08:00:00 +0000</pubDate>
    <description>The storm is over.</description></item>
    </channel></rss>
    """

  private func guids(_ arguments: String...) async throws -> [String] {
    let result = try await newsimport.run(["search", "--fields", "guid"] + arguments)
    #expect(result.status == 0 && result.err.isEmpty)
    return result.out.split(separator: "\n").map(String.init)
  }

  @Test func `articles are found by words, phrases, prefixes and alternatives`() async throws {
    #expect(try await guids("channel", "ports") == ["one"])
    #expect(try await guids("\"closes channel\"") == ["one"])
    #expect(try await guids("\"channel closes\"") == [])
    #expect(Set(try await guids("ferr*")) == ["one", "two"])
    #expect(Set(try await guids("fares OR c++")) == ["two", "t"])
    #expect(Set(try await guids("storm -ports")) == ["two", "t"])
    #expect(Set(try await guids("title:storm")) == ["one", "t"])
    #expect(try await guids("author:ann") == ["one"])
    #expect(try await guids("tag:weather") == ["one"])
    #expect(try await guids("secret") == [])
    #expect(try await guids("b") == [])
    #expect(try await guids("C++") == ["t"])
  }

  @Test func `a region, dates and a limit bound the results`() async throws {
    #expect(try await guids("storm", "--region", "tech") == ["t"])
    #expect(try await guids("storm", "--region", "world", "--since", "2010-02-04") == ["two"])
    #expect(try await guids("storm", "--until", "2010-02-04") == ["one"])
    let never = try await newsimport("search", "storm", "--since", "2010-02-04", "--until", "2010-02-04")
    #expect(never.status == 64 && never.err.hasPrefix("newsimport: --until is not later than --since: "))
    #expect(try await guids("storm", "--limit", "1").count == 1)
  }

  @Test func `the better match comes first, with the text around the hits`() async throws {
    let result = try await newsimport("search", "ports")
    #expect(
      result
        == .init(
          status: 0,
          out: "  2010-02-03 17:23  The Daily             Storm closes Channel ports  1\n"
            + "                    All ferries stay in the «ports» & wait \u{FFFD}[31m.\n", err: ""))
    #expect(try await guids("ferry OR ferries").first == "two")
  }

  @Test func `JSON contains the text around the hits, or the title with the hits`() async throws {
    let line = try await newsimport("search", "ports", "--json").out
    #expect(line.hasSuffix(",\"snippet\":\"All ferries stay in the «ports» & wait \u{FFFD}[31m.\"}\n"))
    #expect(
      try await newsimport("search", "fares", "--fields", "snippet").out == "Ferry «fares» rise\n")
    let feed = try await newsimport("search", "fares", "--format", "jsonfeed")
    #expect(feed.out.contains("\"title\":\"fares\"") && feed.out.contains("/feed#two\""))
  }

  @Test func `an error in the query is reported, and so is an empty result`() async throws {
    let mistake = try await newsimport("search", "\"storm")
    #expect(mistake.status == 64 && mistake.out.isEmpty)
    #expect(mistake.err.hasPrefix("newsimport: search: a quotation mark is not closed; "))
    let none = try await newsimport("search", "nothing")
    #expect(none.status == 0 && none.out.isEmpty)
    #expect(none.err == "no articles.   Try other words, fewer of them, or a part of one: *boat*\n")
    #expect(try await newsimport("search", "nothing", "--json") == .init(status: 0, out: "", err: ""))
    #expect(try await newsimport("search").status == 64)
    let region = try await newsimport("search", "storm", "--region", "wrld")
    #expect(region.status == 66 && region.err == "newsimport: wrld: no such region; did you mean world?\n")
    let store = try await newsimport("search", "storm", "--store", "/none/news.sqlite")
    #expect(store.status == 66)
  }

  @Test func `a search in a store without articles reports what to do first`() async throws {
    let empty = try CommandRun()
    _ = try await empty("region", "add", "world", "https://a.example/")
    #expect(
      try await empty("search", "storm")
        == .init(
          status: 0, out: "",
          err: "no articles.   Nothing was fetched yet.   Next: newsimport fetch --all\n"))
  }

  @Test(arguments: [
    (["channel", "fares"], "Try other words, fewer of them, or a part of one: *boat*"),
    (["storm", "world"], "world is a region, and was searched as a word; did you mean --region world?"),
    (["fares", "--region", "tech"], "Others have these words: leave out --region"),
    (
      ["storm", "--since", "2010-03-01", "--until", "2010-04-01"],
      "Others have these words: leave out --since, --until"
    ),
    (["storm", "@World"], "world is a region, and was searched as a word; did you mean --region world?"),
  ])
  func `without hits, a line says what would find more`(arguments: [String], hint: String) async throws {
    let result = try await newsimport.run(["search"] + arguments)
    #expect(result == .init(status: 0, out: "", err: "no articles.   \(hint)\n"))
  }

  @Test func `a region that was searched as a word is reported to programs, too`() async throws {
    #expect(
      try await newsimport("search", "storm", "world", "--json").err.contains("did you mean --region world?"))
    #expect(try await newsimport("search", "stormy", "--json").err.isEmpty)
  }

  @Test func `articles are found by parts of words`() async throws {
    #expect(try await guids("*torm*", "--limit", "1").count == 1)
    #expect(Set(try await guids("*torm*")) == ["one", "two", "t"])
    #expect(Set(try await guids("*err*")) == ["one", "two"])
    #expect(try await guids("*erries") == ["one"])
    #expect(try await guids("*torm-clos*") == ["one"])
    #expect(try await guids("*torm-close") == [])
    #expect(try await guids("*err* -*ares*") == ["one"])
    #expect(try await guids("title:*ORT*") == ["one"])
    #expect(try await guids("tag:*eath*", "OR", "author:*AILO*") == ["one"])
    #expect(try await guids("*nowhere*") == [])
    #expect(
      try await newsimport("search", "*erri*", "--fields", "snippet").out
        == "All «ferries» stay in the ports & wait \u{FFFD}[31m.\n")
  }

  @Test func `a query without letters is reported as such`() async throws {
    #expect(
      try await newsimport("search", "—")
        == .init(
          status: 64, out: "",
          err: "newsimport: search: the query contains no letters or digits; "
            + "see newsimport search --help\n"))
  }

  @Test func `the text around the hits is not repeated`() async throws {
    let item = { (guid: String, summary: String) in
      "<item><guid>\(guid)</guid><title>T</title><description>\(summary)</description>"
        + "<content:encoded>&lt;p>Whales sing.&lt;/p> &lt;p>They do.&lt;/p></content:encoded></item>"
    }
    try await Self.fetch(
      "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><channel><title>S</title>"
        + item("same", "Whales sing. They do.") + item("begin", "Whales sing.") + item("other", "Big whales.")
        + "</channel></rss>", into: "sea", newsimport)
    let result = try await newsimport("search", "whales", "--fields", "guid,snippet").out
    #expect(
      Set(result.split(separator: "\n")) == [
        "same\t«Whales» sing. They do.", "begin\t«Whales» sing. They do.",
        "other\tBig «whales». «Whales» sing. They do.",
      ])
  }

  @Test func `edited articles are found by their current text`() async throws {
    #expect(try await guids("fares") == ["two"])
    let server = try LoopbackHTTPServer { _ in
      .ok(Self.feed.replacing("Ferry fares rise", with: "Ferry prices fall"))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "later", server.url("/feed"))
    _ = try await newsimport("fetch", "later", "-q")
    #expect(try await guids("prices") == ["two"])
  }

  @Test func `the index is a file beside the store that may be deleted`() async throws {
    let made = try await newsimport("store", "index")
    #expect(made.status == 0 && made.out.hasPrefix("indexed  \(index)  ") && made.err.isEmpty)
    let modes = try [index, newsimport.store].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes[0] == modes[1])
    #expect(try await newsimport("store", "index", "--quiet") == .init(status: 0, out: "", err: ""))
    try FileManager.default.removeItem(atPath: index)
    #expect(try await guids("fares") == ["two"])
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: index))
    #expect(try await guids("fares") == ["two"])
  }

  @Test func `concurrent searches all succeed`() async throws {
    let newsimport = newsimport
    let results = try await withThrowingTaskGroup(of: CommandRun.Result.self) { group in
      for _ in 0..<4 { group.addTask { try await newsimport("search", "storm", "--fields", "guid") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { $0 == results[0] } && results[0].out.split(separator: "\n").count == 3)
  }
}
