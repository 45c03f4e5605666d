import GRDB
import ManagedContext
import NewsModel
import SQLiteStore
import TestSupport
import Testing

/// Stores created by older versions of the program.
@Suite struct NewsMigrationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("news.db") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(
      path: path, model: NewsModel.model,
      identity: StoreIdentity(
        applicationID: NewsModel.applicationID, views: NewsModel.views(.sqlite),
        conversions: NewsModel.conversions, computedColumns: NewsModel.computedColumns,
        functions: [NewsModel.storyKey: { $0.map { Int64($0.utf8.count) } }]))
  }

  /// Version 6 added marks and tombstones, 7 reported failures, 8 outages.
  @Test(arguments: [(5, "read_mark"), (6, "told_failure"), (7, "outage")])
  func `a store of an older version keeps its articles, which are unread and unstarred`(
    version: Int, firstMissing: String
  ) throws {
    try open().close()
    let names = NewsModel.model.entities.filter { !$0.name.contains("version") && $0.name != "membership" }
      .map(\.name)
    let missing = names.suffix(from: try #require(names.firstIndex(of: firstMissing)))
    try DatabaseQueue(path: path).write { db in
      for view in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'view'") {
        try db.execute(sql: "DROP VIEW \(view)")
      }
      for table in missing { try db.execute(sql: "DROP TABLE \(table)") }
      try db.execute(sql: "PRAGMA user_version = \(version)")
    }
    try DatabaseQueue(path: path).write { db in
      try db.execute(
        sql: """
          INSERT INTO feed (id, version, url, failures, fetches, last_inserted, last_edited, gone)
          VALUES (1, 1, 'https://a.example/', 0, 0, 0, 0, 0);
          INSERT INTO article (id, version, feed_id, guid, content_hash, timeline, imported, edits, title, url)
          VALUES (7, 3, 1, 'g', 5, 6, 6, 2, 'Kept', 'http://a/'), (8, 1, 1, 'guid', 5, 6, 6, 0, NULL, NULL);
          """)
    }
    let new = try open()
    #expect(try new.info().version == NewsModel.model.version)
    #expect(try new.damage().isEmpty)
    try new.close()
    let rows = try DatabaseQueue(path: path).read {
      try Row.fetchAll($0, sql: "SELECT id, title, edits, read, starred, story FROM articles")
    }
    #expect(
      rows.map(\.description) == [
        "[id:7 title:\"Kept\" edits:2 read:0 starred:0 story:9]",
        "[id:8 title:NULL edits:0 read:0 starred:0 story:4]",
      ])
  }
}
