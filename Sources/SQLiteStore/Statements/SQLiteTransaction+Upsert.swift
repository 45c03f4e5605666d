internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements

/// A statement that writes batches with one shape.
struct PreparedUpsert {
  let shape: UpsertShape
  let statement: Statement
  /// The attributes that a row update writes.
  let written: AttributeSet
}

extension SQLiteTransaction {
  /// Writes a batch. Each row's cells are bound directly from the arena to one prepared statement.
  ///
  /// Every article is written this way, so this method calls SQLite directly.
  /// - Throws: ``StoreError/validation(_:)`` for a uniqueness constraint that does not identify the batch's
  ///   rows.
  func write(_ batch: BatchUpsert, noting changes: inout ContextChanges) throws {
    let insertion = try preparedInsertion(for: batch)
    // If another statement inserts rows, this one is prepared only for the first row that exists.
    var upsert = insertion == nil ? try prepared(for: batch) : nil
    guard let connection = unsafe db.sqliteConnection else { return }
    let written = insertion?.written ?? upsert?.written ?? batch.written
    defer {
      for prepared in [insertion, upsert].compactMap({ $0 }) {
        unsafe sqlite3_clear_bindings(prepared.statement.sqliteStatement)
      }
    }
    try unsafe CellBinding.withArena(batch.rows.bytes) { arena in
      var (inserted, upserted): (Int?, Int?) = (nil, nil)
      for row in 0..<batch.rows.count {
        // An update does not change this number, so 0 afterwards means that no row was inserted.
        unsafe sqlite3_set_last_insert_rowid(connection, 0)
        if let insertion, batch.rows.keys[row] == 0 {
          try unsafe step(insertion, row, after: inserted, of: batch, arena, changes)
          inserted = row
        }
        if unsafe sqlite3_last_insert_rowid(connection) == 0 {
          let prepared = try upsert ?? prepared(for: batch)
          upsert = prepared
          try unsafe step(prepared, row, after: upserted, of: batch, arena, changes)
          upserted = row
        }
        try unsafe note(row, of: batch, written, connection, in: &changes)
      }
    }
  }

  /// Executes a statement with one row's cells.
  ///
  /// - Parameter previous: The row of the previous execution; nil for the first one.
  private func step(
    _ prepared: PreparedUpsert, _ row: Int, after previous: Int?, of batch: BatchUpsert,
    _ arena: UnsafePointer<UInt8>, _ changes: ContextChanges
  ) throws {
    let handle = unsafe prepared.statement.sqliteStatement
    let width = batch.rows.columns.count
    unsafe try CellBinding.bind(
      row: row, after: previous, of: batch.rows.cells, width: width, arena, to: handle)
    if let exclusion = batch.exclusion {
      unsafe sqlite3_bind_int64(handle, Int32(width) + 1, exclusion.values[row])
    }
    let code = unsafe sqlite3_step(handle)
    unsafe sqlite3_reset(handle)
    guard code == SQLITE_DONE else {
      let result = ResultCode(rawValue: code)
      if result == .SQLITE_CONSTRAINT_UNIQUE {
        throw try takenValues(ofRow: row, in: batch, sql.model, changes)
      }
      throw DatabaseError(resultCode: result, message: db.lastErrorMessage)
    }
  }

  /// Returns the statement that only inserts new rows; nil if ``prepared(for:)`` is as fast.
  ///
  /// A statement that may run a trigger copies each page that it changes, even if it only inserts. An update
  /// of an entity with versions may run one.
  private func preparedInsertion(for batch: BatchUpsert) throws -> PreparedUpsert? {
    guard !batch.unique.isEmpty, sql.model.versions(of: batch.rows.entity) != nil else { return nil }
    let shape = UpsertShape(batch, leavesExisting: true)
    if let known = upserts[shape] { return known }
    let prepared = PreparedUpsert(
      shape: shape,
      statement: try db.cachedStatement(
        sql: sql.texts.upsert(shape) { sql.upsert(batch, leavesExisting: true) }),
      written: batch.written)
    upserts[shape] = prepared
    return prepared
  }

  private func prepared(for batch: BatchUpsert) throws -> PreparedUpsert {
    let shape = UpsertShape(batch)
    // Arrays with the same storage compare as equal immediately and need no hash.
    if let lastUpsert, lastUpsert.shape == shape { return lastUpsert }
    let prepared =
      try upserts[shape]
      ?? PreparedUpsert(
        shape: shape,
        statement: try db.cachedStatement(sql: sql.texts.upsert(shape) { sql.upsert(batch) }),
        written: batch.written)
    upserts[shape] = prepared
    lastUpsert = prepared
    return prepared
  }

  /// Adds the last statement's effect to the changes.
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

  /// Returns the key of a row that was updated because another process had just inserted it.
  private func key(of row: Int, in batch: BatchUpsert) throws -> Int64? {
    let values = batch.unique.map { index -> (index: Int, value: AttributeValue) in
      guard let column = batch.rows.columns.firstIndex(of: index) else { return (index, .null) }
      return (index, batch.rows.value(row: row, column: column, model: sql.model))
    }
    return try key(of: batch.rows.entity, having: values)
  }
}
