import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Fields that a server writes anew for each fetch.
@Suite struct VolatileFieldTests {
  private let feed: EditedFeed

  init() throws {
    feed = try EditedFeed()
  }

  private typealias Article = EditedFeed.Article

  private static func counted(_ number: Int, title: String = "Storm") -> Article {
    Article(title: title, summary: "<p>Read \(number) times.</p>")
  }

  /// Names a field as volatile, in the table of the feed or of its region.
  private func configure(_ table: String, _ names: String = "\"content_html\"") throws {
    _ = try feed.newsimport.folder.write(
      ".config/newsimport/config.toml", "\(table)\nvolatile = [\(names)]\n".utf8)
  }

  private func values() async throws -> String {
    try await feed.newsimport(
      "sql",
      "SELECT title, content_html, edits, last_change, (SELECT count(*) FROM versions) AS versions FROM articles",
      "--json"
    ).out
  }

  @Test func `doctor reports a feed in which a field changed in the last five changes`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch((1...5).map { Self.counted($0) })
    #expect(try await feed.newsimport("doctor").err == "no findings: all feeds are well\n")
    try await feed.fetch(Self.counted(6))
    let found = try await feed.newsimport("doctor")
    let url = feed.server.url("/feed")
    #expect(
      found
        == .init(
          status: 0,
          out:
            "volatile   \(url)   content_html of an article changed in 5 answers in a row; volatile = [\"content_html\"] in its "
            + "[[feed]] table of the configuration makes such changes no edits\n",
          err: "1 finding: 1 volatile\n"))
    #expect(
      try await feed.newsimport("doctor", "--json").out.hasPrefix(
        #"{"feed":"\#(url)","finding":"volatile","cause":"#))
    try configure("[[feed]]\nurl = \"\(url)\"")
    #expect(try await feed.newsimport("doctor").err == "no findings: all feeds are well\n")
  }

  @Test func `edits with unchanged answers in between all have versions`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch((1...9).flatMap { [Self.counted($0), Self.counted($0)] })
    #expect(try await values().hasSuffix(#""versions":8}\#n"#))
    #expect(try await feed.newsimport("doctor").err == "no findings: all feeds are well\n")
  }

  @Test func `an answer that changes nothing ends the row of a volatile field`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch((1...8).map { Self.counted($0) })
    #expect(try await values().hasSuffix(#""versions":5}\#n"#))
    try await feed.fetch([Self.counted(8), Self.counted(9), Self.counted(10)])
    #expect(try await values().hasSuffix(#""versions":7}\#n"#))
  }

  @Test func `changes of a volatile field alone are saved, are no edits, and make one version`() async throws
  {
    defer { feed.server.stop() }
    try configure("[region.world]")
    try await feed.fetch((1...4).map { Self.counted($0) })
    #expect(
      try await values()
        == #"{"title":"Storm","content_html":"<p>Read 4 times.</p>","edits":0,"last_change":"[\"volatile\"]","versions":1}"#
        + "\n")
    #expect(try await feed.newsimport("list", "--edited").out.isEmpty)
    #expect(try await feed.newsimport("show", "1", "--version", "1").out.hasSuffix("Read 1 times.\n"))
  }

  @Test func `a change of another field beside a volatile one is an edit`() async throws {
    defer { feed.server.stop() }
    try configure("[region.world]")
    try await feed.fetch([Self.counted(1), Self.counted(2, title: "Gale")])
    #expect(
      try await values()
        == #"{"title":"Gale","content_html":"<p>Read 2 times.</p>","edits":1,"last_change":"[\"words\",\"volatile\"]","versions":1}"#
        + "\n")
  }

  @Test func `an address that changes with each fetch is reported, and can be named`() async throws {
    defer { feed.server.stop() }
    let article = { (session: Int) in
      Article(media: "<link>https://daily.example/vote?session=\(session)</link>")
    }
    let values = {
      try await feed.newsimport("sql", "SELECT url, edits, last_change FROM articles", "--json").out
    }
    try await feed.fetch((1...6).map(article))
    #expect(
      try await feed.newsimport("doctor").out.contains("   url of an article changed in 5 answers in a row;"))
    #expect(
      try await values()
        == #"{"url":"https://daily.example/vote?session=6","edits":5,"last_change":"[\"link\"]"}"# + "\n")
    try configure("[region.world]", "\"url\"")
    #expect(try await feed.newsimport("doctor").err == "no findings: all feeds are well\n")
    try await feed.fetch(article(7))
    #expect(
      try await values()
        == #"{"url":"https://daily.example/vote?session=7","edits":5,"last_change":"[\"volatile\"]"}"# + "\n")
  }

  @Test func `files are imported with the same setting`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch(Self.counted(1))
    try configure("[region.world]")
    let item = "<item><guid isPermaLink=\"false\">a</guid><title>Storm</title><category>politics</category>"
    let date = "<pubDate>Wed, 03 Feb 2010 17:23:16 GMT</pubDate>"
    let text = "<description>&lt;p>Read 2 times.&lt;/p></description></item>"
    let file = try feed.newsimport.folder.write(
      "feed.xml",
      "<rss version=\"2.0\"><channel><title>The Daily</title>\(item)\(date)\(text)</channel></rss>".utf8)
    let imported = try await feed.newsimport("import", file, "--feed", feed.server.url("/feed"))
    #expect(imported.status == 0)
    #expect(try await values().contains(#""edits":0,"last_change":"[\"volatile\"]""#))
  }

  @Test func `an unknown field is refused with the one that may be meant`() async throws {
    defer { feed.server.stop() }
    try configure("[region.world]", "\"sumary\"")
    let check = try await feed.newsimport("config", "check")
    #expect(check.status == 78)
    #expect(check.err.contains("'sumary' is not a field that can be volatile; did you mean summary?"))
    try configure("[region.world]", "\"summary\", \"tags\"")
    #expect(
      try await feed.newsimport("config", "check").out
        .contains(#/region world +volatile summary, tags/#))
  }

  @Test func `watch prints no change of a volatile field alone`() async throws {
    defer { feed.server.stop() }
    try configure("[region.world]")
    try await feed.fetch(Self.counted(0, title: "T0"))
    let output = feed.newsimport.folder.file("out")
    let lines = { @Sendable in
      (try? String(contentsOfFile: output, encoding: .utf8))?.split(separator: "\n") ?? []
    }
    let watched = try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport watch --json --all-changes > \(output)"],
      environment: [
        "NEWSIMPORT_STORE": feed.newsimport.store, "HOME": feed.newsimport.folder.path, "TZ": "UTC",
      ]
    ) { signal in
      var number = 0
      try await until("edits that watch prints", { lines().count >= 2 }) {
        number += 1
        try await feed.fetch(Self.counted(number, title: "T\(number - 1)"))
        try await feed.fetch(Self.counted(number, title: "T\(number)"))
      }
      signal(SIGINT)
    }
    #expect(watched.status == 130)
    #expect(lines().allSatisfy { $0.hasPrefix(#"{"event":"edited","id":1,"#) })
  }
}
