internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Writes a batch. Each row's cells are bound directly from the arena to one prepared statement.
///
/// Every article is written this way, so this type calls SQLite directly. It uses GRDB's statement, but avoids its
/// argument values.
struct UpsertWriter {
  let db: Database
  let sql: StoreSQL
  let store: StoreNumber
  /// The statements of the transaction; building a text takes longer than executing its statement.
  private var statements: [UpsertShape: Prepared] = [:]
  /// The statement that was used last; the next batch usually has the same shape.
  private var last: (shape: UpsertShape, prepared: Prepared)?

  private struct Prepared {
    let statement: Statement
    /// The attributes that an update of a row writes.
    let written: AttributeSet
  }

  /// An error thrown if another row has the unique values of a row of the batch.
  struct Clash: Error {
    let row: Int
  }

  init(db: Database, sql: StoreSQL, store: StoreNumber) {
    self.db = db
    self.sql = sql
    self.store = store
  }

  /// - Throws: ``Clash`` if a row violates a uniqueness constraint that does not identify the batch's rows.
  mutating func write(_ batch: BatchUpsert, _ changes: inout ContextChanges) throws {
    let prepared = try prepared(for: batch)
    let handle = unsafe prepared.statement.sqliteStatement
    guard let connection = unsafe db.sqliteConnection else { return }
    defer { unsafe sqlite3_clear_bindings(handle) }
    // An empty array has no address, and SQLite reads text without an address as NULL.
    let bytes = batch.rows.bytes.isEmpty ? [0] : batch.rows.bytes
    try unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let arena = buffer.baseAddress else { return }
      for row in 0..<batch.rows.count {
        unsafe try CellBinding.bind(row, of: batch.rows, to: handle, from: 1, arena)
        if let exclusion = batch.exclusion {
          unsafe sqlite3_bind_int64(handle, Int32(batch.rows.columns.count) + 1, exclusion.values[row])
        }
        // An update does not change this number, so 0 afterwards means that no row was inserted.
        unsafe sqlite3_set_last_insert_rowid(connection, 0)
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else {
          let result = ResultCode(rawValue: code)
          if result == .SQLITE_CONSTRAINT_UNIQUE { throw Clash(row: row) }
          throw DatabaseError(resultCode: result, message: db.lastErrorMessage)
        }
        try unsafe note(row, of: batch, prepared.written, connection, in: &changes)
      }
    }
  }

  private mutating func prepared(for batch: BatchUpsert) throws -> Prepared {
    let shape = UpsertShape(batch)
    // Arrays with the same storage compare as equal immediately and need no hash.
    if let last, last.shape == shape { return last.prepared }
    let prepared =
      try statements[shape]
      ?? Prepared(
        statement: try db.cachedStatement(sql: sql.texts.upsert(shape) { sql.upsert(batch) }),
        written: batch.written)
    statements[shape] = prepared
    last = (shape, prepared)
    return prepared
  }

  /// Adds the effect of the last statement to the changes.
  private func note(
    _ row: Int, of batch: BatchUpsert, _ written: AttributeSet, _ connection: OpaquePointer,
    in changes: inout ContextChanges
  ) throws {
    let inserted = unsafe sqlite3_last_insert_rowid(connection)
    if inserted != 0 {
      changes.inserted.insert(ManagedObjectID(entity: batch.rows.entity, store: store, key: inserted))
    } else if unsafe batch.isReported && sqlite3_changes(connection) > 0 {
      let known = batch.rows.keys[row]
      guard let key = known != 0 ? known : try key(of: row, in: batch) else { return }
      let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: key)
      if !changes.inserted.contains(id) { changes.updated[id, default: []].formUnion(written) }
    }
  }

  /// Returns the key of a row that an upsert updated unexpectedly, because another process had just inserted it.
  private func key(of row: Int, in batch: BatchUpsert) throws -> Int64? {
    let entity = sql.model[batch.rows.entity]
    let values = batch.unique.map { index -> AttributeValue in
      guard let column = batch.rows.columns.firstIndex(of: index) else { return .null }
      return batch.rows.value(row: row, column: column, model: sql.model)
    }
    let condition = zip(batch.unique, values).map {
      "\(quoted(entity.attributes[$0].name)) IS \($1.placeholder)"
    }
    return try Int64.fetchOne(
      db, sql: "SELECT id FROM \(quoted(entity.name)) WHERE \(condition.joined(separator: " AND "))",
      arguments: StatementArguments(values.map(\.databaseValue)))
  }
}
