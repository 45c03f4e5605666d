import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ExplainArticleTests {
  private let feed: EditedFeed

  init() throws {
    feed = try EditedFeed()
  }

  private typealias Article = EditedFeed.Article

  private func explain(_ id: String) async throws -> [String] {
    let result = try await feed.newsimport("explain", id)
    #expect(result.status == 0 && result.err.isEmpty)
    return EditedFeed.settled(result.out).split(separator: "\n").map(String.init)
  }

  @Test func `an article states its answer, its place in lists and its versions`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([
      Article(), Article(title: "Two"), Article(title: "Two", summary: "<i>The vote is tonight.</i>"),
      Article(title: "Two", summary: "<b>The vote is tonight.</b>"),
    ])
    _ = try await feed.newsimport("mark", "starred", "1")
    let lines = try await explain("1")
    #expect(lines[0] == "article     1  Two")
    #expect(lines[1] == "feed        \(feed.server.url("/feed"))")
    #expect(lines[2] == "regions     world")
    #expect(
      lines[3].wholeMatch(
        of: #/imported    NOW, from the answer that ended NOW: HTTP 200, 1 new article, \d+ bytes/#) != nil)
    #expect(lines[4] == "last seen   NOW, when it changed; unchanged articles are not noted")
    #expect(
      lines[5].hasPrefix(
        "place       by 2010-02-03 17:23, the date of its publication; among articles of one date, by its sequence "
      ))
    #expect(
      Array(lines[6...]) == [
        "marks       starred",
        "versions    3, 1 more change merged; newsimport diff 1 compares them",
        "  1   NOW to NOW   then words              title",
        "  2   NOW to NOW   then markup, 1 merged   content_html",
        "  3   NOW until now",
      ])
  }

  @Test func `JSON has the same facts`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Two")])
    let json = try await feed.newsimport("explain", "1", "--json").out
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(object["id"] as? Int == 1 && object["title"] as? String == "Two")
    #expect(object["regions"] as? [String] == ["world"] && object["store"] is NSNull)
    let response = object["response"] as? [String: Any]
    #expect(response?["status"] as? Int == 200 && response?["new"] as? Int == 1)
    let versions = object["versions"] as? [[String: Any]] ?? []
    #expect(versions.map { $0["version"] as? Int } == [1, 2])
    #expect(versions[0]["kind"] as? [String] == ["words"] && versions[0]["changed"] as? [String] == ["title"])
    #expect(versions[1]["replaced"] is NSNull)
    #expect((object["order"] as? [String: Any])?["by"] as? String == "published")
    #expect(object["volatile"] as? [String] == [])
  }

  @Test func `a field that changes each time is named as volatile`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch((0..<8).map { Article(summary: "<p>Read \($0) times.</p>") })
    let lines = try await explain("1")
    #expect(
      lines.contains(
        "volatile    content_html: changed in each of 5 answers in a row; at most one version a day is kept"))
    #expect(
      lines.contains("versions    6, 2 more changes merged; newsimport diff 1 compares them"))
  }

  @Test func `an article with a date in the future states where lists have it until then`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch(Article(date: "Wed, 03 Feb 2100 17:23:16 GMT"))
    let place = try await explain("1").first { $0.hasPrefix("place") }
    #expect(
      place?.contains(
        "the date of its publication; that is in the future, so lists have it at NOW, the date of its import")
        == true)
  }

  @Test func `an answer that the log no longer has is said to be gone`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    let copies = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
      INSERT INTO "fetch" (version, feed_id, slot, date, outcome, inserted, edited, bytes)
      SELECT 1, feed_id, i, date + i, outcome, 0, 0, 0 FROM "fetch", n;
      UPDATE article SET imported = imported - 100000;
      """
    try feed.newsimport.execute(copies)
    let imported = try await explain("1").first { $0.hasPrefix("imported") }
    #expect(
      imported == "imported    NOW, from an answer that the log no longer has: it keeps 30 of each feed")
  }

  @Test func `an article from a file and one of an attached store say so`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    let copy = feed.newsimport.folder.file("copy.db")
    _ = try await feed.newsimport("store", "backup", copy)
    _ = try await feed.newsimport("store", "attach", copy, "--name", "old")
    let lines = try await explain("old:1")
    #expect(lines[0] == "article     old:1  Budget : vote prévu ce soir")
    #expect(lines[3].hasPrefix("store       old, /"))
    let file = try feed.newsimport.folder.write(
      "feed.xml", "<rss><channel><title>F</title><item><title>From a file</title></item></channel></rss>".utf8
    )
    #expect(try await feed.newsimport("import", file).status == 0)
    #expect(
      try await explain("2").first { $0.hasPrefix("imported") }
        == "imported    NOW, from a file (newsimport import)")
  }

  @Test func `an archived article names the answer that had it, which the main store knows`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    let file = feed.newsimport.folder.file("old.db")
    #expect(try await feed.newsimport("archive", "--before", "2023-01-01", "--to", file).status == 0)
    let imported = try await explain("old:1").first { $0.hasPrefix("imported") }
    #expect(
      imported?.hasPrefix("imported    NOW, from the answer that ended NOW: HTTP 200, ") == true,
      "\(imported ?? "-")")
    try feed.newsimport.execute(#"DELETE FROM "fetch""#)
    #expect(
      try await explain("old:1").first { $0.hasPrefix("imported") }
        == "imported    NOW, from an answer that the log of this store does not have")
  }

  @Test func `a number of no article is refused, and a host with a port is a feed`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    // The feed's address has the numbers 127 and 0.
    for number in ["127", "0", "99999999999999999999"] {
      #expect(
        try await feed.newsimport("explain", number)
          == .init(
            status: 66, out: "",
            err: "newsimport: \(number): no such article; newsimport list shows their numbers\n"))
    }
    #expect(
      try await feed.newsimport("explain", "old:1")
        == .init(
          status: 66, out: "",
          err: "newsimport: old: no such attached store; newsimport store list shows them\n"))
    let host = feed.server.url("/feed").dropFirst("http://".count).prefix { $0 != "/" }
    #expect(
      try await feed.newsimport("explain", String(host)).out.hasPrefix("feed        http://\(host)/feed\n"))
  }
}
