public import ManagedContext
internal import SQLStatements
internal import Threading

extension PostgreSQLStore {
  /// Calls `body` with one snapshot of the store, for making a copy.
  public func withCopySource<Value>(
    _ body: (any StoreCopySource) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    // If the connection is lost, the effects of `body` cannot be undone, so it does not run again.
    let connection = try reading.take()
    defer { reading.give(connection) }
    try describingErrors(store: name) {
      // The receiver may be slow. A transaction pooler has its own sessions' settings.
      try connection.execute(
        """
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; \
        SET LOCAL statement_timeout = 0; SET LOCAL jit = off
        """)
    }
    // During the transaction, the server keeps the rows that others delete or change.
    defer { if !connection.isLost { _ = try? connection.execute("ROLLBACK") } }
    return try body(ServerCopySource(model: model, name: name, connection: connection))
  }

  /// Makes a new store from the content that `body` writes, in one transaction.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if a store already exists. Nothing is changed then.
  public static func make(
    _ address: StoreAddress, model: ManagedObjectModel, application: Int32, views: () -> [String],
    _ body: (any StoreCopyTarget) throws(StoreError) -> Void
  ) throws(StoreError) {
    let name = address.withoutPassword
    let options = PostgreSQLStoreOptions()
    let pool = ConnectionPool(
      address.text, name: name, limit: 1, settings: settings(options),
      patience: ServerPatience(limit: options.patience, didWait: options.didWait), pooler: Locked(.none))
    defer { pool.close() }
    let opening = { (connection: Connection) in
      StoreOpening(
        connection: connection, model: model, application: application, name: name, purpose: .create)
    }
    var id: String?
    var doubt: (session: String, failure: StoreError)?
    try pool.use { (connection) throws(StoreError) in
      do throws(StoreError) {
        try opening(connection).make(views, committing: &id) { () throws(StoreError) in
          try body(ServerCopyTarget(model: model, name: name, connection: connection))
        }
      } catch {
        guard connection.isLost, id != nil, let session = connection.session else { throw error }
        doubt = (session, error)
      }
    }
    guard let id, let doubt else { return }
    // The answer to the commit was lost.
    let isThere = try pool.use { (connection) throws(StoreError) in
      _ = try describingErrors(store: name) { try ServerSession.end(doubt.session, on: connection) }
      return try opening(connection).hasStore(id)
    }
    guard isThere else { throw doubt.failure }
  }
}

/// One snapshot of a server, in a transaction.
struct ServerCopySource: StoreCopySource {
  let model: ManagedObjectModel
  let name: String
  let connection: Connection

  func rows(
    of entity: EntityIndex, after key: Int64, limit: Int, bytes: Int
  ) throws(StoreError) -> RowBatch {
    let description = model[entity]
    let columns = ["id", "version"] + description.attributes.indices.map(description.column)
    var statement = Statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(description.table) WHERE id > $1 AND id <= $2 ORDER BY id",
      .integer(key))
    statement.parameters.append(
      .integer(try lastKey(ofPartAfter: key, in: description, limit: limit, bytes: bytes)))
    let found = try run(statement)
    return try RowReader.rows(
      found, of: entity, columns: Array(description.attributes.indices), store: .none, model)
  }

  /// Returns the last key of a part with about the given size. Text lengths are known without reading.
  private func lastKey(
    ofPartAfter key: Int64, in entity: EntityDescription, limit: Int, bytes: Int
  ) throws(StoreError) -> Int64 {
    let sizes = entity.attributes.indices.filter { [.text, .bytes].contains(entity.serverType($0)) }
      .map { "coalesce(octet_length(\(entity.column($0))), 0)::bigint" }
    let found = try run(
      Statement(
        """
        SELECT id, \(sizes.isEmpty ? "0::bigint" : sizes.joined(separator: " + ")) FROM \(entity.table) \
        WHERE id > $1 ORDER BY id LIMIT \(limit)
        """, .integer(key)))
    var (last, size) = (key, 0)
    for row in 0..<found.count where row == 0 || size < bytes {
      last = found.integer(row, 0) ?? last
      size += Int(found.integer(row, 1) ?? 0)
    }
    return last
  }

  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64 {
    try run(Statement("SELECT pg_sequence_last_value(\(Tables.sequence(of: model[entity])))")).integer(0, 0)
      ?? 0
  }

  func transactions(after number: Int64, limit: Int) throws(StoreError) -> [StoredTransaction] {
    try describingErrors(store: name) {
      try HistoryTable(connection).transactions(after: number, limit: limit)
    }
  }

  func lastTransaction() throws(StoreError) -> Int64 {
    try describingErrors(store: name) { try connection.newestTransaction() }
  }

  func allConsumers() throws(StoreError) -> [HistoryConsumer] {
    try describingErrors(store: name) { try ConsumerTable(connection).all() }
  }

  private func run(_ statement: Statement) throws(StoreError) -> QueryResult {
    try describingErrors(store: name) { try connection.run(statement) }
  }
}

