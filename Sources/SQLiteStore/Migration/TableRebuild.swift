internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Copies a table's rows into a new table with another definition, and replaces the old table with it.
struct TableRebuild {
  let step: MigrationPlan.Step
  let model: ManagedObjectModel
  let store: StoreNumber
  let db: Database

  private static let newName = "migration_new"
  private var entity: EntityDescription { step.entity }

  func run() throws {
    try checkForMissingValues()
    try db.execute(sql: Schema.createTable(entity, named: Self.newName))
    let names = entity.attributes.map { ", \(quoted($0.name))" }.joined()
    try db.execute(
      sql: """
        INSERT INTO \(Self.newName) (id, version\(names)) \
        SELECT id, version\(values()) FROM \(quoted(entity.name)) ORDER BY id
        """)
    try checkTypes()
    try db.execute(sql: "DROP TABLE \(quoted(entity.name))")
    try db.execute(sql: "ALTER TABLE \(Self.newName) RENAME TO \(quoted(entity.name))")
  }

  /// Returns an expression for each attribute, after a comma each.
  private func values() -> String {
    zip(entity.attributes, step.columns).map { attribute, source in
      let fallback = attribute.defaultValue.sqlExpression
      var value = source.map { quoted($0.name) } ?? fallback
      if let source, source.type != Schema.columnType(attribute.type) {
        // A column with a numeric type converts all values that can be converted without loss.
        switch attribute.type {
        case .text: value = "CAST(\(value) AS TEXT)"
        case .bytes: value = "CAST(\(value) AS BLOB)"
        case .integer, .boolean, .real, .date, .reference: break
        }
      }
      let fillsGaps = source != nil && !attribute.isOptional && !attribute.defaultValue.isNull
      if fillsGaps { value = "coalesce(\(value), \(fallback))" }
      return ", \(value)"
    }.joined()
  }

  private func checkForMissingValues() throws {
    for (attribute, source) in zip(entity.attributes, step.columns) {
      guard !attribute.isOptional, attribute.defaultValue.isNull, source?.isRequired != true else { continue }
      let condition = source.map { " WHERE \(quoted($0.name)) IS NULL" } ?? ""
      let row = try Int64.fetchOne(db, sql: "SELECT id FROM \(quoted(entity.name))\(condition) LIMIT 1")
      // A new attribute is missing in every row, so the error names no row.
      if let row { throw error(attribute, row: source == nil ? nil : row, .missingValue) }
    }
  }

  /// Checks the types of converted values. A value that cannot be converted is stored unchanged
  /// (sqlite.org/datatype3.html, 3), and would be read as null.
  private func checkTypes() throws {
    for (attribute, source) in zip(entity.attributes, step.columns) {
      guard let source, source.type != Schema.columnType(attribute.type) else { continue }
      let accepted = (["null"] + attribute.type.storedTypes).map { "'\($0)'" }.joined(separator: ", ")
      let row = try Int64.fetchOne(
        db,
        sql: """
          SELECT id FROM \(Self.newName) \
          WHERE typeof(\(quoted(attribute.name))) NOT IN (\(accepted)) LIMIT 1
          """)
      if let row { throw error(attribute, row: row, .wrongType(expected: attribute.type)) }
    }
  }

  private func error(
    _ attribute: AttributeDescription, row: Int64?, _ cause: ValidationError.Cause
  ) -> StoreError {
    let place = model.index(named: entity.name)
    let object = row.flatMap { row in place.map { ManagedObjectID(entity: $0, store: store, key: row) } }
    return .validation(
      ValidationError(entity: entity.name, attribute: attribute.name, object: object, cause: cause))
  }
}
