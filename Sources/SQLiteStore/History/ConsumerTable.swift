internal import Foundation
internal import GRDB
internal import ManagedContext

/// The table of the consumers of a file's persistent history, which is created for the first one.
enum ConsumerTable {
  /// The table's name, which is reserved: no entity may have it.
  static let name = "persistent_consumer"

  private static func exists(in db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    return try Int.fetchOne(statement, arguments: [name]) != nil
  }

  /// Returns all consumers, by name.
  static func all(in db: Database) throws -> [HistoryConsumer] {
    guard try exists(in: db) else { return [] }
    return try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(name) ORDER BY name").map(consumer)
  }

  /// Returns a consumer; nil if none has this name.
  static func consumer(named wanted: String, in db: Database) throws -> HistoryConsumer? {
    guard try exists(in: db) else { return nil }
    return try Row.fetchOne(db, sql: "SELECT \(columns) FROM \(name) WHERE name = ?", arguments: [wanted])
      .map(consumer)
  }

  // Other programs may have written values of any type.
  private static let columns = """
    CAST(name AS TEXT) AS name, CAST(token AS INTEGER) AS token, CAST(checksum AS INTEGER) AS checksum, \
    CAST(position AS INTEGER) AS position, CAST(seen AS REAL) AS seen
    """

  private static func consumer(_ row: Row) -> HistoryConsumer {
    let (checksum, seen): (Int64?, Double) = (row["checksum"], row["seen"])
    let token = HistoryToken(row["token"], check: checksum.flatMap { UInt32(exactly: $0) })
    return HistoryConsumer(
      name: row["name"], token: token, position: row["position"], seen: Date(timeIntervalSince1970: seen))
  }

  /// The names of the table's columns, as SQL.
  static let names = "name, token, checksum, position, seen"

  /// Creates the table unless it exists.
  static func install(in db: Database) throws {
    // The checksum of a purged transaction distinguishes it from one of another file.
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(name) (name TEXT NOT NULL PRIMARY KEY, token INTEGER NOT NULL, \
        checksum INTEGER, position INTEGER NOT NULL, seen REAL NOT NULL) WITHOUT ROWID
        """)
  }

  /// Writes a consumer, in the place of another one with the same name.
  static func put(_ consumer: HistoryConsumer, in db: Database) throws {
    try install(in: db)
    try db.execute(
      sql: "REPLACE INTO \(name) (\(names)) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        consumer.name, consumer.token.number, consumer.token.check.map { Int64($0) }, consumer.position,
        consumer.seen.timeIntervalSince1970,
      ])
  }

  static func touch(_ consumer: String, at date: Date, in db: Database) throws {
    guard try exists(in: db) else { return }
    try db.execute(
      sql: "UPDATE \(name) SET seen = ? WHERE name = ?", arguments: [date.timeIntervalSince1970, consumer])
  }

  static func remove(_ consumer: String, in db: Database) throws {
    guard try exists(in: db) else { return }
    try db.execute(sql: "DELETE FROM \(name) WHERE name = ?", arguments: [consumer])
  }

  /// Returns the number of the earliest token among the consumers that were seen since a date; nil if there are none.
  static func slowest(seenSince date: Date, in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(
      db, sql: "SELECT min(CAST(token AS INTEGER)) FROM \(name) WHERE seen >= ?",
      arguments: [date.timeIntervalSince1970])
  }

  /// Returns the number of the latest token of a consumer, at least 1; nil without consumers.
  static func newest(in db: Database) throws -> Int64? {
    guard try exists(in: db) else { return nil }
    return try Int64.fetchOne(db, sql: "SELECT max(CAST(token AS INTEGER)) FROM \(name)").map { max(1, $0) }
  }

  /// Moves the consumers that have acknowledged no transaction to one that is about to be purged. Otherwise they would start
  /// at the next transaction, and miss the purged ones without an error.
  static func moveUnstarted(to token: HistoryToken, in db: Database) throws {
    guard try exists(in: db) else { return }
    try db.execute(
      sql: "UPDATE \(name) SET token = ?, checksum = ? WHERE token = 0",
      arguments: [token.number, token.check.map { Int64($0) }])
  }
}
