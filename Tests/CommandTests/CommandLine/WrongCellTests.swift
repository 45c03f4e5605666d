import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

/// Values that another program has written into the tables. `make crash` tries more of them, in all columns.
@Suite struct WrongCellTests {
  private let newsimport: CommandRun
  private let feed: String

  init() async throws {
    newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    feed = server.url("/feed")
    _ = try await newsimport("region", "add", "world", feed)
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func change(_ sql: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: newsimport.store, configuration: configuration).write { try $0.execute(sql: sql) }
  }

  @Test(arguments: [
    ("UPDATE article SET id = 9223372036854775807 WHERE id = 1", ["stats"]),
    ("UPDATE article SET imported = 1e308", ["stats"]),
    ("UPDATE article SET imported = -9e999", ["stats", "--json"]),
    ("UPDATE feed SET fetches = -9223372036854775808", ["explain", "FEED"]),
    ("UPDATE fetch SET slot = -9223372036854775808", ["explain", "FEED"]),
    ("UPDATE feed SET newest_article = -9e999", ["doctor"]),
    ("UPDATE region SET id = -9223372036854775808", ["region", "rename", "world", "earth"]),
    ("UPDATE region SET version = 9223372036854775807", ["region", "rename", "world", "earth"]),
    ("UPDATE feed SET version = 1e308", ["feed", "rename", "FEED", "https://new.example/"]),
    ("UPDATE feed SET failures = 9223372036854775807", ["fetch", "world"]),
    (
      "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'persistent_history'",
      ["search", "article"]
    ),
    ("UPDATE membership SET id = -9223372036854775808", ["region", "remove", "world", "--yes"]),
  ])
  func `a number at the limits of its type stops no command`(sql: String, command: [String]) async throws {
    try change(sql)
    let result = try await newsimport.run(command.map { $0 == "FEED" ? feed : $0 })
    #expect([0, 1, 65, 69, 75].contains(result.status), "\(result)")
    #expect(result.status == 0 || !result.out.isEmpty || result.err.hasPrefix("newsimport: "), "\(result)")
  }
}
