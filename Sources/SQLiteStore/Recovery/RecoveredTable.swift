internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Copies one table's rows from a recovered file into a new store.
struct RecoveredTable {
  let entity: EntityDescription
  let target: Database
  let isStopped: () -> Bool
  private(set) var report: RecoveryReport.Table
  private let columns: String

  init(
    _ entity: EntityDescription, before: Int?, to target: Database, until isStopped: @escaping () -> Bool
  ) {
    (self.entity, self.target, self.isStopped) = (entity, target, isStopped)
    columns = (["id", "version"] + entity.attributes.map(\.name)).map(quoted).joined(separator: ", ")
    report = .init(name: entity.name, before: before)
  }

  /// Copies all rows that can be part of a store, and reserves the keys of deleted ones.
  ///
  /// - Parameter source: A file in which the table may be missing.
  mutating func copy(from source: Database) throws {
    guard
      let rows = try? Row.fetchCursor(
        source, sql: "SELECT \(columns) FROM \(quoted(entity.name)) NOT INDEXED ORDER BY id")
    else { return }
    while let row = try rows.next() {
      if isStopped() { throw StoreError.busy }
      try insert(Array(row.databaseValues))
    }
    if let last = KeySequence.last(of: entity.name, in: source) {
      try KeySequence.reserve(last, of: entity.name, in: target)
    }
  }

  /// Writes a row, without optional values of a wrong type.
  private mutating func insert(_ values: [DatabaseValue]) throws {
    var values = values
    var emptied = 0
    for (index, attribute) in entity.attributes.enumerated() {
      let value = values[index + 2]
      if attribute.type.fits(value), attribute.isOptional || !value.isNull { continue }
      guard attribute.isOptional else {
        report.refused += 1
        return
      }
      emptied += 1
      values[index + 2] = .null
    }
    let places = values.map { _ in "?" }.joined(separator: ", ")
    let statement = try target.cachedStatement(
      sql: "INSERT OR IGNORE INTO \(quoted(entity.name)) (\(columns)) VALUES (\(places))")
    try statement.execute(arguments: StatementArguments(values))
    guard target.changesCount == 1 else {
      report.refused += 1
      return
    }
    report.copied += 1
    report.emptied += emptied
  }
}