/// New tables, in a transaction.
struct ServerCopyTarget: StoreCopyTarget {
  let model: ManagedObjectModel
  let name: String
  let connection: Connection

  func add(_ rows: RowBatch) throws(StoreError) {
    let rows = try rows.withServerText(model)
    let entity = model[rows.entity]
    let columns = ["id", "version"] + rows.columns.map(entity.column)
    let types = [.integer, .integer] + rows.columns.map(entity.serverType)
    let arrays = types.enumerated().map { place, type in "$\(place + 1)::\(type.array.name)" }
    var statement = Statement(
      """
      INSERT INTO \(entity.table) (\(columns.joined(separator: ", "))) \
      SELECT * FROM unnest(\(arrays.joined(separator: ", "))) ORDER BY 1
      """)
    statement.parameters.append(rows.keys)
    statement.parameters.append(rows.versions)
    for place in rows.columns.indices {
      statement.parameters.append(column: place, of: rows, types[place + 2])
    }
    do throws(ServerError) {
      let (begin, end) = (Statement("SAVEPOINT part"), Statement("RELEASE SAVEPOINT part"))
      _ = try connection.runTogether([begin, statement, end])
    } catch {
      if !error.isLost { _ = try? connection.execute("ROLLBACK TO SAVEPOINT part") }
      throw StoreError(error, store: name)
    }
  }

  func reserveKeys(through key: Int64, of entity: EntityIndex) throws(StoreError) {
    guard key > 0 else { return }
    try run(Statement(Tables.raiseSequence(of: model[entity]), .integer(key)))
  }

  func add(_ transactions: [StoredTransaction]) throws(StoreError) {
    var statement = Statement(
      """
      INSERT INTO \(HistoryTables.transactions) (token, date, author, process, number, changes, followed) \
      SELECT token, date, author, process, 0, changes, followed <> 0 FROM unnest($1::bigint[], $2::double precision[], \
      $3::text[], $4::bigint[], $5::bytea[], $6::bigint[]) AS input(token, date, author, process, changes, followed) ORDER BY token
      """)
    statement.parameters.append(transactions.map(\.number))
    statement.parameters.append(transactions.map { .real($0.date) }, of: .real)
    statement.parameters.append(transactions.map { $0.author.map { .text($0) } ?? .null }, of: .text)
    statement.parameters.append(transactions.map(\.process))
    statement.parameters.append(transactions.map { .bytes($0.changes) }, of: .bytes)
    statement.parameters.append(transactions.map { $0.isFollowed ? 1 : 0 } as [Int64])
    try run(statement)
  }

  func finishHistory(at number: Int64, _ consumers: [HistoryConsumer]) throws(StoreError) {
    try run(Statement("UPDATE \(Tables.store) SET history = $1", .integer(number)))
    try describingErrors(store: name) {
      for consumer in consumers { try ConsumerTable(connection).put(consumer) }
    }
    for entity in model.entities { try run(Statement("ANALYZE \(entity.table)")) }
  }

  private func run(_ statement: Statement) throws(StoreError) {
    try describingErrors(store: name) { _ = try connection.run(statement) }
  }
}
