internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Writes a batch: each row's cells are bound straight from the arena, by one prepared statement.
///
/// This is the way of every article, so it calls SQLite itself: GRDB's statement is borrowed, its argument
/// values are not made.
struct UpsertWriter {
  let db: Database
  let sql: StoreSQL

  func write(_ batch: BatchUpsert, _ result: inout CommitResult) throws {
    let statement = try db.cachedStatement(sql: sql.upsert(batch))
    let handle = unsafe statement.sqliteStatement
    guard let connection = unsafe db.sqliteConnection else { return }
    defer { unsafe sqlite3_clear_bindings(handle) }
    // An empty array has no address, and SQLite takes text without an address for NULL.
    let bytes = batch.rows.bytes.isEmpty ? [0] : batch.rows.bytes
    try unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let arena = buffer.baseAddress else { return }
      for row in 0..<batch.rows.count {
        for column in batch.rows.columns.indices {
          let cell = batch.rows.cell(row: row, column: column)
          try check(unsafe bind(cell, to: handle, at: Int32(column + 1), arena))
        }
        // An update leaves this number alone, so that 0 afterwards means: no row was inserted.
        unsafe sqlite3_set_last_insert_rowid(connection, 0)
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
        try unsafe note(row, of: batch, connection, in: &result)
      }
    }
  }

  /// Adds what the last statement did to the result.
  private func note(
    _ row: Int, of batch: BatchUpsert, _ connection: OpaquePointer, in result: inout CommitResult
  ) throws {
    let inserted = unsafe sqlite3_last_insert_rowid(connection)
    if inserted != 0 {
      result.changes.inserted.insert(ManagedObjectID(entity: batch.rows.entity, key: inserted))
    } else if unsafe sqlite3_changes(connection) > 0 {
      let known = batch.rows.keys[row]
      let key = known != 0 ? known : try key(of: row, in: batch)
      if let key { result.changes.updated.insert(ManagedObjectID(entity: batch.rows.entity, key: key)) }
    }
  }

  /// Looks up the row that an upsert met unexpectedly: another process inserted it a moment ago.
  private func key(of row: Int, in batch: BatchUpsert) throws -> Int64? {
    let entity = sql.model[batch.rows.entity]
    let condition = batch.unique.map { "\(quoted(entity.attributes[$0].name)) IS ?" }
    let values = batch.unique.map { index -> DatabaseValue in
      guard let column = batch.rows.columns.firstIndex(of: index) else { return .null }
      return batch.rows.value(row: row, column: column, model: sql.model).databaseValue
    }
    return try Int64.fetchOne(
      db, sql: "SELECT id FROM \(quoted(entity.name)) WHERE \(condition.joined(separator: " AND "))",
      arguments: StatementArguments(values))
  }

  private func bind(
    _ cell: RowBatch.Cell, to handle: OpaquePointer?, at place: Int32, _ arena: UnsafePointer<UInt8>
  ) -> Int32 {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, place)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, place, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, place, number)
    case .text(let offset, let count):
      let start = unsafe arena + Int(offset)
      // A nil destructor is SQLITE_STATIC: the arena outlives the step.
      return unsafe sqlite3_bind_text64(
        handle, place, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), UInt64(count), nil,
        UInt8(SQLITE_UTF8))
    case .bytes(let offset, let count):
      return unsafe sqlite3_bind_blob64(handle, place, arena + Int(offset), UInt64(count), nil)
    }
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
  }
}
