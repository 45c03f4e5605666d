internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Binds cells to statement parameters directly from their arena, without creating values.
enum CellBinding {
  /// SQLite reads text without an address as NULL, and an empty array has no address.
  private static let emptyArena: [UInt8] = [0]

  /// Passes an arena's address to `body`. It is valid only during the call.
  static func withArena<Value>(
    _ bytes: [UInt8], _ body: (UnsafePointer<UInt8>) throws -> Value
  ) throws -> Value {
    try unsafe (bytes.isEmpty ? emptyArena : bytes).withUnsafeBufferPointer { buffer in
      guard let arena = buffer.baseAddress else { preconditionFailure("the arena has no address") }
      return unsafe try body(arena)
    }
  }

  /// Binds cells to the first parameters; the arena must outlive the statement's next step.
  static func bind(
    _ cells: [RowBatch.Cell], _ arena: UnsafePointer<UInt8>, to handle: OpaquePointer?
  ) throws {
    for (place, cell) in cells.enumerated() {
      unsafe try check(bind(cell, to: handle, at: Int32(place + 1), arena))
    }
  }

  /// Binds one row's cells to the first parameters; the arena must outlive the statement's next step.
  ///
  /// A parameter that stays null or keeps a number, as half of all cells do, is left alone. Each call takes a
  /// lock.
  ///
  /// - Parameter previous: The row that is bound now; nil if none is.
  static func bind(
    row: Int, after previous: Int?, of cells: [RowBatch.Cell], width: Int, _ arena: UnsafePointer<UInt8>,
    to handle: OpaquePointer?
  ) throws {
    let start = row * width
    for column in 0..<width {
      let cell = cells[start + column]
      let bound = previous.map { cells[$0 * width + column] } ?? .null
      switch (cell, bound) {
      case (.null, .null): continue
      case (.integer(let number), .integer(let last)) where number == last: continue
      default: unsafe try check(bind(cell, to: handle, at: Int32(column + 1), arena))
      }
    }
  }

  private static func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func bind(
    _ cell: RowBatch.Cell, to handle: OpaquePointer?, at place: Int32, _ arena: UnsafePointer<UInt8>
  ) -> Int32 {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, place)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, place, number)
    case .real(let number), .date(let number): return unsafe sqlite3_bind_double(handle, place, number)
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
