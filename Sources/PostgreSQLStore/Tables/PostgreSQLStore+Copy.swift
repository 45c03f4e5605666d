package import ManagedContext
internal import Threading

extension PostgreSQLStore {
  /// Calls `body` with one state of the store, from which a copy can be made.
  package func withCopySource<Value>(
    _ body: (any StoreCopySource) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try withSnapshot { snapshot in try body(ServerCopySource(snapshot: snapshot)) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .inputOutput("\(name): \(error)")
    }
  }

  /// Makes a new store from what `body` writes, in one transaction: it exists only when it is complete.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if there is a store. Nothing is changed then.
  package static func make(
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
      do throws(ServerError) { _ = try ServerSession.end(doubt.session, on: connection) } catch {
        throw StoreError(error, store: name)
      }
      return try opening(connection).hasStore(id)
    }
    guard isThere else { throw doubt.failure }
  }
}

/// One state of a server, in a transaction.
private struct ServerCopySource: StoreCopySource {
  let snapshot: ServerSnapshot

  private var model: ManagedObjectModel { snapshot.store.model }

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

  /// Returns the last key of the rows after another one that have together about a size. The server knows the length of a text without
  /// reading it.
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
    let found = try run(
      Statement(
        """
        SELECT token, date, author, process, changes, followed::int FROM \(Tables.history) WHERE token > $1 \
        ORDER BY token LIMIT \(limit)
        """, .integer(number)))
    return (0..<found.count).map { row in
      StoredTransaction(
        number: found.integer(row, 0) ?? 0, date: found.real(row, 1) ?? 0, author: found.text(row, 2),
        process: found.integer(row, 3) ?? 0, changes: found.bytes(row, 4) ?? [],
        isFollowed: found.isTrue(row, 5))
    }
  }

  func lastTransaction() throws(StoreError) -> Int64 {
    try run(Statement("SELECT history FROM \(Tables.store)")).integer(0, 0) ?? 0
  }

  func allConsumers() throws(StoreError) -> [HistoryConsumer] {
    do {
      return try ConsumerTable(snapshot.connection).all()
    } catch {
      throw .inputOutput("\(snapshot.store.name): \(error)")
    }
  }

  private func run(_ statement: Statement) throws(StoreError) -> QueryResult {
    do throws(ServerError) {
      return try snapshot.connection.run(statement)
    } catch {
      throw StoreError(error, store: snapshot.store.name)
    }
  }
}

/// New tables, in a transaction.
private struct ServerCopyTarget: StoreCopyTarget {
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
      INSERT INTO \(Tables.history) (token, date, author, process, number, changes, followed) \
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
    do {
      for consumer in consumers { try ConsumerTable(connection).put(consumer) }
    } catch {
      throw .inputOutput("\(name): \(error)")
    }
    for entity in model.entities { try run(Statement("ANALYZE \(entity.table)")) }
  }

  private func run(_ statement: Statement) throws(StoreError) {
    do throws(ServerError) {
      try connection.run(statement)
    } catch {
      throw StoreError(error, store: name)
    }
  }
}
