internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Migrates the tables from an older model version to the current one, in one transaction.
///
/// The differences are inferred from the existing tables. `renamedFrom` in the model distinguishes a renamed
/// entity or attribute from a new one. Rows keep their keys and versions. If the migration fails, or the
/// process ends during it, the file is unchanged.
struct Migration {
  let model: ManagedObjectModel
  let identity: StoreIdentity
  let store: StoreNumber
  let db: Database
  /// False if rows may refer to missing ones.
  var checksReferences = true

  /// Migrates a file with an older version. If several processes try at the same time, only one does it.
  ///
  /// - Throws: ``StoreError/newer(version:known:)``; ``StoreError/validation(_:)`` if a value is missing,
  ///   does not have the new type, or refers to a row that does not exist; ``StoreError/conflict(_:)`` if
  ///   rows violate a new uniqueness constraint.
  func run() throws {
    guard try isNeeded() else { return }
    // With foreign keys on, dropping a table would delete its rows one by one and report each broken
    // reference. The setting is fixed inside a transaction (sqlite.org/lang_altertable.html, section 7).
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
    try db.immediately {
      if try isNeeded() { try migrate() }
    }
  }

  private func isNeeded() throws -> Bool {
    try Schema.checkNotNewer(than: model, in: db)
    return try Schema.version(in: db) < model.version
  }

  private func migrate() throws {
    // Renaming a table fails if a view refers to something missing. Older view names are not known.
    let views = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid")
    for view in views { try db.execute(sql: "DROP VIEW \(quoted(view["name"]))") }
    // They refer to columns that may change. Other triggers stay.
    for trigger in VersionTable.all(of: model, .sqlite).flatMap(\.triggers) {
      try db.execute(sql: "DROP TRIGGER IF EXISTS \(quoted(trigger.name))")
    }
    let plan = try MigrationPlan(from: try TableShape.all(in: db), to: model)
    try rename(plan)
    let renamed = try TableShape.all(in: db)
    for table in VersionTable.all(of: model, .sqlite) {
      try DifferenceExpansion(table, renamed, in: db)?.run()
    }
    // The pairs must be created before the tables lose the columns that contain them.
    for source in plan.pairs { try makePairs(of: source) }
    for step in plan.steps where !plan.pairs.contains(where: { $0.join.name == step.entity.name }) {
      try apply(step)
      try makeTruthValues(step)
    }
    let found = try Schema.version(in: db)
    for (name, function) in identity.functions {
      db.add(
        function: DatabaseFunction(name, argumentCount: 1) { values in
          function(String.fromDatabaseValue(values[0]))
        })
    }
    for conversion in identity.conversions where conversion.version > found {
      for statement in conversion.statements { try db.execute(sql: statement) }
    }
    for step in plan.steps { try updateIndexes(step) }
    // New tables and columns contain no references. Checking all references takes as long as reading the
    // file.
    if checksReferences, plan.touchesReferences,
      let broken = try FileConnection(db: db).brokenReference(model, store)
    {
      throw StoreError.validation(broken)
    }
    try Schema.finish(model, identity: identity, in: db)
    try restore(views)
  }

  /// Recreates the views that users have added, except those with a name that the current version uses.
  private func restore(_ views: [Row]) throws {
    let ours = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_master"))
    let formerly = Set(identity.formerViews)
    for view in views {
      let name: String = view["name"]
      if !ours.contains(name), !formerly.contains(name) { try db.execute(sql: view["sql"]) }
    }
  }

  /// Renames the tables by way of temporary names, because two tables may exchange their names.
  private func rename(_ plan: MigrationPlan) throws {
    for (number, names) in plan.renamed.enumerated() {
      try rename(names.from, to: "migration_\(number)")
    }
    for table in plan.removed { try db.execute(sql: "DROP TABLE \(quoted(table))") }
    for (number, names) in plan.renamed.enumerated() {
      try rename("migration_\(number)", to: names.to)
    }
  }

  private func rename(_ table: String, to name: String) throws {
    try db.execute(sql: "ALTER TABLE \(quoted(table)) RENAME TO \(quoted(name))")
  }

