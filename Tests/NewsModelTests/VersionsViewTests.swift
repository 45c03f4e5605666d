import Foundation
import GRDB
import SQLiteStore
import TestSupport
import Testing

/// The view `versions`, as another program reads it.
@Suite(.disabled(if: TestServer.replacesFiles, "they read the views of a file"))
struct VersionsViewTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Executes a statement as another program does, and records the change.
  private func run(_ sql: String, _ arguments: StatementArguments = []) throws {
    try DatabaseQueue(path: store.path).write { try $0.execute(sql: sql, arguments: arguments) }
    try (store.store as? SQLiteStore)?.recordChangesOfOthers()
  }

  private func rows(_ sql: String) throws -> [Row] {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    return try DatabaseQueue(path: store.path, configuration: configuration).read {
      try Row.fetchAll($0, sql: sql)
    }
  }

  @Test func `the view has each text as it was`() async throws {
    try await store.add(["https://example.org/feed"])
    var random = SeededGenerator(seed: 1)
    var words = (0..<400).map { _ in "wörd\(UInt64.random(in: 0..<9000, using: &random))" }
    var text = words.joined(separator: " ")
    try run(
      """
      INSERT INTO article (version, feed_id, guid, content_hash, timeline, imported, edits, content_html)
      SELECT 1, id, 'one', 0, 0, 0, 0, ? FROM feed
      """, [text])
    var expected: [String] = []
    for number in 1...60 {
      for place in [number, 100 + 2 * number, 399 - number] { words[place] = "edít\(number)\(place)" }
      if number % 7 == 0 { words.swapAt(number, 300) }
      expected.append(text)
      text = words.joined(separator: " ")
      expected.append(text)
      try run("UPDATE article SET content_html = ?", [text])
      // A text that is changed each time would be volatile.
      try run("UPDATE article SET title = ?", [number])
    }
    #expect(
      try rows("SELECT content_html FROM versions ORDER BY version").map { $0[0] as String } == expected
    )
  }
}
