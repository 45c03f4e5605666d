import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// The order in which articles are listed, exported and kept.
@Suite struct ListOrderTests {
  private let newsimport: CommandRun
  private let document = Locked("")
  private let server: LoopbackHTTPServer

  init() throws {
    newsimport = try CommandRun()
    let document = document
    server = try LoopbackHTTPServer { _ in .ok(document.withLock { $0 }) }
  }

  private func fetch(_ items: [(guid: String, date: String?)]) async throws {
    let texts = items.map { item in
      "<item><guid isPermaLink='false'>\(item.guid)</guid><title>\(item.guid)</title>"
        + (item.date.map { "<pubDate>\($0)</pubDate>" } ?? "") + "</item>"
    }
    document.withLock {
      $0 = "<rss version='2.0'><channel><title>T</title>\(texts.joined())</channel></rss>"
    }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func guids(_ arguments: String...) async throws -> [String] {
    let result = try await newsimport.run(["list", "world", "--fields", "guid"] + arguments)
    return result.out.split(separator: "\n").map(String.init)
  }

  @Test(arguments: [nil, "2026-03-01"])
  func `articles of one date are listed in document order, the latest document first`(date: String?)
    async throws
  {
    defer { server.stop() }
    try await fetch(["c", "b", "a"].map { ($0, date) })
    try await fetch(["e", "d", "c", "b"].map { ($0, date) })
    #expect(try await guids() == ["e", "d", "c", "b", "a"])
    #expect(try await guids("--limit", "2") == ["e", "d"])
    let export = try await newsimport("export", "world", "--format", "rss").out
    let titles = export.matches(of: #/<title>(.)<\/title>/#).map { String($0.output.1) }
    #expect(titles.filter { $0 != "T" } == ["e", "d", "c", "b", "a"])
    _ = try await newsimport("prune", "--keep-last", "2", "--yes")
    #expect(try await guids() == ["e", "d"])
  }

  @Test func `the dates of a document can show that its oldest article comes first`() async throws {
    defer { server.stop() }
    try await fetch([("a", nil), ("x", "2026-03-01"), ("y", "2026-03-02"), ("b", nil), ("c", nil)])
    #expect(try await guids() == ["c", "b", "a", "y", "x"])
  }

  @Test func `an article with a future date is listed by its import date until then`() async throws {
    defer { server.stop() }
    try await fetch([("early", "1 Jan 2090 10:00:00 GMT"), ("old", "1 Jan 2020 10:00:00 GMT")])
    // Both fetches may be in one second.
    try newsimport.execute("UPDATE article SET imported = imported - 60 WHERE guid = 'early'")
    try await fetch([("undated", nil), ("old", "1 Jan 2020 10:00:00 GMT")])
    #expect(try await guids() == ["undated", "early", "old"])
    #expect(try await guids("--since", "1d") == ["undated", "early"])
    #expect(try await guids("--limit", "2") == ["undated", "early"])
    #expect(try await guids("--since", "2090-01-01") == [])
    let page = try await newsimport("list", "world")
    #expect(!page.out.contains("2090"))
    _ = try await newsimport("prune", "--keep", "30d", "--yes")
    #expect(try await guids() == ["undated", "early"])
  }

  @Test func `articles of attached stores keep their order among the others`() async throws {
    defer { server.stop() }
    try await fetch([("b", nil), ("a", nil)])
    let other = newsimport.store + ".other"
    _ = try await newsimport("store", "backup", other)
    try FileManager.default.removeItem(atPath: newsimport.store)
    try await fetch([("d", "2020-01-01"), ("c", "2020-01-01")])
    _ = try await newsimport("store", "attach", other, "--name", "other")
    #expect(try await guids() == ["b", "a", "d", "c"])
    #expect(try await guids("--limit", "3") == ["b", "a", "d"])
  }
}
