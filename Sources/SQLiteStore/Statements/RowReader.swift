internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Reads a statement's rows into one arena. Text is copied once, without creating a `String`.
enum RowReader {
  /// The limit of an arena, in bytes: offsets have 32 bits, and a single value of SQLite may add up to 1 GB.
  private static let largestArena = 2 << 30

  /// Returns the rows of a statement that yields a key, a version, and a column for each of `columns`.
  static func rows(
    _ db: Database, _ text: String, _ arguments: [DatabaseValue], entity: EntityIndex, columns: [Int]
  ) throws -> RowBatch {
    let statement = try db.cachedStatement(sql: text)
    try statement.setArguments(StatementArguments(arguments))
    let handle = unsafe statement.sqliteStatement
    defer { unsafe sqlite3_reset(handle) }
    var rows = RowBatch(entity: entity, columns: columns)
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW:
        rows.beginRow(
          key: unsafe sqlite3_column_int64(handle, 0), version: unsafe sqlite3_column_int64(handle, 1))
        for column in columns.indices { unsafe appendCell(of: handle, column: Int32(column + 2), to: &rows) }
        if rows.bytes.count > largestArena {
          throw StoreError.request("a fetch is over \(largestArena >> 20) MiB; fetch fewer rows at once")
        }
      case SQLITE_DONE: return rows
      case let code:
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
    }
  }

  private static func appendCell(of handle: OpaquePointer?, column: Int32, to rows: inout RowBatch) {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: rows.append(RowBatch.Cell.integer(unsafe sqlite3_column_int64(handle, column)))
    case SQLITE_FLOAT: rows.append(RowBatch.Cell.real(unsafe sqlite3_column_double(handle, column)))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(handle, column)
      let count = unsafe sqlite3_column_bytes(handle, column)
      let offset = unsafe rows.append(bytes: UnsafeBufferPointer(start: start, count: Int(count)))
      rows.append(RowBatch.Cell.text(offset: offset, count: UInt32(count)))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(handle, column)
      let count = unsafe sqlite3_column_bytes(handle, column)
      let offset = unsafe rows.append(bytes: UnsafeRawBufferPointer(start: start, count: Int(count)))
      rows.append(RowBatch.Cell.bytes(offset: offset, count: UInt32(count)))
    default: rows.append(RowBatch.Cell.null)
    }
  }
}

extension RowBatch {
  /// Copies bytes to the end of the arena.
  ///
  /// - Returns: The offset of the copied bytes.
  fileprivate mutating func append(bytes source: some Collection<UInt8>) -> UInt32 {
    let offset = UInt32(bytes.count)
    bytes.append(contentsOf: source)
    return offset
  }
}
