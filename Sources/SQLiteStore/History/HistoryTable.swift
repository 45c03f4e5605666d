internal import Foundation
internal import GRDB
internal import ManagedContext

/// The table of a file's persistent history, with one row for each transaction and author.
enum HistoryTable {
  /// The table's name, which is reserved: no entity may have it.
  static let name = "persistent_history"

  /// Creates the table if the file has no history yet: a new file, or one from before the history existed. A table of an
  /// earlier version gets its missing column.
  static func install(for model: ManagedObjectModel, in db: Database) throws {
    guard try !hasFollowed(in: db) else { return }
    try db.immediately {
      let isNew = try !exists(in: db)
      // With AUTOINCREMENT, numbers are never reused, even after all rows were purged (sqlite.org/autoinc.html).
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

  /// Lets the numbers of a new table follow those of one that another program has removed: a token, a consumer or a version of
  /// before must not mean a transaction of the new one.
  private static func continueNumbers(of model: ManagedObjectModel, in db: Database) throws {
    var last = try ConsumerTable.newest(in: db) ?? 0
    for table in VersionTable.all(of: model).map(\.table) {
      last = max(last, try Int64.fetchOne(db, sql: "SELECT max(CAST(token AS INTEGER)) FROM \(table)") ?? 0)
    }
    guard (1..<Int64.max).contains(last) else { return }
    try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [name, last])
    // The checksum is that of no transaction, so that the consumer gets an error.
    try ConsumerTable.moveUnstarted(to: HistoryToken(last, check: 0), in: db)
  }

  /// The definition of the column. Rows that were written without it may contain changes of any entity, so they count as
  /// followed.
  private static let followed = "followed INTEGER NOT NULL DEFAULT 1"

  /// Returns whether the file has a history with the column `followed`, which older versions do not write.
  private static func hasFollowed(in db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM pragma_table_info(?) WHERE name = 'followed'")
    return try Int.fetchOne(statement, arguments: [name]) != nil
  }

  static func exists(in db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    return try Int.fetchOne(statement, arguments: [name]) != nil
  }

  /// Appends a transaction.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - deletedValues: The kept values of rows that this transaction, or another of the same save, deleted.
  ///   - process: A number that identifies the writing store among all stores on the file.
  static func append(
    _ changes: ContextChanges, deletedValues: [ManagedObjectID: [AttributeValue]], author: String?,
    date: Date, process: Int64, model: ManagedObjectModel,
    in db: Database
  ) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO \(name) (date, author, process, changes, followed) VALUES (?, ?, ?, ?, ?)")
    let bytes = Data(HistoryEncoding.encode(changes, deletedValues: deletedValues, model: model))
    try statement.execute(arguments: [
      date.timeIntervalSince1970, author, process, bytes, model.isFollowed(changes),
    ])
  }

  /// Returns the number of the newest transaction, even if it was purged; nil before the first transaction.
  static func newest(in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = ?"), arguments: [name])
  }

  /// Returns the date of the newest transaction that a store has made, and not another program; nil if none is in the table.
  static func dateOfNewest(in db: Database) throws -> Date? {
    guard try exists(in: db) else { return nil }
    let statement = try db.cachedStatement(
      sql: "SELECT \(date) FROM \(name) WHERE \(process) <> 0 ORDER BY token DESC LIMIT 1")
    return try Double.fetchOne(statement).map { Date(timeIntervalSince1970: $0) }
  }

