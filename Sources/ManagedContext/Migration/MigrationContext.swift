/// Reads a store's old rows and writes new ones, during a ``Migration``.
///
/// Old rows have the names in the old version, and new rows have the names in the version to which the store is
/// migrated. Rows are read and written in parts, so memory does not grow with their number. Old rows stay as they
/// were until the migration ends.
public final class MigrationContext {
  /// The store's version before this stage.
  public let version: Int
  private let tables: any MigratedTables
  private let report: (MigrationProgress) -> Void
  private var oldTables: [String: OldTable] = [:]
  private var newTables: [EntityIndex: NewTable] = [:]
  /// The number of rows that were read so far, and of all rows, in each old table that the stage reads.
  private var counts: [Int: (read: Int, total: Int)] = [:]

  /// The limits for a part in memory: its rows, and its text in bytes.
  private static let (rowsOfPart, bytesOfPart) = (500, 4 << 20)
  /// The number of values that cannot be converted after which no further row is read.
  private static let mostViolations = 1000

  init(from version: Int, _ tables: any MigratedTables, report: @escaping (MigrationProgress) -> Void) {
    (self.version, self.tables, self.report) = (version, tables, report)
    for place in tables.old.indices {
      let table = OldTable(place, of: tables, version: version)
      oldTables[table.name] = table
    }
  }

  /// Returns whether the store's old version has an entity.
  public func hasOldRows(of entity: String) -> Bool { oldTables[entity] != nil }

  /// Calls `body` with each old row of an entity, in the order of the keys.
  ///
  /// If values cannot be converted, the error names the first 1,000 of them: `body` is called for the rows after
  /// the first one too. Any other error ends the loop.
  ///
  /// - Parameters:
  ///   - entity: The entity's name in the old version. It may be missing in the new one.
  ///   - body: Receives a row.
  public func forEachRow(of entity: String, _ body: (OldRow) throws -> Void) throws(StoreError) {
    guard let table = oldTables[entity] else {
      throw .incompatible("there is no entity \(entity) in version \(version)")
    }
    let last = if let entity = table.entity { try newTable(entity).lastKey } else { Int64.max }
    let total = try count(of: table.place, through: last)
    var (read, key) = (0, Int64.min)
    var violations: [ValidationError] = []
    while true {
      let rows = try tables.rows(
        of: table.place, after: key, limit: Self.rowsOfPart, bytes: Self.bytesOfPart)
      for row in 0..<rows.count where rows.keys[row] <= last {
        let old = OldRow(rows, row, table)
        do {
          try body(old)
        } catch {
          // The stage fails, but only when other rows with such values are known.
          violations.append(try violation(error, of: old))
          if violations.count == Self.mostViolations { throw .validations(violations) }
        }
        read += 1
      }
      if rows.count > 0 { note(entity, table.place, rows: read, of: total) }
      // The others were inserted by the migration, perhaps by `body`.
      guard let end = rows.keys.last, end < last else { break }
      key = end
    }
    if let error = StoreError(violations) { throw error }
  }

  // MARK: Progress

  /// Returns the number of a table's rows, and adds it to the stage's total. Tables that the stage converts without
  /// the program's code are in this total from the beginning.
  private func count(of table: Int, through last: Int64) throws(StoreError) -> Int {
    if counts.isEmpty {
      for index in tables.model.entities.indices where tables.needsConversion(EntityIndex(index)) {
        guard let source = tables.source(of: EntityIndex(index)) else { continue }
        counts[source.table] = (0, try tables.count(of: source.table, through: .max))
      }
    }
    let total = try tables.count(of: table, through: last)
    counts[table] = (counts[table]?.read ?? 0, total)
    return total
  }

  private func note(_ entity: String, _ table: Int, rows: Int, of total: Int) {
    counts[table] = (max(rows, counts[table]?.read ?? 0), total)
    let all = counts.values.reduce((0, 0)) { ($0.0 + $1.read, $0.1 + $1.total) }
    report(
      MigrationProgress(
        version: tables.model.version, entity: entity, rows: rows, total: total, allRows: all.0,
        allTotal: all.1))
  }

  // MARK: Rows that existed before

  /// Calls `body` with each row of an entity as it was and as it will be. A row keeps its key.
  ///
  /// - Parameters:
  ///   - entity: The entity's name in the new version. It is updated once in a stage.
  ///   - body: Changes or deletes the new row.
  public func update(
    _ entity: String, _ body: (_ old: OldRow, _ new: inout NewRow) throws -> Void
  ) throws(StoreError) {
    try update(newTable(named: entity), body)
  }

  /// Calls `body` with each row of an entity as it was and as it will be. A row keeps its key.
  ///
  /// - Parameters:
  ///   - type: The entity's class. The entity is updated once in a stage.
  ///   - body: Changes or deletes the new row.
  public func update<Object: Entity>(
    _ type: Object.Type, _ body: (_ old: OldRow, _ new: inout NewEntityRow<Object>) throws -> Void
  ) throws(StoreError) {
    try update(newTable(of: type)) { old, row in
      var new = NewEntityRow<Object>(row: row)
      try body(old, &new)
      row = new.row
    }
  }