  /// Creates a joining table, with a pair for each reference in a removed to-one relationship.
  private func makePairs(of source: PairSource) throws {
    try db.execute(sql: Schema.createTable(source.join))
    let ends = source.join.attributes.map { quoted($0.name) }
    let (owner, other) = source.isFirst ? (ends[0], ends[1]) : (ends[1], ends[0])
    try db.execute(
      sql: """
        INSERT INTO \(quoted(source.join.name)) (version, \(owner), \(other)) \
        SELECT 1, id, \(quoted(source.column)) FROM \(quoted(source.table)) \
        WHERE \(quoted(source.column)) IS NOT NULL ORDER BY id
        """)
  }

  private func apply(_ step: MigrationPlan.Step) throws {
    switch step.change {
    case .keep: break
    case .create: try db.execute(sql: Schema.createTable(step.entity))
    case .add(let attributes):
      for attribute in attributes.map({ step.entity.attributes[$0] }) {
        let value = attribute.defaultValue.isNull ? nil : attribute.defaultValue.sqlLiteral
        let fallback = value.map { " DEFAULT \($0)" } ?? ""
        try db.execute(
          sql: "ALTER TABLE \(quoted(step.entity.name)) ADD COLUMN \(Schema.column(attribute))\(fallback)")
      }
    case .rebuild: try TableRebuild(step: step, model: model, store: store, db: db).run()
    }
  }

  /// Converts the old version's numbers to 0 and 1, which predicates compare. The column type is the same.
  private func makeTruthValues(_ step: MigrationPlan.Step) throws {
    for (attribute, source) in zip(step.entity.attributes, step.columns)
    where attribute.type == .boolean && source != nil {
      let name = quoted(attribute.name)
      try db.execute(sql: "UPDATE \(quoted(step.entity.name)) SET \(name) = 1 WHERE \(name) NOT IN (0, 1)")
    }
  }

  private func updateIndexes(_ step: MigrationPlan.Step) throws {
    let wanted = TableShape(of: step.entity).indexes
    let isNew = [.create, .rebuild].contains(step.change)
    let kept = isNew ? [] : Set(step.source?.indexes ?? []).intersection(wanted)
    if !isNew {
      for index in step.source?.indexes ?? [] where !kept.contains(index) {
        try db.execute(sql: "DROP INDEX \(quoted(index.name))")
      }
    }
    for index in wanted where !kept.contains(index) {
      if index.isUnique { try checkUniqueness(index, of: step.entity) }
      try db.execute(sql: Schema.createIndex(index, on: step.entity.name))
    }
  }

  /// Reports two rows with the same values; SQLite's own error would only name the columns.
  private func checkUniqueness(_ index: TableShape.Index, of entity: EntityDescription) throws {
    let names = index.columns.map(quoted)
    let present = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let twice = try Row.fetchOne(
      db,
      sql: """
        SELECT min(id) AS first, max(id) AS last FROM \(quoted(entity.name)) WHERE \(present) \
        GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
        """)
    guard let twice, let place = model.index(named: entity.name) else { return }
    let ids = ["first", "last"].map { ManagedObjectID(entity: place, store: store, key: twice[$0]) }
    let values = try index.columns.reduce(into: [String: AttributeValue]()) { values, column in
      values[column] = try value(of: column, in: ids[1])
    }
    throw StoreError.conflict([
      MergeConflict(
        object: ids[1], entity: entity.name, kind: .unique(attributes: index.columns, other: ids[0]),
        objectValues: values, storeValues: values)
    ])
  }

  private func value(of column: String, in id: ManagedObjectID) throws -> AttributeValue {
    let entity = model[id.entity]
    let query = StoreQuery(
      entity: id.entity, predicate: .ids([id]),
      columns: entity.attributes.indices.filter { entity.attributes[$0].name == column })
    let rows = try RowReader.rows(
      db, StoreSQL(model: model).select(query), entity: id.entity, columns: query.columns ?? [])
    return rows.count == 1 ? rows.value(row: 0, column: 0, model: model) : .null
  }
}
