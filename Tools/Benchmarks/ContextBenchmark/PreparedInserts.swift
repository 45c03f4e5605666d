import Foundation
import GRDB
import GRDBSQLite

/// The same rows by one prepared statement, with a thousand rows in a transaction: the cost of SQLite alone.
enum PreparedInserts {
  static func run(path: String, rows: Int) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA page_size = 16384")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 256")
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE sample (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, number INTEGER NOT NULL,
          title TEXT NOT NULL, link TEXT NOT NULL, summary TEXT, author TEXT, published NUMERIC NOT NULL,
          score REAL NOT NULL, is_read INTEGER NOT NULL, edits INTEGER NOT NULL, language TEXT)
          """)
      let statement = try db.makeStatement(
        sql: "INSERT INTO sample VALUES (NULL, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      for start in stride(from: 0, to: rows, by: 1000) {
        try db.inTransaction(.immediate) {
          for row in start..<min(start + 1000, rows) { try insert(row, statement) }
          return .commit
        }
      }
    }
  }

  private static func insert(_ row: Int, _ statement: Statement) throws {
    let handle = statement.sqliteStatement
    sqlite3_bind_int64(handle, 1, Int64(row))
    bind(Sample.title(row), handle, 2)
    bind(Sample.link(row), handle, 3)
    bind(Sample.summary, handle, 4)
    bind("A. Author", handle, 5)
    sqlite3_bind_int64(handle, 6, Int64(1_700_000_000 + row))
    sqlite3_bind_double(handle, 7, Double(row) / 7)
    sqlite3_bind_int64(handle, 8, row % 2 == 0 ? 1 : 0)
    sqlite3_bind_int64(handle, 9, 0)
    bind("en", handle, 10)
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func bind(_ text: String, _ handle: OpaquePointer?, _ place: Int32) {
    // SQLITE_TRANSIENT: SQLite copies the text, which is valid only during the call.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), transient)
  }
}
