import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing
import Threading

/// The upgrade of a store that version 0.1.0 wrote with model version 7: `Fixtures/stores/version-7.sql` is a dump of one.
///
/// Its feed `/undated` lists u3, u2, u1 without dates, `/dated` d3, d2, d1 and one article of 2090; a third feed has a title
/// from a list and was never fetched.
@Suite struct StoreUpgradeTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func load(feedsAt base: String = "http://127.0.0.1:9") throws {
    let file = Repository.fixtures.appending(path: "stores/version-7.sql")
    let dump = try String(contentsOf: file, encoding: .utf8)
    try DatabaseQueue(path: newsimport.store).inDatabase { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: dump.replacing("http://127.0.0.1:9", with: base))
    }
  }

  private func guids(_ arguments: String...) async throws -> [String] {
    let result = try await newsimport.run(["list", "world", "--fields", "guid"] + arguments)
    return result.out.split(separator: "\n").map(String.init)
  }

  @Test func `articles without dates are listed in the order of their document`() async throws {
    try load()
    let listed = try await guids()
    #expect(listed.filter { $0 != "future" } == ["u3", "u2", "u1", "d3", "d2", "d1"])
    _ = try await newsimport("prune", "--keep-last", "1", "--yes")
    // In the feed with dates the article dated in the future counts as the newest.
    #expect(try await Set(guids()) == ["u3", "future"])
  }

  @Test func `an article with a far future date is listed by its import date`() async throws {
    try load()
    #expect(try await guids("--since", "2026-11-23") == [])
    #expect(try await guids("--since", "2026-11-22").count == 4)
  }

  @Test func `a title from a list of feeds is the user's title`() async throws {
    try load()
    let page = try await newsimport("opml", "export")
    #expect(page.out.contains("text=\"My own title\""))
  }

  @Test func `a failure that an earlier version stored as a sentence is still shown`() async throws {
    try load()
    try await DatabaseQueue(path: newsimport.store).write {
      try $0.execute(
        sql:
          "UPDATE feed SET last_outcome = 'failed', failures = 2, last_error = 'HTTP 404 {number}' WHERE url LIKE '%/dated'"
      )
    }
    #expect(try await newsimport("explain", "/dated").out.contains("error       HTTP 404 {number}\n"))
    let view = try await newsimport("sql", "SELECT last_error FROM feeds WHERE failures = 2")
    #expect(view.out.contains("HTTP 404 {number}"))
  }

  private static func item(_ guid: String, _ title: String, _ rest: String) -> String {
    "<item><guid isPermaLink='false'>\(guid)</guid><link>https://a.example/\(guid)</link><title>\(title)</title>"
      + "\(rest)<description>About \(title)</description>"
  }

  private static func dated(picture: String) -> String {
    let items = [3, 2, 1].map { number in
      item("d\(number)", "Dated \(number)", "<pubDate>\(number) Feb 2026 10:00:00 GMT</pubDate>")
        + "<media:thumbnail url='https://a.example/\(picture)'/>"
        + "<enclosure url='https://a.example/1.mp3' length='1' type='audio/mpeg'/></item>"
    }
    return
      "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>T</title><!-- again -->"
      + items.joined() + "</channel></rss>"
  }

  @Test func `at the first fetch equal articles are not edits, and another picture is one`() async throws {
    let picture = Locked("t.png")
    let server = try LoopbackHTTPServer { request in
      request.path == "/dated"
        ? .ok(Self.dated(picture: picture.withLock { $0 })) : .status(304, "Not Modified")
    }
    defer { server.stop() }
    try load(feedsAt: server.url(""))
    for (file, edits) in [("t.png", 0), ("t.png", 0), ("u.png", 3), ("u.png", 3)] {
      picture.withLock { $0 = file }
      _ = try await newsimport("fetch", "world", "-q")
      let rows = try DatabaseQueue(path: newsimport.store).read {
        try Row.fetchAll($0, sql: "SELECT edits, image FROM articles WHERE guid IN ('d1', 'd2', 'd3')")
      }
      #expect(rows.map { $0["edits"] as Int }.reduce(0, +) == edits)
      #expect(
        rows.map { $0["image"] as String? } == [String](repeating: "https://a.example/\(file)", count: 3))
    }
  }
}
