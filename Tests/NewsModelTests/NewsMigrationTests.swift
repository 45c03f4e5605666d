import GRDB
import ManagedContext
import NewsModel
import SQLiteStore
import TestSupport
import Testing

/// What becomes of stores that older versions of the program made.
@Suite struct NewsMigrationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("news.db") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ model: ManagedObjectModel) throws -> SQLiteStore {
    try SQLiteStore(
      path: path, model: model,
      identity: StoreIdentity(
        applicationID: NewsModel.applicationID,
        views: NewsModel.views.filter {
          model.version >= 6 || !$0.contains("read_mark")
        }))
  }

  @Test func `a store of version 5 keeps its articles, which are unread and without stars`() throws {
    let old = try open(ManagedObjectModel(version: 5, entities: Array(NewsModel.model.entities.prefix(7))))
    try old.close()
    try DatabaseQueue(path: path).write { db in
      try db.execute(
        sql: """
          INSERT INTO feed (id, version, url, failures, fetches, last_inserted, last_edited, gone)
          VALUES (1, 1, 'https://a.example/', 0, 0, 0, 0, 0);
          INSERT INTO article (id, version, feed_id, guid, content_hash, timeline, imported, edits, title)
          VALUES (7, 3, 1, 'g', 5, 6, 6, 2, 'Kept');
          """)
    }
    let new = try open(NewsModel.model)
    #expect(try new.info().version == 6)
    #expect(try new.damage().isEmpty)
    try new.close()
    let rows = try DatabaseQueue(path: path).read {
      try Row.fetchAll($0, sql: "SELECT id, title, edits, read, starred FROM articles")
    }
    #expect(rows.map(\.description) == ["[id:7 title:\"Kept\" edits:2 read:0 starred:0]"])
  }
}
