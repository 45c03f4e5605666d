public import ManagedContext

extension PostgreSQLStore {
  /// Runs a query written by the user, in a transaction that cannot write.
  ///
  /// Rows are read as the server sends them, so that even a large result takes little memory.
  /// - Parameters:
  ///   - text: One SQL statement that returns rows and changes nothing.
  ///   - begin: Called once with the column names.
  ///   - visit: Called with each row's values; returns whether to continue.
  /// - Throws: ``StoreError/request(_:)`` with the server's message if the text is not such a statement.
  public func query(
    _ text: String, begin: ([String]) -> Void = { _ in }, visit: ([AttributeValue]) -> Bool
  ) throws(StoreError) {
    try queryRows(text, limit: "", begin) { row in visit(row.values) }
  }

  /// Runs a query as ``query(_:begin:visit:)`` does, with rows that are read in place. The operator's limit
  /// for the role (`statement_timeout`) applies.
  public func query(_ text: String, _ visitor: inout some RowVisitor) throws(StoreError) {
    let limit = "; SET LOCAL statement_timeout TO DEFAULT"
    try queryRows(text, limit: limit, { visitor.begin($0) }) { visitor.visit($0) }
  }

  /// Runs a query of the program. If the connection is lost, the query is repeated, so that all rows are read
  /// before the first one is visited.
  public func select(_ text: String, visit: ([AttributeValue]) -> Bool) throws(StoreError) {
    let name = name
    var rows: [[AttributeValue]] = []
    let failure = try read { (connection) throws(ServerError) -> StoreError? in
      rows = []
      // Such a pooler could change the session between the messages of a statement.
      let needsTransaction = connection.pooler == .ofTransactions
      if needsTransaction { try connection.execute("BEGIN READ ONLY") }
      do {
        try Self.query(text, on: connection, { _ in }) { row in
          rows.append(row.values)
          return true
        }
        if needsTransaction { try connection.execute("COMMIT") }
        return nil
      } catch {
        if needsTransaction, !connection.isLost { try connection.execute("ROLLBACK") }
        if let error = error as? ServerError { throw error }
        return Self.description(of: error, store: name)
      }
    }
    if let failure { throw failure }
    for row in rows where !visit(row) { break }
  }

  private func queryRows(
    _ text: String, limit: String, _ begin: ([String]) -> Void, _ visit: (ServerRow) -> Bool
  ) throws(StoreError) {
    let name = name
    // After the first row, a lost connection is not retried, because rows were already returned.
    let failure = try read { (connection) throws(ServerError) -> StoreError? in
      try connection.execute("BEGIN READ ONLY" + limit)
      let began = ContinuousClock.now
      var failure: (any Error)?
      do { try Self.query(text, on: connection, begin, visit) } catch { failure = error }
      if !connection.isLost { try connection.execute("ROLLBACK") }
      if let error = failure as? ServerError, error.code == ErrorCode.canceled, !limit.isEmpty,
        let allowed = try Self.limitOfRole(connection), .now - began >= .milliseconds(allowed)
      {
        return .request("it takes longer than the role's statement_timeout of \(allowed) ms")
      }
      return failure.map { Self.description(of: $0, store: name) }
    }
    if let failure { throw failure }
  }

  /// Returns the role's statement timeout as set by the operator, in milliseconds; nil without a limit.
  private static func limitOfRole(_ connection: Connection) throws(ServerError) -> Int? {
    let limit = "SELECT reset_val FROM pg_settings WHERE name = 'statement_timeout' AND reset_val <> '0'"
    return try connection.texts(limit).first.flatMap(Int.init)
  }

  private static func description(of error: any Error, store name: String) -> StoreError {
    guard let error = error as? ServerError else {
      return error as? StoreError ?? .inputOutput("\(name): \(error)")
    }
    return switch error.code {
    // Other syntax errors have a place in the text.
    case ErrorCode.syntax where !error.hasPlace: .request("there is more than one statement")
    // A view that cannot be written is noticed before the transaction's mode.
    case ErrorCode.wrongState: .request("\(error.message); the store is only read here")
    case ErrorCode.readOnlyTransaction: .request("it changes something; the store is only read here")
    default: error.concernsStatement ? .request(error.text) : StoreError(error, store: name)
    }
  }

  private static func query(
    _ text: String, on connection: Connection, _ begin: ([String]) -> Void, _ visit: (ServerRow) -> Bool
  ) throws {
    guard text.contains(where: { !$0.isWhitespace && $0 != ";" }) else {
      throw StoreError.request("there is no statement")
    }
    let description = try connection.describe(text)
    // A read-only transaction does not keep COPY … TO PROGRAM from running, but it has no columns.
    guard !description.columns.isEmpty else {
      throw StoreError.request("it is not a query; the store is only read here")
    }
    guard description.parameterCount == 0 else {
      throw StoreError.request("the statement contains a parameter; replace it by a value")
    }
    begin(description.columns)
    try connection.forEachRow { row in visit(ServerRow(row)) }
  }
}

extension ServerError {
  /// True if the statement is wrong, and neither the server nor the connection is at fault.
  fileprivate var concernsStatement: Bool {
    guard let code, !isLost else { return false }
    // Code classes: connections, resources, operator intervention, the system and the server itself.
    return !["08", "53", "55", "57", "58", "XX"].contains(String(code.prefix(2)))
  }
}
