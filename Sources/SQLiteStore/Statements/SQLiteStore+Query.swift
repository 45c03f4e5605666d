internal import GRDB
internal import GRDBSQLite
public import ManagedContext
internal import TextSearch

extension SQLiteStore {
  /// Runs a query written by the user, on a connection that cannot write.
  ///
  /// - Parameters:
  ///   - text: One SQL statement that changes nothing.
  ///   - begin: Called once with the names of the columns.
  ///   - visit: Called with the values of each row; returns whether to continue.
  /// - Throws: ``StoreError/request(_:)`` with SQLite's message if the text is not such a statement.
  public func query(
    _ text: String, begin: ([String]) -> Void = { _ in }, visit: ([AttributeValue]) -> Bool
  ) throws(StoreError) {
    try queryRows(text, begin: begin) { row in visit(row.values) }
  }

  /// Runs a query as ``query(_:begin:visit:)`` does, with rows that are read in place.
  public func queryRows(
    _ text: String, begin: ([String]) -> Void = { _ in }, visit: (borrowing QueryRow) -> Bool
  ) throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in try Self.queryRows(text, in: db, begin, visit) }
    }
  }

  /// Runs a query as ``query(_:begin:visit:)`` does, with rows that are read in place.
  package func query(_ text: String, _ visitor: inout some RowVisitor) throws(StoreError) {
    try queryRows(text, begin: { visitor.begin($0) }) { visitor.visit($0) }
  }

  private static func queryRows(
    _ text: String, in db: Database, _ begin: ([String]) -> Void, _ visit: (borrowing QueryRow) -> Bool
  ) throws {
    let statement = try only(text, in: db)
    let handle = unsafe statement.sqliteStatement
    defer { unsafe sqlite3_reset(handle) }
    // With the first row, the statement has its snapshot: it cannot fail for the reason for which it is repeated.
    var hasRow = try unsafe step(handle, db)
    begin(statement.columnNames)
    let row = unsafe QueryRow(handle)
    while hasRow {
      guard visit(row) else { return }
      hasRow = try unsafe step(handle, db)
    }
  }

  /// Executes a statement up to its next row.
  ///
  /// - Returns: False after the last row.
  private static func step(_ handle: OpaquePointer?, _ db: Database) throws -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      guard error.resultCode == .SQLITE_ERROR else { throw error }
      throw StoreError.request(error.message ?? "an error in the statement")
    }
  }

  private static func only(_ text: String, in db: Database) throws -> Statement {
    do {
      let statements = try db.allStatements(sql: text)
      guard let first = try statements.next() else { throw StoreError.request("there is no statement") }
      guard try statements.next() == nil else { throw StoreError.request("there is more than one statement") }
      guard first.isReadonly, first.columnCount > 0 else {
        throw StoreError.request("it is not a query; the store is only read here")
      }
      guard unsafe sqlite3_bind_parameter_count(first.sqliteStatement) == 0 else {
        throw StoreError.request("the statement contains a parameter; replace it by a value")
      }
      return first
    } catch let error as DatabaseError
      where [.SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_AUTH].contains(error.resultCode)
    {
      throw StoreError.request(error.message ?? "an error in the statement")
    }
  }
}

/// The current row of a query, which only the closure that receives it can read.
@safe public struct QueryRow: ~Copyable {
  private let handle: OpaquePointer?

  /// - Parameter handle: A statement that has a row.
  @unsafe fileprivate init(_ handle: OpaquePointer?) {
    unsafe self.handle = handle
  }

  /// The number of values.
  public var count: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// Passes a value to a receiver.
  ///
  /// - Parameters:
  ///   - column: The index of the value, from 0.
  ///   - receiver: Receives the value; a text or bytes only for the time of the call.
  public func pass(_ column: Int, to receiver: inout some CellReceiver) {
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

  /// Returns a text; nil for a value of another type.
  func text(_ column: Int) -> String? {
    if case .text(let text) = value(column) { text } else { nil }
  }

  /// Calls `body` with the UTF-8 of a text; nil if the value is not a text.
  public func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void) {
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

  /// Executes a statement whose arguments are set, and visits its rows.
  static func forEach(
    _ statement: Statement, _ db: Database, _ body: (borrowing QueryRow) throws -> Void
  ) throws {
    let handle = unsafe statement.sqliteStatement
    defer { unsafe sqlite3_reset(handle) }
    let row = unsafe QueryRow(handle)
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: try body(row)
      case SQLITE_DONE: return
      case let code:
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
    }
  }
}

extension QueryRow: VisitedRow {}
extension QueryRow: TextRow {}
