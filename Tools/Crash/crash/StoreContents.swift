import Foundation
import GRDB

/// What a store contains, as other programs read it: without times, which differ between runs.
struct StoreContents: Sendable, Equatable {
  /// The articles of each feed, by its address: one text for each.
  var articles: [String: [String]] = [:]
  /// The ETag of each feed, by its address: nil before a body was saved.
  var validators: [String: String?] = [:]
  /// Everything else: a line for each row.
  var rows: [String] = []
  var indexes: [String] = []
  var journalMode = ""
  /// Damage and broken references, as SQLite reports them.
  var damage: [String] = []

  /// True without indexes and journal mode.
  var isDataOnly = false

  /// The contents without indexes and journal mode: a command may succeed although it could not change these.
  var data: StoreContents {
    var data = self
    (data.indexes, data.journalMode, data.isDataOnly) = ([], "", true)
    return data
  }

  /// Reads a store.
  ///
  /// - Parameter path: The file; one that does not exist, or is empty, has no contents.
  init(path: String) throws {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    guard size > 0 || FileManager.default.fileExists(atPath: path + "-wal") else { return }
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      damage = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      damage += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "\($0)" }
      journalMode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
      indexes = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
      guard try db.viewExists("articles") else { return }
      articles = try Self.articles(db)
      for row in try Row.fetchAll(db, sql: "SELECT quote(url), CAST(etag AS TEXT) FROM feeds") {
        validators[row[0]] = row[1] as String?
      }
      for query in Self.otherQueries {
        do {
          rows += try Row.fetchAll(db, sql: query).map(Self.text)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
          // A store of an earlier version has other columns.
          rows.append("an earlier version")
        }
      }
      rows += try Self.attachedArticles(db)
    }
  }

  /// Returns the articles of attached stores: a line for each.
  private static func attachedArticles(_ db: Database) throws -> [String] {
    guard try db.tableExists("attachment") else { return [] }
    return try Row.fetchAll(db, sql: "SELECT name, path FROM attachment ORDER BY name").flatMap { row in
      let (name, path) = (row[0] as String, row[1] as String)
      guard FileManager.default.fileExists(atPath: path) else { return ["\(name) is missing"] }
      let other = try DatabaseQueue(path: path)
      defer { try? other.close() }
      return try other.read { try articles($0) }.sorted { $0.key < $1.key }.flatMap { feed, articles in
        articles.map { "\(name): \(feed) \($0)" }
      }
    }
  }

  /// Returns the articles of each feed, by its address.
  static func articles(_ db: Database) throws -> [String: [String]] {
    guard try db.viewExists("articles") else { return [:] }
    var articles: [String: [String]] = [:]
    for row in try Row.fetchAll(db, sql: articleQuery) {
      articles[row[0], default: []].append(row[1])
    }
    return articles
  }

  /// The columns as one text: a damaged store may have values of any type.
  private static let articleQuery = """
    SELECT quote(feed), article FROM (
      SELECT feed, guid, \(articleColumns.map { "quote(\($0))" }.joined(separator: " || ")) AS article FROM articles)
    ORDER BY feed, guid
    """
  private static let articleColumns = [
    "guid", "url", "title", "authors", "tags", "published", "modified", "summary", "content_html",
    "attachments", "edits", "read", "starred",
  ]
  private static let otherQueries = [
    "SELECT 'region', name, feeds FROM regions ORDER BY name",
    "SELECT 'feed', url, title, publisher_title, failures, last_error, moved_to, gone, regions FROM feeds ORDER BY url",
    "SELECT 'tombstone', count(*) FROM tombstone", "SELECT 'attached', name FROM attachment ORDER BY name",
    "SELECT 'claim', count(*) FROM feed WHERE claim IS NOT NULL",
  ]

  private static func text(_ row: Row) -> String {
    row.map { "\($0.1)" }.joined(separator: "|")
  }
}
