internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Binds the cells of a row to a statement directly from their arena, without creating values.
enum CellBinding {
  /// Binds a row's cells to the parameters from `first` on, and runs `body` while the arena's address is valid.
  static func withRow<Value>(
    _ row: Int, of batch: RowBatch, boundTo handle: OpaquePointer?, from first: Int32 = 1,
    _ body: () throws -> Value
  ) throws -> Value {
    // An empty array has no address, and SQLite reads text without an address as NULL.
    let bytes = batch.bytes.isEmpty ? [0] : batch.bytes
    return try unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let arena = buffer.baseAddress else { return try body() }
      unsafe try bind(row, of: batch, to: handle, from: first, arena)
      return try body()
    }
  }

  /// Binds a row's cells; the arena must outlive the statement's next step.
  static func bind(
    _ row: Int, of batch: RowBatch, to handle: OpaquePointer?, from first: Int32,
    _ arena: UnsafePointer<UInt8>
  ) throws {
    for column in batch.columns.indices {
      let cell = batch.cell(row: row, column: column)
      let code = unsafe bind(cell, to: handle, at: first + Int32(column), arena)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
  }

  private static func bind(
    _ cell: RowBatch.Cell, to handle: OpaquePointer?, at place: Int32, _ arena: UnsafePointer<UInt8>
  ) -> Int32 {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, place)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, place, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, place, number)
    case .text(let offset, let count):
      let start = unsafe arena + Int(offset)
      // A nil destructor is SQLITE_STATIC, which is safe because the arena outlives the step.
      return unsafe sqlite3_bind_text64(
        handle, place, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), UInt64(count), nil,
        UInt8(SQLITE_UTF8))
    case .bytes(let offset, let count):
      return unsafe sqlite3_bind_blob64(handle, place, arena + Int(offset), UInt64(count), nil)
    }
  }
}
