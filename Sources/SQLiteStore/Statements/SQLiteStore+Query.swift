internal import GRDB
internal import GRDBSQLite
public import ManagedContext

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
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in
        let statement = try Self.only(text, in: db)
        do {
          let rows = try Row.fetchCursor(statement)
          // With the first row, the statement has its snapshot: it cannot fail for the reason for which it is repeated.
          var next = try rows.next()
          begin(statement.columnNames)
          while let row = next {
            guard visit(row.databaseValues.map(AttributeValue.init)) else { return }
            next = try rows.next()
          }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
          throw StoreError.request(error.message ?? "an error in the statement")
        }
      }
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
    } catch let error as DatabaseError {
      throw StoreError.request(error.message ?? "an error in the statement")
    }
  }
}

extension AttributeValue {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes(Array(data))
    }
  }
}
