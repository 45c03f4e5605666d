internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements
internal import TextSearch

/// The current row of a query, which can be read until its statement's next step.
@safe struct QueryRow: VisitedRow, TextRow, SQLRow {
  let handle: OpaquePointer?

  /// - Parameter handle: A statement that has a row.
  @unsafe init(_ handle: OpaquePointer?) {
    unsafe self.handle = handle
  }

  var count: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// Passes a value to a receiver.
  ///
  /// - Parameters:
  ///   - column: The value's index, from 0.
  ///   - receiver: Receives the value; a text or bytes only during the call.
  func pass(_ column: Int, to receiver: inout some CellReceiver) {
    let column = Int32(column)
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: receiver.receive(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: receiver.receive(unsafe sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      // The text must be read first: the call may convert the value, which changes its size.
      let start = unsafe sqlite3_column_text(handle, column)
      let count = Int(unsafe sqlite3_column_bytes(handle, column))
      receiver.receive(text: unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
      let count = Int(unsafe sqlite3_column_bytes(handle, column))
      receiver.receive(bytes: unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    default: receiver.receiveNull()
    }
  }

  /// Returns a whole number; nil for a value of another type.
  func integer(_ column: Int) -> Int64? {
    let column = Int32(column)
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return unsafe sqlite3_column_int64(handle, column)
    case SQLITE_FLOAT: return Int64(exactly: unsafe sqlite3_column_double(handle, column).rounded(.down))
    default: return nil
    }
  }

  // SQLite converts all values except null (sqlite.org/c3ref/column_blob.html).

  func real(_ column: Int) -> Double? {
    isNull(column) ? nil : unsafe sqlite3_column_double(handle, Int32(column))
  }

  func text(_ column: Int) -> String? {
    guard !isNull(column), let start = unsafe sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, Int32(column)))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int) -> [UInt8]? {
    if isNull(column) { return nil }
    let start = unsafe sqlite3_column_blob(handle, Int32(column))
    let count = Int(unsafe sqlite3_column_bytes(handle, Int32(column)))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Returns a value's type.
  func type(_ column: Int) -> CellType {
    switch unsafe sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  private func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  func value(_ column: Int, _ type: AttributeType) -> AttributeValue {
    let found = value(column)
    guard type == .date, case .real(let seconds) = found else { return found }
    return .date(seconds)
  }

  /// Calls `body` with a text's UTF-8; nil if the value is not a text.
  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void) {
    let column = Int32(column)
    guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let start = unsafe sqlite3_column_text(handle, column)
    else { return body(nil) }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    body(unsafe UnsafeBufferPointer(start: start, count: count).span)
  }

  /// Binds a value to a parameter of another statement.
  ///
  /// - Returns: SQLite's result code.
  @unsafe func bind(_ column: Int, to statement: OpaquePointer?, at place: Int32) -> Int32 {
    unsafe sqlite3_bind_value(statement, place, sqlite3_column_value(handle, Int32(column)))
  }

  /// Executes a statement with its arguments, and visits its rows until `body` returns false.
  @inline(__always)
  static func forEach(
    _ statement: Statement, _ db: Database, _ body: (QueryRow) throws -> Bool
  ) throws {
    let handle = unsafe statement.sqliteStatement
    defer { unsafe sqlite3_reset(handle) }
    let row = unsafe QueryRow(handle)
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: guard try body(row) else { return }
      case SQLITE_DONE: return
      case let code:
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
    }
  }
}
