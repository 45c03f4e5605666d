internal import GRDB

/// The largest keys that tables ever had. They are never used again (sqlite.org/autoinc.html).
enum KeySequence {
  /// Returns the largest key; nil if the value is unreadable or invalid.
  static func last(of table: String, in db: Database) -> Int64? {
    let value = try? DatabaseValue.fetchOne(
      db, sql: "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", arguments: [table])
    guard let number = value.flatMap({ Int64.fromDatabaseValue($0) }), (1..<Int64.max / 2).contains(number)
    else { return nil }
    return number
  }

  /// Keeps a table from using keys up to a number.
  static func reserve(_ key: Int64, of table: String, in db: Database) throws {
    let last = max(key, last(of: table, in: db) ?? 0)
    try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
    try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, last])
  }
}
