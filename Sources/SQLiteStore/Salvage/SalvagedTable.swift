internal import GRDB
internal import ManagedContext

/// Copies the rows of one table from a damaged file, around the places that cannot be read.
struct SalvagedTable {
  private let entity: EntityDescription
  private let target: Database
  private let columns: String
  private let isStopped: () -> Bool
  private(set) var report: SalvageReport.Table

  /// The number of keys that are tried one after another without success.
  private static let longestGap: Int64 = 100_000

  /// - Parameter hasRoot: False if the first page of the table, which leads to all others, is unknown.
  init(
    _ entity: EntityDescription, to target: Database, hasRoot: Bool, until isStopped: @escaping () -> Bool
  ) {
    (self.entity, self.target, self.isStopped) = (entity, target, isStopped)
    columns = (["id", "version"] + entity.attributes.map(\.name)).map(quoted).joined(separator: ", ")
    report = .init(name: entity.name)
    report.hasUnknownLoss = !hasRoot
  }

  /// Copies all rows that can be read.
  ///
  /// Rows are read in the order of their keys. After a place that cannot be read, the next keys are tried one by one.
  mutating func copy(from source: Database) throws {
    let lastKey = lastKey(in: source)
    defer { if lastKey == nil { report.unreadable = 0 } }
    var key: Int64 = 0
    var gap: Int64 = 0
    while true {
      do {
        try copyRows(after: &key, from: source)
        return
      } catch let error as DatabaseError where Self.isDamage(error) {
        gap = 0
      }
      repeat {
        key += 1
        gap += 1
        if gap > Self.longestGap || key > lastKey ?? .max {
          report.hasUnknownLoss = report.hasUnknownLoss || lastKey == nil
          return
        }
      } while try !copyRow(key, from: source)
    }
  }

  /// Copies the rows that were not reached from the root of the table, from all its pages that can be found in the file.
  ///
  /// - Parameter select: Calls back with a connection to the file, in which the table has only these pages.
  mutating func copyLost(
    from pages: ArraySlice<LeafPages.Page>,
    select: (ArraySlice<LeafPages.Page>, (Database) throws -> Void) throws -> Void
  ) throws {
    guard !pages.isEmpty else { return }
    let before = report
    do {
      try select(pages) { source in
        let rows = try Row.fetchCursor(
          source, sql: "SELECT \(columns) FROM \(quoted(entity.name)) NOT INDEXED")
        while let row = try rows.next() { try insert(Array(row.databaseValues)) }
      }
    } catch let error as DatabaseError where Self.isDamage(error) && pages.count > 1 {
      let middle = pages.startIndex + pages.count / 2
      try copyLost(from: pages[..<middle], select: select)
      try copyLost(from: pages[middle...], select: select)
    } catch let error as DatabaseError where Self.isDamage(error) {
      // The rows before the damage were copied.
    }
    // Rows that were copied before are not refused.
    let found = report.copied - before.copied
    report.refused = before.refused
    report.unreadable = max(0, before.unreadable - found)
  }

  /// Copies the rows with larger keys, and sets `key` to that of the last one.
  private mutating func copyRows(after key: inout Int64, from source: Database) throws {
    let rows = try Row.fetchCursor(
      source, sql: "SELECT \(columns) FROM \(quoted(entity.name)) NOT INDEXED WHERE id > ? ORDER BY id",
      arguments: [key])
    while let row = try rows.next() {
      if isStopped() { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
      // In a damaged tree, a page may lead to an earlier one.
      guard let next = Int64.fromDatabaseValue(row[0]), next > key else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
      key = next
      try insert(Array(row.databaseValues))
    }
  }

  /// Copies one row.
  ///
  /// - Returns: True if the place of the row can be read, even if it has no row.
  private mutating func copyRow(_ key: Int64, from source: Database) throws -> Bool {
    if isStopped() { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
    do {
      let sql = "SELECT \(columns) FROM \(quoted(entity.name)) NOT INDEXED WHERE id = ?"
      guard let row = try Row.fetchOne(source, sql: sql, arguments: [key]) else { return true }
      try insert(Array(row.databaseValues))
      return true
    } catch let error as DatabaseError where Self.isDamage(error) {
      return try copyCells(key, from: source)
    }
  }

  /// Copies a row of which some columns may be readable: long values are elsewhere in the file.
  private mutating func copyCells(_ key: Int64, from source: Database) throws -> Bool {
    var values: [DatabaseValue] = []
    for name in ["id", "version"] + entity.attributes.map(\.name) {
      do {
        let sql = "SELECT \(quoted(name)) FROM \(quoted(entity.name)) NOT INDEXED WHERE id = ?"
        guard let value = try DatabaseValue.fetchOne(source, sql: sql, arguments: [key]) else { return true }
        values.append(value)
      } catch let error as DatabaseError where Self.isDamage(error) {
        guard values.count >= 2, entity.attributes[values.count - 2].isOptional else {
          report.unreadable += 1
          return false
        }
        report.emptied += 1
        values.append(.null)
      }
    }
    try insert(values)
    return true
  }

  /// Writes a row into the copy, without optional values of a wrong type.
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

  /// The largest key that the table ever had; nil if that cannot be read.
  private func lastKey(in source: Database) -> Int64? {
    // A table that never had a row is not in the list.
    let sequence = try? Int64.fetchOne(
      source, sql: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?",
      arguments: [entity.name])
    let largest = try? Int64.fetchOne(source, sql: "SELECT max(id) FROM \(quoted(entity.name))")
    return [sequence, largest].compactMap(\.self).max()
  }

  /// Returns whether an error in reading is caused by the file's contents or its disk.
  static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_IOERR, .SQLITE_NOTADB].contains(error.resultCode)
  }
}
