import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The names that fields have in the JSON of every command.
@Suite struct FieldNamesTests {
  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  @Test func `an article has the title of its feed and the regions beside the feed's address`() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    for region in ["world", "tech"] { _ = try await newsimport("region", "add", region, server.url("/a")) }
    _ = try await newsimport("fetch", "world", "-q")
    let id = try await newsimport("list", "--fields", "id").out
    for words in [["list", "--json"], ["list", "--json", "--full"], ["search", "title", "--json"]] {
      let object = try objects(try await newsimport.run(words).out).first
      #expect(object?["feed"] as? String == server.url("/a"), "\(words)")
      #expect(object?["feed_title"] as? String == "Test feed", "\(words)")
      #expect(object?["regions"] as? [String] == ["tech", "world"], "\(words)")
    }
    let shown = try objects(try await newsimport("show", "--json", "-", input: id).out).first
    #expect(
      shown?["feed_title"] as? String == "Test feed" && shown?["regions"] as? [String] == ["tech", "world"])
    #expect(
      try await newsimport("list", "--fields", "feed_title,regions").out
        == "Test feed\t[\"tech\",\"world\"]\n")
  }

  @Test func `the next poll and the failure of a feed have the same names everywhere`() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .status(404) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    let fetched = try objects(try await newsimport("fetch", "world", "--json").out).first
    let next = fetched?["next_fetch"] as? String
    #expect(next != nil)
    for words in [["explain", "/a"], ["feed", "list"], ["feed", "list", "world"]] {
      let object = try objects(try await newsimport.run(words + ["--json"]).out).first
      #expect(object?["next_fetch"] as? String == next, "\(words)")
      #expect(object?["error"] as? String == "HTTP 404 (not found)", "\(words)")
      #expect(object?["regions"] as? [String] == ["world"], "\(words)")
      #expect(object?.keys.contains("title") == true, "\(words)")
    }
    let finding = try objects(try await newsimport("doctor", "--json").out).first
    #expect(finding == nil || finding?["regions"] as? [String] == ["world"])
  }
}
