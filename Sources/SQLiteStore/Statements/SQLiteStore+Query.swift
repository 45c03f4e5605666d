internal import GRDB
internal import GRDBSQLite
public import ManagedContext

extension SQLiteStore {
  /// Runs a query written by the user, on a connection that cannot write.
  ///
  /// - Parameters:
  ///   - text: One SQL statement that changes nothing.
  ///   - begin: Called once with the column names.
  ///   - visit: Called with each row's values; returns whether to continue.
  /// - Throws: ``StoreError/request(_:)`` with SQLite's message if the text is not such a statement.
  public func query(
    _ text: String, begin: ([String]) -> Void = { _ in }, visit: ([AttributeValue]) -> Bool
  ) throws(StoreError) {
    try queryRows(text, begin) { row in visit(row.values) }
  }

  /// Runs a query as ``query(_:begin:visit:)`` does, with rows that are read in place.
  public func query(_ text: String, _ visitor: inout some RowVisitor) throws(StoreError) {
    try queryRows(text, { visitor.begin($0) }) { visitor.visit($0) }
  }

  private func queryRows(
    _ text: String, _ begin: ([String]) -> Void, _ visit: (QueryRow) -> Bool
  ) throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in
        let statement = try Self.only(text, in: db)
        let handle = unsafe statement.sqliteStatement
        defer { unsafe sqlite3_reset(handle) }
        // The first row takes the snapshot: errors that cause a repetition cannot occur any more.
        var hasRow = try unsafe Self.step(handle, db)
        begin(statement.columnNames)
        let row = unsafe QueryRow(handle)
        while hasRow {
          guard visit(row) else { return }
          hasRow = try unsafe Self.step(handle, db)
        }
      }
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