  /// Returns the number of the first transaction that is missing in a range, although one before it is in the table; nil for none.
  ///
  /// Each number is that of a transaction, and a purge deletes the first ones.
  static func missing(after token: Int64, through end: Int64, in db: Database) throws -> Int64? {
    guard let oldest = try oldest(in: db) else { return nil }
    let start = max(token, oldest - 1)
    guard end > start else { return nil }
    let count = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT count(*) FROM \(name) WHERE token > ? AND token <= ?"),
      arguments: [start, end])
    if count == end - start { return nil }
    return try Int64.fetchOne(
      db,
      sql: """
        SELECT min(number) FROM (SELECT ?1 AS number UNION ALL
          SELECT token + 1 FROM \(name) WHERE token > ?1 - 1 AND token < ?2) WHERE NOT EXISTS (
          SELECT 1 FROM \(name) WHERE token = number)
        """, arguments: [start + 1, end])
  }

  /// Returns the numbers of the transactions whose changes cannot be decoded, at most `limit`.
  static func damaged(_ model: ManagedObjectModel, atMost limit: Int, in db: Database) throws -> [Int64] {
    guard try exists(in: db) else { return [] }
    var numbers: [Int64] = []
    let rows = try Row.fetchCursor(db, sql: "SELECT token, CAST(changes AS BLOB) FROM \(name) ORDER BY token")
    while numbers.count < limit, let row = try rows.next() {
      let bytes: Data? = row[1]
      do throws(HistoryEncoding.Damaged) {
        _ = try HistoryEncoding.decode([UInt8](bytes ?? Data()), model: model, store: .none)
      } catch {
        numbers.append(row[0])
      }
    }
    return numbers
  }

  /// Returns the number of the oldest transaction in the table; nil if the table is empty.
  static func oldest(in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(db, sql: "SELECT min(token) FROM \(name)")
  }

  /// Returns the process number of a transaction; nil if the transaction is not in the table.
  static func process(of token: Int64, in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(
      db, sql: "SELECT CAST(process AS INTEGER) FROM \(name) WHERE token = ?", arguments: [token])
  }

  /// Returns the token of a transaction; nil if the transaction is not in the table.
  static func token(of number: Int64, in db: Database) throws -> HistoryToken? {
    guard try exists(in: db) else { return nil }
    let statement = try db.cachedStatement(
      sql: "SELECT token, \(date) AS date, \(process) AS process FROM \(name) WHERE token = ?")
    return try Row.fetchOne(statement, arguments: [number]).map(token)
  }

  /// Returns the token of the newest transaction. It has no checksum if an earlier version of this code has purged the
  /// transaction.
  static func newestToken(in db: Database) throws -> HistoryToken? {
    guard let newest = try newest(in: db) else { return nil }
    return try token(of: newest, in: db) ?? HistoryToken(newest)
  }

  /// Returns the token with the checksum of its transaction.
  ///
  /// - Throws: ``StoreError/history(_:)`` if the transaction is not in the table, or has another checksum.
  static func verified(_ token: HistoryToken, in db: Database) throws -> HistoryToken {
    if token.number == 0 { return HistoryToken(0) }
    let found = try self.token(of: token.number, in: db)
    if let found, token.check == nil || token.check == found.check { return found }
    let oldest = try oldest(in: db).flatMap { try self.token(of: $0, in: db) }
    let isBeforeOldest = try oldest.map { token.number < $0.number } ?? (token.number <= newest(in: db) ?? 0)
    let isPurged = found == nil && token.number > 0 && isBeforeOldest
    throw StoreError.history(isPurged ? .purged(oldest: oldest) : .foreign(oldest: oldest))
  }

  // Other programs may have written values of any type.
  private static let date = "CAST(coalesce(date, 0) AS REAL)"
  private static let process = "CAST(coalesce(process, 0) AS INTEGER)"

  private static func token(_ row: Row) -> HistoryToken {
    let (number, process, date): (Int64, Int64, Double) = (row["token"], row["process"], row["date"])
    return HistoryToken(number, process: process, date: date)
  }

  /// Returns the rows after a transaction, oldest first.
  ///
  /// - Parameters:
  ///   - token: The number of that transaction.
  ///   - own: The process number of transactions to return without their changes; nil reads all changes.
  ///   - followed: True to return only followed transactions.
  ///   - limit: The maximum number of rows; nil for all.
  static func rows(
    after token: Int64, without own: Int64? = nil, followed isFollowed: Bool = false, limit: Int? = nil,
    in db: Database
  ) throws -> [HistoryRow] {
    guard try exists(in: db) else { return [] }
    // A file that is only read may be of an earlier version.
    let hasFollowed = try hasFollowed(in: db)
    let condition = isFollowed && hasFollowed ? "AND followed <> 0" : ""
    let statement = try db.cachedStatement(
      sql: """
        SELECT token, \(date) AS date, \(process) AS process, CAST(author AS TEXT) AS author, \
        CASE WHEN process IS ? THEN NULL ELSE CAST(changes AS BLOB) END AS changes, \
        \(hasFollowed ? "followed <> 0" : "1") AS followed \
        FROM \(name) WHERE token > ? \(condition) ORDER BY token LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [own, token, limit ?? -1]).map { row in
      HistoryRow(
        token: self.token(row), date: Date(timeIntervalSince1970: row["date"]),
        author: row["author"], changes: row["changes"], isFollowed: row["followed"])
    }
  }

  /// Returns the rows after a transaction as they are stored, oldest first.
  static func stored(after token: Int64, limit: Int, in db: Database) throws -> [StoredTransaction] {
    guard try exists(in: db) else { return [] }
    let followed = try hasFollowed(in: db) ? "followed <> 0" : "1"
    // Checksums of tokens are made of the number that is stored, and not of a `Date`.
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT token, \(date) AS date, \(process) AS process, CAST(author AS TEXT) AS author, \
        CAST(changes AS BLOB) AS changes, \(followed) AS followed FROM \(name) WHERE token > ? ORDER BY token LIMIT ?
        """, arguments: [token, limit])
    return rows.map { row in
      let changes: Data? = row["changes"]
      return StoredTransaction(
        number: row["token"], date: row["date"], author: row["author"], process: row["process"],
        changes: [UInt8](changes ?? Data()), isFollowed: row["followed"])
    }
  }

  /// Writes a row with its number.
  static func insert(_ row: StoredTransaction, in db: Database) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT INTO \(name) (token, date, author, process, changes, followed) VALUES (?, ?, ?, ?, ?, ?)")
    try statement.execute(arguments: [
      row.number, row.date, row.author, row.process, Data(row.changes), row.isFollowed,
    ])
  }

  /// Returns the newest transaction that ``purge(before:in:)`` would delete; nil if there is none.
  static func purgeable(before token: Int64, in db: Database) throws -> HistoryToken? {
    guard try exists(in: db) else { return nil }
    let last = try Int64.fetchOne(
      db, sql: "SELECT max(token) FROM \(name) WHERE token < min(?, (SELECT max(token) FROM \(name)))",
      arguments: [token])
    return try last.flatMap { try self.token(of: $0, in: db) }
  }

  /// Deletes the transactions before a number, except the newest one: a reader that has read everything keeps a valid
  /// token.
  static func purge(before token: Int64, in db: Database) throws {
    try db.execute(
      sql: "DELETE FROM \(name) WHERE token < min(?, (SELECT max(token) FROM \(name)))", arguments: [token])
  }

  /// Returns the number of the last transaction that precedes the first one at or after `date`; nil if there is none. It is
  /// the oldest one that a reader who has read everything at that date needs.
  static func last(before date: Date, in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    let recent = try Int64.fetchOne(
      db, sql: "SELECT token FROM \(name) WHERE date >= ? ORDER BY token LIMIT 1",
      arguments: [date.timeIntervalSince1970])
    return try Int64.fetchOne(
      db, sql: "SELECT max(token) FROM \(name) WHERE token < ?", arguments: [recent ?? .max])
  }

  /// Returns a number such that the changes of the transactions from it on, and not those of one more, take at most a number
  /// of bytes.
  static func first(ofLast bytes: Int, in db: Database) throws -> Int64 {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT token, CAST(length(changes) AS INTEGER) FROM \(name) ORDER BY token DESC")
    var rest = bytes
    while let row = try rows.next() {
      let (token, size): (Int64, Int) = (row[0], row[1])
      if size > rest { return token == .max ? token : token + 1 }
      rest -= size
    }
    return 0
  }
}

/// One transaction as stored in the table.
struct HistoryRow: Sendable {
  let token: HistoryToken
  let date: Date
  let author: String?
  /// The encoded changes; nil if the query omitted them.
  let changes: Data?
  let isFollowed: Bool

  /// Returns the decoded transaction; nil if the query omitted its changes.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` if the changes cannot be decoded.
  func transaction(
    model: ManagedObjectModel, store: StoreNumber, path: String
  ) throws(StoreError) -> HistoryTransaction? {
    guard let changes else { return nil }
    do throws(HistoryEncoding.Damaged) {
      let decoded = try HistoryEncoding.decode([UInt8](changes), model: model, store: store)
      return HistoryTransaction(
        token: token, date: date, author: author,
        changes: decoded.changes, deletedValues: decoded.deletedValues, isFollowed: isFollowed)
    } catch {
      throw .corrupt("\(path): transaction \(token.number) of the history cannot be read")
    }
  }
}
