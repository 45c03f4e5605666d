internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements

/// Runs statements, and reads their rows into one arena. Text is copied once, without creating a `String`.
enum RowReader {
  /// The limit of an arena, in bytes: offsets have 32 bits, and a single SQLite value may add up to 1 GB.
  private static let largestArena = 2 << 30

  /// Returns the rows of a statement that yields a key, a version, and each of `columns`.
  static func rows(
    _ db: Database, _ query: FileStatement, entity: EntityIndex, columns: [Int]
  ) throws -> RowBatch {
    try rows(db, query.text, query.parameters, query.model, entity: entity, columns: columns)
  }

  /// Returns the rows of such a statement with one number as its parameter.
  ///
  /// - Parameter bytes: The text size after which no further row is read.
  static func rows(
    _ db: Database, _ text: String, _ number: Int64, _ model: ManagedObjectModel, entity: EntityIndex,
    columns: [Int], bytes: Int = .max
  ) throws -> RowBatch {
    var parameters = RowBatch(entity: entity, columns: [])
    parameters.append(RowBatch.Cell.integer(number))
    return try rows(db, text, parameters, model, entity: entity, columns: columns, bytes: bytes)
  }

  private static func rows(
    _ db: Database, _ text: String, _ parameters: RowBatch, _ model: ManagedObjectModel, entity: EntityIndex,
    columns: [Int], bytes: Int = .max
  ) throws -> RowBatch {
    var rows = RowBatch(entity: entity, columns: columns)
    try forEachPart(db, text, parameters, model, entity: entity, columns: columns, bytes: bytes) { rows = $0 }
    return rows
  }

  /// Reads rows in parts.
  ///
  /// - Parameters:
  ///   - isKeyless: True if the statement yields the columns alone; the keys and versions are then 0.
  ///   - bytes: The text size of a part after which no further row is read.
  ///   - size: The number of rows in each part but the last.
  ///   - visit: Called with each part, and once if there are no rows.
  static func forEachPart(
    _ db: Database, _ text: String, _ parameters: RowBatch, _ model: ManagedObjectModel, entity: EntityIndex,
    columns: [Int], isKeyless: Bool = false, bytes: Int = .max, size: Int = .max, _ visit: (RowBatch) -> Void
  ) throws {
    // Arrays of this function: each change of a batch's arrays would call another module.
    var (keys, versions): ([Int64], [Int64]) = ([], [])
    var cells: [RowBatch.Cell] = []
    var arena: [UInt8] = []
    let dates = columns.indices.filter { model[entity].attributes[columns[$0]].type == .date }
    let width = columns.count
    let first = isKeyless ? 0 : 2
    var count = 0
    try run(text, parameters, db) { row in
      if count == size {
        if isKeyless { (keys, versions) = (zeros(count), zeros(count)) }
        visit(
          RowBatch(
            entity: entity, columns: columns, bytes: copy(arena), cells: copy(cells), keys: copy(keys),
            versions: copy(versions)))
        count = 0
        keys.removeAll(keepingCapacity: true)
        versions.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        arena.removeAll(keepingCapacity: true)
      }
      count += 1
      let handle = unsafe row.handle
      if !isKeyless {
        keys.append(unsafe sqlite3_column_int64(handle, 0))
        versions.append(unsafe sqlite3_column_int64(handle, 1))
      }
      for column in first..<first + width {
        cells.append(unsafe cell(of: handle, column: Int32(truncatingIfNeeded: column), &arena))
      }
      for column in dates {
        let place = cells.count - width + column
        if case .real(let seconds) = cells[place] { cells[place] = .date(seconds) }
      }
      if arena.count > largestArena {
        throw StoreError.request("a fetch is over \(largestArena >> 20) MiB; fetch fewer rows at once")
      }
      return arena.count < bytes
    }
    if isKeyless { (keys, versions) = (zeros(count), zeros(count)) }
    visit(
      RowBatch(entity: entity, columns: columns, bytes: arena, cells: cells, keys: keys, versions: versions))
  }

  private static func zeros(_ count: Int) -> [Int64] { [Int64](repeating: 0, count: count) }

  /// Returns a copy without unused capacity.
  private static func copy<Element>(_ values: [Element]) -> [Element] {
    unsafe values.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Returns the numbers in a statement's only column: keys, or a count.
  static func numbers(_ db: Database, _ query: FileStatement) throws -> [Int64] {
    var numbers: [Int64] = []
    try run(query.text, query.parameters, db) { row in
      numbers.append(unsafe sqlite3_column_int64(row.handle, 0))
      return true
    }
    return numbers
  }

  /// Returns the groups of a statement that summarizes rows.
  static func groups(
    _ db: Database, _ query: FileStatement, _ aggregate: StoreAggregate, store: StoreNumber,
    _ model: ManagedObjectModel
  ) throws -> [StoreGroup] {
    var groups: [StoreGroup] = []
    try run(query.text, query.parameters, db) { row in
      groups.append(try aggregate.group(model, store) { row.value($0, $1) })
      return true
    }
    return groups
  }

  /// Executes a statement, and calls `visit` for each row until it returns false.
  @inline(__always)
  private static func run(
    _ text: String, _ parameters: RowBatch, _ db: Database, _ visit: (QueryRow) throws -> Bool
  ) throws {
    let statement = try db.cachedStatement(sql: text)
    let handle = unsafe statement.sqliteStatement
    defer { unsafe sqlite3_clear_bindings(handle) }
    try unsafe CellBinding.withArena(parameters.bytes) { arena in
      unsafe try CellBinding.bind(parameters.cells, arena, to: handle)
      try QueryRow.forEach(statement, db, visit)
    }
  }

  /// Returns a value of the current row, whose text or bytes are copied to the end of an arena.
  private static func cell(
    of handle: OpaquePointer?, column: Int32, _ arena: inout [UInt8]
  ) -> RowBatch.Cell {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(handle, column)
      let count = unsafe sqlite3_column_bytes(handle, column)
      let offset = UInt32(arena.count)
      unsafe arena.append(contentsOf: UnsafeBufferPointer(start: start, count: Int(count)))
      return .text(offset: offset, count: UInt32(count))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(handle, column)
      let count = unsafe sqlite3_column_bytes(handle, column)
      let offset = UInt32(arena.count)
      unsafe arena.append(contentsOf: UnsafeRawBufferPointer(start: start, count: Int(count)))
      return .bytes(offset: offset, count: UInt32(count))
    default: return .null
    }
  }
}
