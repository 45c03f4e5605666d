internal import Foundation
internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Defines the history tables in a file, and writes their rows.
enum HistorySchema {
  private static let name = HistoryTables.transactions

  /// Creates the table if the file has no history yet: a new file, or one from before the history existed. A
  /// table from an earlier version gets its missing column.
  static func install(for model: ManagedObjectModel, in db: Database) throws {
    guard try !hasFollowed(in: db) else { return }
    try db.immediately {
      let isNew = try !FileConnection(db: db).hasTable(name)
      // With AUTOINCREMENT, numbers are never reused, even after all rows were purged
      // (sqlite.org/autoinc.html).
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS \(name) (token INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL, \
          author TEXT, process INTEGER NOT NULL, changes BLOB NOT NULL, \(followed))
          """)
      // Another process may have added the column in the meantime.
      if try !hasFollowed(in: db) { try db.execute(sql: "ALTER TABLE \(name) ADD COLUMN \(followed)") }
      try db.execute(
        sql: "CREATE INDEX IF NOT EXISTS \(name)_followed ON \(name) (token) WHERE followed <> 0")
      if isNew { try continueNumbers(of: model, in: db) }
    }
  }

  /// Creates the consumer table unless it exists.
  static func installConsumers(in db: Database) throws {
    // A purged transaction's checksum distinguishes it from another file's transaction.
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(HistoryTables.consumers) (name TEXT NOT NULL PRIMARY KEY, token INTEGER NOT NULL, \
        checksum INTEGER, position INTEGER NOT NULL, seen REAL NOT NULL) WITHOUT ROWID
        """)
  }

  /// Continues the numbers of a table that another program has removed: an old token, consumer or version
  /// must not refer to a new transaction.
  private static func continueNumbers(of model: ManagedObjectModel, in db: Database) throws {
    var last = try db.consumers.all().map { max(1, $0.token.number) }.max() ?? 0
    for table in VersionTable.all(of: model, .sqlite).map(\.table) {
      last = max(last, try Int64.fetchOne(db, sql: "SELECT max(CAST(token AS INTEGER)) FROM \(table)") ?? 0)
    }
    guard (1..<Int64.max).contains(last) else { return }
    try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [name, last])
    // The checksum fits no transaction, so that the consumer gets an error.
    try db.consumers.moveUnstarted(to: HistoryToken(last, check: 0))
  }

  /// The column definition. Rows written without it may contain any changes, so they count as followed.
  private static let followed = "followed INTEGER NOT NULL DEFAULT 1"

  /// Returns whether the file has a history with the column `followed`, which older versions do not write.
  static func hasFollowed(in db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM pragma_table_info(?) WHERE name = 'followed'")
    return try Int.fetchOne(statement, arguments: [name]) != nil
  }

  /// Appends a transaction, and returns its number.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - deletedValues: The kept values of rows that this transaction, or another in the same save, deleted.
  ///   - process: A number that identifies the writing store among all stores on the file.
  static func append(
    _ changes: ContextChanges, deletedValues: [ManagedObjectID: [AttributeValue]], author: String?,
    date: Date, process: Int64, model: ManagedObjectModel, in db: Database
  ) throws -> Int64 {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO \(name) (date, author, process, changes, followed) VALUES (?, ?, ?, ?, ?)")
    let bytes = Data(HistoryEncoding.encode(changes, deletedValues: deletedValues, model: model))
    try statement.execute(arguments: [
      date.timeIntervalSince1970, author, process, bytes, model.isFollowed(changes),
    ])
    return db.lastInsertedRowID
  }

  /// Writes a row with its number.
  static func insert(_ row: StoredTransaction, in db: Database) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO \(name) (token, date, author, process, changes, followed) VALUES (?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [
      row.number, row.date, row.author, row.process, Data(row.changes), row.isFollowed,
    ])
  }
}
