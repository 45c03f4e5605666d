internal import ManagedContext

/// Reads statements' rows into arenas.
enum RowReader {
  /// The limit of an arena, in bytes: offsets have 32 bits.
  private static let largestArena = 2 << 30

  /// Returns the rows of a statement that yields a key, a version, and each of `columns`.
  static func rows(
    _ result: QueryResult, of entity: EntityIndex, columns: [Int], store: StoreNumber,
    _ model: ManagedObjectModel
  ) throws(StoreError) -> RowBatch {
    var rows = RowBatch(entity: entity, columns: columns)
    rows.store = store
    rows.reserveCapacity(result.count)
    let types = columns.map { model[entity].attributes[$0].type }
    for row in 0..<result.count {
      rows.beginRow(key: result.integer(row, 0) ?? 0, version: result.integer(row, 1) ?? 0)
      for (place, type) in types.enumerated() { result.appendCell(row, place + 2, type, to: &rows) }
      if rows.bytes.count > largestArena {
        throw .request("a fetch is over \(largestArena >> 20) MiB; fetch fewer rows at once")
      }
    }
    return rows
  }

  /// Returns the numbers in the first column.
  static func numbers(_ result: QueryResult) -> [Int64] {
    (0..<result.count).compactMap { result.integer($0, 0) }
  }
}
