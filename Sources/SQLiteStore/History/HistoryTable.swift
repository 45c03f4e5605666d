internal import Foundation
internal import GRDB
internal import ManagedContext

/// The table of a file's persistent history: one row a transaction and author.
enum HistoryTable {
  /// No entity may have this name.
  static let name = "persistent_history"

  /// Makes the table in a file that has none: a new one, or one made before there was a history.
  static func install(in db: Database) throws {
    guard try !exists(in: db) else { return }
    // Numbers are never given twice, also when all rows were purged (sqlite.org/autoinc.html).
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(name) (token INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL, \
        author TEXT, process INTEGER NOT NULL, changes BLOB NOT NULL)
        """)
  }

  static func exists(in db: Database) throws -> Bool {
    try db.cachedStatement(sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      .exists(name)
  }

  /// Adds a transaction.
  ///
  /// - Parameter process: Tells whoever writes the file from all others.
  static func append(
    _ changes: ContextChanges, author: String?, date: Date, process: Int64, model: ManagedObjectModel,
    in db: Database
  ) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO \(name) (date, author, process, changes) VALUES (?, ?, ?, ?)")
    let bytes = Data(HistoryEncoding.encode(changes, model: model))
    try statement.execute(arguments: [date.timeIntervalSince1970, author, process, bytes])
  }

  /// The newest transaction's number, also when that was purged; nil before the first.
  static func newest(in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = ?"), arguments: [name])
  }

  /// The oldest transaction that is kept; nil when there is none.
  static func oldest(in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(db, sql: "SELECT min(token) FROM \(name)")
  }

  /// The process that wrote a transaction; nil where that is not kept.
  static func process(of token: Int64, in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(db, sql: "SELECT process FROM \(name) WHERE token = ?", arguments: [token])
  }

  /// What is kept of the transactions after one, oldest first.
  ///
  /// - Parameters:
  ///   - own: A process whose transactions' changes are not read; nil reads all.
  ///   - limit: At most so many; nil for all.
  static func rows(
    after token: Int64, without own: Int64? = nil, limit: Int? = nil, in db: Database
  ) throws -> [HistoryRow] {
    guard try exists(in: db) else { return [] }
    let statement = try db.cachedStatement(
      sql: """
        SELECT token, date, author, CASE WHEN process IS ? THEN NULL ELSE changes END AS changes \
        FROM \(name) WHERE token > ? ORDER BY token LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [own, token, limit ?? -1]).map { row in
      HistoryRow(
        token: HistoryToken(row["token"]), date: Date(timeIntervalSince1970: row["date"]),
        author: row["author"], changes: row["changes"])
    }
  }

  /// Forgets the transactions before a number.
  static func purge(before token: Int64, in db: Database) throws {
    guard try exists(in: db) else { return }
    try db.execute(sql: "DELETE FROM \(name) WHERE token < ?", arguments: [token])
  }

  /// Forgets the transactions before a time: those that come before the first one that is younger.
  static func purge(olderThan date: Date, in db: Database) throws {
    let limit = date.timeIntervalSince1970
    let kept = try Int64.fetchOne(
      db, sql: "SELECT token FROM \(name) WHERE date >= ? ORDER BY token LIMIT 1", arguments: [limit])
    try purge(before: kept ?? .max, in: db)
  }
}

/// One transaction as the table has it.
struct HistoryRow: Sendable {
  let token: HistoryToken
  let date: Date
  let author: String?
  /// Nil for a transaction whose changes were not wanted.
  let changes: Data?

  /// The transaction; nil where its changes were not wanted.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when they cannot be read.
  func transaction(
    model: ManagedObjectModel, store: StoreNumber, path: String
  ) throws(StoreError) -> HistoryTransaction? {
    guard let changes else { return nil }
    do throws(HistoryEncoding.Damaged) {
      return HistoryTransaction(
        token: token, date: date, author: author,
        changes: try HistoryEncoding.decode([UInt8](changes), model: model, store: store))
    } catch {
      throw .corrupt("\(path): transaction \(token.number) of the history cannot be read")
    }
  }
}

extension Statement {
  /// Whether the statement gives a row.
  fileprivate func exists(_ argument: String) throws -> Bool {
    try Int.fetchOne(self, arguments: [argument]) != nil
  }
}