  private func update(
    _ table: NewTable, _ body: (OldRow, inout NewRow) throws -> Void
  ) throws(StoreError) {
    let name = table.description.name
    guard let source = tables.source(of: table.entity) else {
      throw .incompatible("\(name) has no rows in version \(version): it is new in version \(table.version)")
    }
    guard !table.isUpdated else {
      throw .incompatible(
        "\(name) is updated twice between the versions \(version) and \(table.version): describe the model of the "
          + "version in between")
    }
    table.isUpdated = true
    try flush(table)
    try tables.beginRows(of: table.entity, after: table.lastKey)
    try forEachRow(of: tables.old[source.table].name) { old in
      var new = NewRow(
        table, table.description.attributes.map { $0.value(of: old, source.columns[$0.index]) })
      try body(old, &new)
      if new.isDeleted { return }
      let id = ManagedObjectID(entity: table.entity, store: tables.store, key: old.key)
      try add(new.checked(id), to: table, key: old.key, version: old.version)
    }
    try flush(table)
  }

  // MARK: New rows

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - entity: The entity's name in the new version.
  ///   - fill: Sets the row's values.
  /// - Returns: The row's key.
  @discardableResult
  public func insert(_ entity: String, _ fill: (inout NewRow) throws -> Void) throws -> Int64 {
    try insert(newTable(named: entity), fill)
  }

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - type: The entity's class.
  ///   - fill: Sets the row's values.
  /// - Returns: The row's key.
  @discardableResult
  public func insert<Object: Entity>(
    _ type: Object.Type, _ fill: (inout NewEntityRow<Object>) throws -> Void
  ) throws -> Int64 {
    try insert(newTable(of: type)) { row in
      var new = NewEntityRow<Object>(row: row)
      try fill(&new)
      row = new.row
    }
  }

  private func insert(_ table: NewTable, _ fill: (inout NewRow) throws -> Void) throws -> Int64 {
    var row = NewRow(table, table.description.defaults)
    try fill(&row)
    let key = table.nextKey
    try add(row.checked(nil), to: table, key: key, version: 1)
    table.nextKey += 1
    return key
  }

  private func add(
    _ values: [AttributeValue], to table: NewTable, key: Int64, version: Int64
  ) throws(StoreError) {
    table.rows.beginRow(key: key, version: version)
    for value in values { table.rows.append(value) }
    if table.rows.count >= Self.rowsOfPart || table.rows.bytes.count > Self.bytesOfPart { try flush(table) }
  }

  private func flush(_ table: NewTable) throws(StoreError) {
    guard table.rows.count > 0 else { return }
    try tables.add(table.rows)
    table.rows.removeAll()
  }

  /// Writes the last rows, and converts the rows that the program has not updated.
  func finish() throws(StoreError) {
    for table in newTables.values { try flush(table) }
    for index in tables.model.entities.indices where tables.needsConversion(EntityIndex(index)) {
      try update(newTable(EntityIndex(index))) { _, _ in }
    }
  }

  // MARK: Entities

  private func newTable(named name: String) throws(StoreError) -> NewTable {
    guard let entity = tables.model.index(named: name) else {
      throw .incompatible("there is no entity \(name) in version \(tables.model.version)")
    }
    return try newTable(entity)
  }

  private func newTable(of type: ManagedObject.Type) throws(StoreError) -> NewTable {
    try newTable(tables.model.entity(of: type))
  }

  private func newTable(_ entity: EntityIndex) throws(StoreError) -> NewTable {
    if let table = newTables[entity] { return table }
    let table = try NewTable(entity, of: tables)
    newTables[entity] = table
    return table
  }

  /// Returns a value that breaks a rule, with its row, such as one that a row has which the program inserts.
  ///
  /// - Throws: Any other error.
  private func violation(_ error: any Error, of row: OldRow) throws(StoreError) -> ValidationError {
    switch error {
    case StoreError.validation(let error):
      return error.object == nil && error.entity != row.table.name
        ? row.violation(nil, error.description) : error
    case let error as StoreError: throw error
    case is CancellationError: throw .cancelled
    default: throw .validation(row.violation(nil, "\(error)"))
    }
  }
}

extension OldRow {
  fileprivate init(_ rows: RowBatch, _ row: Int, _ table: OldTable) {
    (key, version, self.table) = (rows.keys[row], rows.versions[row], table)
    values = rows.columns.indices.map { rows.value(row: row, column: $0, destination: nil) }
  }
}

extension AttributeDescription {
  /// Returns the value of a row that existed before. A value that cannot be converted, or not read afterwards,
  /// stays as it was.
  fileprivate func value(of row: OldRow, _ column: Int?) -> AttributeValue {
    guard let column else { return defaultValue }
    let value = row.values[column]
    if value.isNull { return isOptional ? value : defaultValue }
    if type.accepts(value) { return value }
    guard let converted = value.converted(to: type), isReadable(converted) else { return value }
    return converted
  }
}
