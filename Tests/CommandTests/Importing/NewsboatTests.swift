import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand
@testable import OtherPrograms

/// What newsboat keeps of its articles, and what the first fetch after the move makes of it.
@Suite struct NewsboatTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// A row of newsboat's table `rss_item`.
  private struct Row {
    var guid: String
    var title = ""
    var url = ""
    var date = 1_793_527_200
    var content = "text"
    var isUnread = false
    var isDeleted = false
    var flags: String?
    var base = ""
    var enclosure: String?
    var description = ""
    var type = ""
  }

  /// Creates a database as newsboat does.
  private func cache(_ rows: [Row], of feed: String) throws -> String {
    let path = newsimport.folder.file("cache.db")
    let database = try DatabaseQueue(path: path)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE rss_feed (rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL, title VARCHAR(1024) NOT NULL);
          CREATE TABLE rss_item (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid, title, author, url, feedurl, pubDate, content,
            unread, enclosure_url, enclosure_type, enqueued, flags, deleted, base, content_mime_type, enclosure_description,
            enclosure_description_mime_type);
          """)
      try db.execute(
        sql: "INSERT INTO rss_feed VALUES (?, 'https://site.example/', 'Site')", arguments: [feed])
      for row in rows {
        try db.execute(
          sql: """
            INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread, enclosure_url, flags, deleted, base,
              content_mime_type, enclosure_description)
            VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            row.guid, row.title, row.url, feed, row.date, row.content, row.isUnread, row.enclosure, row.flags,
            row.isDeleted, row.base, row.type, row.description,
          ])
      }
    }
    try database.close()
    return path
  }

  private static let date = "Sun, 01 Nov 2026 10:00:00 GMT"

  private struct Items: Sendable, CustomTestStringConvertible {
    let name: String
    let rows: [Row]
    let items: String
    /// The titles after the fetch, with a star at those that are not read.
    let titles: [String]
    var testDescription: String { name }
  }

  private static func item(_ title: String, _ rest: String) -> String {
    "<item><title>\(title)</title><description>text</description>\(rest)</item>"
  }

  private static let cases = [
    Items(
      name: "address and date",
      rows: [
        Row(guid: "https://site.example/1" + date, title: "A", url: "https://site.example/1"),
        Row(
          guid: "https://site.example/2\n " + date, title: "B", url: "https://site.example/2", isDeleted: true
        ),
      ],
      items: item("A", "<link>https://site.example/1</link><pubDate>\(date)</pubDate>")
        + item("B", "<link>https://site.example/2</link><pubDate>\(date)</pubDate>")
        + item("C", "<link>https://site.example/3</link>"),
      titles: ["A", "C*"]),
    Items(
      name: "a relative address, and a date in another form",
      rows: [
        Row(guid: "/1" + date, title: "A", url: "https://site.example/1"),
        Row(guid: "https://site.example/22026-11-01T10:00:00Z", title: "B", url: "https://site.example/2"),
      ],
      items: item("A", "<link>https://site.example/1</link>")
        + item("B", "<link>https://site.example/2</link>"),
      titles: ["A", "B"]),
    Items(
      name: "several articles with one address, of which one is deleted",
      rows: (0..<3).map { day in
        Row(
          guid: "https://site.example/Sun, 0\(day + 1) Nov 2026 10:00:00 GMT", title: "Day \(day)",
          url: "https://site.example/", date: 1_793_527_200 + day * 86_400, isDeleted: day == 1)
      },
      items: (0..<3).map { day in
        item(
          "Day \(day)",
          "<link>https://site.example/</link><pubDate>Sun, 0\(day + 1) Nov 2026 10:00:00 GMT</pubDate>")
      }.joined(),
      titles: ["Day 0", "Day 2"]),
    Items(
      name: "only a title, with a date and without, also deleted",
      rows: [
        Row(guid: "Dated", title: "Dated"), Row(guid: "Undated", title: "Undated", date: 1_793_600_000),
        Row(guid: "Gone", title: "Gone", isDeleted: true),
        Row(guid: "Left", title: "Left", date: 1_793_600_000, isDeleted: true),
      ],
      items: item("Dated", "<pubDate>\(date)</pubDate>") + item("Undated", "")
        + item("Gone", "<pubDate>\(date)</pubDate>") + item("Left", "")
        + item("Dated", "<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate>"),
      titles: ["Dated", "Dated*", "Undated"]),
    Items(
      name: "an id of the publisher's that several items have",
      rows: [Row(guid: "x", title: "A", url: "https://site.example/1")],
      items: item("A", "<guid isPermaLink='false'>x</guid><link>https://site.example/1</link>")
        + item("B", "<guid isPermaLink='false'>x</guid><link>https://site.example/2</link>"),
      titles: ["A", "B*"]),
    Items(
      name: "ids of the publisher's that look like made ones",
      rows: [
        Row(guid: "1 at https://site.example", title: "A", url: "https://site.example/node/1"),
        Row(guid: "https://site.example/2#2026", title: "B", url: "https://site.example/2"),
      ],
      items: item("A", "<guid isPermaLink='false'>1 at https://site.example</guid>")
        + item("B", "<guid>https://site.example/2#2026</guid>"),
      titles: ["A", "B"]),
  ]

  @Test(arguments: cases)
  private func `the first fetch brings back neither read nor deleted articles`(items: Items) async throws {
    let feed = "<rss version='2.0'><channel><title>Site</title>\(items.items)</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    let cache = try cache(items.rows, of: server.url("/feed"))
    #expect(try await newsimport("import", "--from", "newsboat", cache).status == 0)
    for _ in 0..<2 {
      #expect(try await newsimport("fetch", "newsboat").status == 0)
      let lines = try await newsimport("list", "--all", "--copies", "--fields", "title,read").out
      let titles = lines.split(separator: "\n").map { line in
        let parts = line.split(separator: "\t")
        return parts[0] + (parts[1] == "true" ? "" : "*")
      }
      #expect(titles.map(String.init).sorted() == items.titles)
    }
  }

  @Test func `flags are stars, and texts, titles and dates are as newsboat shows them`() async throws {
    let cache = try cache(
      [
        Row(guid: "1", title: "AT&amp;T <b>wins</b>", flags: "sx"),
        Row(
          guid: "2", title: "Old", date: -305_049_299, content: "<a href=\"b\">x</a>",
          base: "https://site.example/a/c"),
        Row(
          guid: "3", title: "Video", content: "", enclosure: "https://site.example/3.mp4",
          description: "a < b"),
        Row(guid: "4", title: "Page", content: "<img src='/i.png'>", description: "The file"),
      ], of: "https://site.example/feed")
    #expect(try await newsimport("import", "--from", "newsboat", cache).status == 0)
    let rows = try await newsimport(
      "sql", "SELECT guid, title, published, content_html, starred, summary FROM articles ORDER BY guid")
    #expect(
      rows.out.hasSuffix(
        """
        \n1\tAT&T wins\t2026-11-01T10:00:00Z\ttext\t1\t
        2\tOld\t1960-05-02T08:05:01Z\t<a href="https://site.example/a/b">x</a>\t0\t
        3\tVideo\t2026-11-01T10:00:00Z\ta &lt; b\t0\t
        4\tPage\t2026-11-01T10:00:00Z\t<img src='https://site.example/i.png'>\t0\tThe file

        """), "\(rows.out)")
  }

  @Test func `a long text is kept in part, with a line about it`() async throws {
    let cache = try cache(
      [
        Row(guid: "1", title: "Long", content: String(repeating: "word ", count: 3_000_000)),
        Row(guid: "2", title: "B"),
      ],
      of: "https://site.example/feed")
    let run = try await newsimport("import", "--from", "newsboat", cache)
    #expect(run.status == 1 && run.out.contains("   2 new."), "\(run)")
    #expect(
      run.err == "newsimport: \(cache): https://site.example/feed: 1 text was too long and is kept in part\n")
  }

  @Test func `a title of the user's stays after a fetch, and the title that a feed has stays, too`()
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let cache = try cache([], of: server.url("/a"))
    _ = try newsimport.folder.write(
      "urls",
      "\(server.url("/a")) x \"~My name\"\n\(server.url("/b")) x \"!Hidden name\"\n\(server.url("/c")) x !\n"
        .utf8)
    let run = try await newsimport("import", "--from", "newsboat", cache)
    #expect(
      run.status == 0 && run.err.contains("2 feeds that newsboat hides (!) are imported as others"), "\(run)")
    _ = try await newsimport("fetch", "x")
    _ = try await newsimport("feed", "rename", "--title", "Mine", "/c")
    _ = try await newsimport("import", "--from", "newsboat", cache)
    let titles = try await newsimport("feed", "list", "--fields", "title").out
    #expect(
      titles.split(separator: "\n").sorted().prefix(3) == ["Hidden name", "Mine", "My name"], "\(titles)")
  }

  @Test(arguments: [
    ("https://a.example/ a # my \"comment\"", ["a"], nil, false),
    ("https://a.example/ \"#a\" b#c\t#d", ["#a", "b#c"], nil, false),
    ("https://a.example/ a \"~T\" b", ["a", "b"], "T", false), ("https://a.example/ !", [], nil, true),
    ("https://a.example/ \"!T\" a", ["a"], "T", true), ("https://a.example/ \"!x\" \"~T\"", [], "T", true),
  ])
  func `the file urls has tags, titles and hidden feeds`(
    line: String, tags: [String], title: String?, isHidden: Bool
  ) {
    let urls = NewsboatURLs(line)
    #expect(urls.tags["https://a.example/"] == tags && urls.titles["https://a.example/"] == title)
    #expect(urls.hidden.isEmpty != isHidden)
  }
}
