internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

extension SQLiteTransaction {
  /// Writes edited rows. Each row's cells are bound directly from the arena to one prepared statement.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` that names the rows with another version, and
  ///   ``StoreError/validation(_:)`` for values that another row has.
  func write(_ batch: BatchEdit, noting changes: inout ContextChanges) throws {
    let rows = batch.rows
    let shape = UpdateShape(entity: rows.entity, columns: rows.columns, comparesVersion: true)
    let statement = try db.cachedStatement(
      sql: sql.texts.update(shape) { sql.update(rows.entity, rows.columns, true) })
    let (handle, width) = (unsafe statement.sqliteStatement, rows.columns.count)
    unsafe sqlite3_clear_bindings(handle)
    defer { unsafe sqlite3_clear_bindings(handle) }
    let stale = try unsafe CellBinding.withArena(rows.bytes) { arena in
      var stale: [Int] = []
      for row in 0..<rows.count {
        unsafe try CellBinding.bind(
          row: row, after: row > 0 ? row - 1 : nil, of: rows.cells, width: width, arena, to: handle)
        unsafe sqlite3_bind_int64(handle, Int32(width) + 1, rows.keys[row])
        unsafe sqlite3_bind_int64(handle, Int32(width) + 2, rows.versions[row])
        let code = unsafe sqlite3_step(handle)
        unsafe sqlite3_reset(handle)
        guard try isWritten(code) else { throw try takenValues(ofRow: row, in: batch, sql.model, changes) }
        guard db.changesCount > 0 else {
          stale.append(row)
          continue
        }
        let id = ManagedObjectID(entity: rows.entity, store: store, key: rows.keys[row])
        noteWritten(id, by: batch, &changes)
      }
      return stale
    }
    if !stale.isEmpty { throw try conflict(ofRows: stale, in: batch, sql.model) }
  }
}
