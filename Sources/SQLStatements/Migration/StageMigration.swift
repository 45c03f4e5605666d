public import ManagedContext

/// Migrates the tables from an older model version to a stage's model, in the current transaction.
///
/// The differences are inferred from the existing tables. `renamedFrom` in the model distinguishes a renamed
/// entity or attribute from a new one. Rows keep their keys and versions. Each table with another definition is
/// written again under another name, by the program's code or by a statement, and then replaces the old one.
public final class StageMigration<Connection: MigratedConnection>: MigratedTables {
  public let plan: MigrationPlan
  public let store: StoreNumber
  public let old: [EntityDescription]
  let stage: MigrationStage
  let connection: Connection
  private let name: String
  /// The tables with their old names.
  let shapes: [TableShape]
  /// Reads the old tables by their present names.
  private let source: any StoreCopySource
  private let oldTables: ManagedObjectModel
  /// Write the tables with their own names, and the ones that will replace them.
  private let (target, newTarget): (any StoreCopyTarget, any StoreCopyTarget)
  /// The entities with tables that will be replaced.
  private(set) var rebuilt: Set<Int>
  /// The entities with new tables whose rows the context writes.
  private var begun: Set<EntityIndex> = []

  public var model: ManagedObjectModel { stage.model }

  /// - Parameters:
  ///   - stage: The stage.
  ///   - connection: A connection in a transaction.
  ///   - name: The store's name, for messages.
  ///   - store: The store's number, for errors about rows.
  public init(_ stage: MigrationStage, _ connection: Connection, name: String, store: StoreNumber) throws {
    (self.stage, self.connection, self.name, self.store) = (stage, connection, name, store)
    let shapes = try connection.entityTables()
    let plan = try MigrationPlan(from: shapes, to: stage.model, Connection.dialect)
    (self.shapes, self.plan) = (shapes, plan)
    try Self.checkOmissions(plan, stage)
    try Self.checkExchanges(plan, shapes)
    let columns = shapes.map { shape in
      shape.columns.map { (name: $0.name, type: Connection.dialect.attributeType(ofColumn: $0.type)) }
    }
    old = zip(shapes, columns).map { EntityDescription(table: $0.name, columns: $1) }
    oldTables = ManagedObjectModel(
      version: stage.from,
      entities: zip(shapes, columns).map {
        EntityDescription(table: plan.presentName(of: $0.name), columns: $1)
      })
    let entities = stage.model.entities
    let tables = { (name: (Int) -> String) in
      ManagedObjectModel(
        version: stage.model.version,
        entities: entities.enumerated().map { place, entity in
          EntityDescription(table: name(place), columns: entity.attributes.map { ($0.name, $0.type) })
        })
    }
    source = connection.copySource(oldTables, name: name)
    target = connection.copyTarget(tables { entities[$0].name }, name: name)
    newTarget = connection.copyTarget(tables(MigrationPlan.newName), name: name)
    rebuilt = Set(plan.steps.indices.filter { plan.steps[$0].change == .rebuild })
  }

  private static func checkOmissions(_ plan: MigrationPlan, _ stage: MigrationStage) throws(StoreError) {
    for table in plan.removed { if let error = stage.omission(of: table) { throw error } }
    for step in plan.steps {
      let kept = Set(step.columns.compactMap { $0?.name })
      for column in step.source?.columns ?? [] where !kept.contains(column.name) {
        if let error = stage.omission(of: step.entity.name, column.name) { throw error }
      }
    }
  }

  /// Checks that no two names take each other's place: the tables do not show whether that happened in an earlier
  /// version already.
  private static func checkExchanges(_ plan: MigrationPlan, _ shapes: [TableShape]) throws(StoreError) {
    let entities = plan.steps.map { (name: $0.entity.name, oldNames: $0.entity.oldNames) }
    try checkExchanges(of: entities, in: shapes.map(\.name), "")
    for step in plan.steps {
      let attributes = step.entity.attributes.map { (name: $0.name, oldNames: $0.oldNames) }
      let columns = step.source?.columns.map(\.name) ?? []
      try checkExchanges(of: attributes, in: columns, step.entity.name + ".")
    }
  }

  private static func checkExchanges(
    of all: [(name: String, oldNames: [String])], in present: [String], _ place: String
  ) throws(StoreError) {
    let oldNames = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.oldNames) })
    for (name, old) in all where present.contains(name) {
      var (rest, seen) = (old, Set<String>())
      while let next = rest.popLast() {
        guard present.contains(next), seen.insert(next).inserted, let older = oldNames[next] else { continue }
        guard next != name else {
          throw .incompatible(
            """
            \(place)\(name) and \(place)\(old.first ?? "") are named by each other's renamedFrom, and the store has both; \
            remove these old names, and exchange the values in a Migration
            """)
        }
        rest += older
      }
    }
  }

  /// Migrates the tables and their rows.
  ///
  /// - Parameters:
  ///   - checksReferences: False if rows may refer to missing ones.
  ///   - report: Receives the progress.
  ///   - prepare: Called when the tables have their new names.
  ///   - convert: Called when the tables have their new columns, before indexes are created.
  /// - Throws: ``StoreError/validation(_:)`` if a value is missing, does not have the new type, or refers to a
  ///   row that does not exist; ``StoreError/conflict(_:)`` if rows violate a new uniqueness constraint.
  public func run(
    checksReferences: Bool = true, report: @escaping (MigrationProgress) -> Void,
    prepare: () throws -> Void = {}, convert: () throws -> Void = {}
  ) throws {
    if !stage.hasCode { try checkDestinations() }
    try rename()
    try prepare()
    // The pairs must be created before the tables lose the columns that contain them.
    for source in plan.pairs { try makePairs(of: source) }
    for (place, step) in plan.steps.enumerated() { try makeColumns(step, place) }
    try stage.run(on: self, report: report)
    for place in rebuilt.sorted() where !begun.contains(EntityIndex(place)) { try copyRows(to: place) }
    try replaceTables()
    for step in plan.steps { try makeTruthValues(step) }
    try convert()
    for (place, step) in plan.steps.enumerated() {
      let isNew = step.change == .create || rebuilt.contains(place)
      let indexes = try connection.indexChanges(step.entity, since: isNew ? nil : step.source)
      for statement in indexes.outdated { try connection.run(statement) }
      for index in indexes.missing {
        if let unique = index.unique { try checkUniqueness(unique, of: step.entity) }
        try connection.run(index.statement)
      }
    }
    // New tables and columns contain no references. Checking all references takes as long as reading the
    // store.
    if checksReferences, stage.hasCode || plan.touchesReferences,
      let broken = try connection.brokenReference(model, store)
    {
      throw StoreError.validation(broken)
    }
  }

  // MARK: Tables

  /// Renames the tables by way of temporary names, because two tables may exchange their names. Removed tables
  /// are kept for the program's code.
  private func rename() throws {
    for (number, names) in plan.renamed.enumerated() { try rename(names.from, to: "migration_\(number)") }
    for table in plan.removed { try rename(table, to: plan.presentName(of: table)) }
    for (number, names) in plan.renamed.enumerated() { try rename("migration_\(number)", to: names.to) }
  }

  private func rename(_ table: String, to name: String) throws {
    try connection.run("ALTER TABLE \(quoted(table)) RENAME TO \(quoted(name))")
  }

  /// Creates a joining table, with a pair for each reference in a removed to-one relationship.
  private func makePairs(of source: PairSource) throws {
    try connection.run(Connection.createTable(source.join, named: source.join.name))
    let ends = source.join.attributes.map { quoted($0.name) }
    let (owner, other) = source.isFirst ? (ends[0], ends[1]) : (ends[1], ends[0])
    try connection.run(
      """
      INSERT INTO \(source.join.table) (version, \(owner), \(other)) \
      SELECT 1, id, \(quoted(source.column)) FROM \(quoted(source.table)) \
      WHERE \(quoted(source.column)) IS NOT NULL ORDER BY id
      """)
  }

  private func makeColumns(_ step: MigrationPlan.Step, _ place: Int) throws {
    switch step.change {
    case .keep: break
    case .create where plan.pairs.contains { $0.join.name == step.entity.name }: break
    case .create: try connection.run(Connection.createTable(step.entity, named: step.entity.name))
    case .add(let attributes):
      for attribute in attributes.map({ step.entity.attributes[$0] }) {
        let value =
          attribute.defaultValue.isNull ? nil : attribute.defaultValue.sqlLiteral(Connection.dialect)
        let fallback = value.map { " DEFAULT \($0)" } ?? ""
        try connection.run(
          "ALTER TABLE \(step.entity.table) ADD COLUMN \(Connection.column(attribute))\(fallback)")
      }
    case .rebuild: try makeNewTable(place)
    }
  }

  private func makeNewTable(_ place: Int) throws {
    let name = MigrationPlan.newName(place)
    try connection.run(Connection.createTable(model.entities[place], named: name))
  }

  private func replaceTables() throws {
    for (place, entity) in model.entities.enumerated() where rebuilt.contains(place) || stage.hasCode {
      let (isNew, index) = (rebuilt.contains(place), EntityIndex(place))
      let table = isNew ? quoted(MigrationPlan.newName(place)) : entity.table
      let last = try connection.integer("SELECT max(id) FROM \(table)") ?? 0
      try (isNew ? newTarget : target).reserveKeys(through: max(last, lastKey(of: index)), of: index)
      if isNew { try connection.replace(entity.name, by: MigrationPlan.newName(place)) }
    }
    for table in plan.removed { try connection.run("DROP TABLE \(quoted(plan.presentName(of: table)))") }
  }

  // MARK: Rows

  public func source(of entity: EntityIndex) -> (table: Int, columns: [Int?])? {
    let step = plan.steps[Int(entity)]
    guard let table = shapes.firstIndex(where: { $0.name == step.source?.name }) else { return nil }
    let names = shapes[table].columns.map(\.name)
    return (table, step.columns.map { column in names.firstIndex { $0 == column?.name } })
  }

  public func needsConversion(_ entity: EntityIndex) -> Bool {
    guard rebuilt.contains(Int(entity)), !begun.contains(entity) else { return false }
    let step = plan.steps[Int(entity)]
    return zip(step.entity.attributes, step.columns).contains { attribute, column in
      column.map { $0.type != Connection.dialect.columnType(attribute.type) } ?? false
    }
  }

  public func rows(of table: Int, after key: Int64, limit: Int, bytes: Int) throws(StoreError) -> RowBatch {
    try source.rows(of: EntityIndex(table), after: key, limit: limit, bytes: bytes)
  }

  public func count(of table: Int, through key: Int64) throws(StoreError) -> Int {
    let name = oldTables.entities[table].table
    return try describing {
      Int(try connection.integer("SELECT count(*) FROM \(name) WHERE id <= $1", .integer(key)) ?? 0)
    }
  }

  public func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64 {
    let source = source(of: entity)
    let table = source.map { oldTables.entities[$0.table].table } ?? model[entity].table
    let last = try describing { try connection.integer("SELECT max(id) FROM \(table)") ?? 0 }
    guard let source else { return last }
    return max(last, try self.source.lastKey(of: EntityIndex(source.table)))
  }

  public func beginRows(of entity: EntityIndex, after key: Int64) throws(StoreError) {
    begun.insert(entity)
    guard rebuilt.insert(Int(entity)).inserted else { return }
    let description = model[entity]
    let columns = (["id", "version"] + description.attributes.indices.map(description.column))
      .joined(separator: ", ")
    try describing {
      try makeNewTable(Int(entity))
      try connection.run(
        """
        INSERT INTO \(quoted(MigrationPlan.newName(Int(entity)))) (\(columns)) \
        SELECT \(columns) FROM \(description.table) WHERE id > $1 ORDER BY id
        """, .integer(key))
    }
  }

  public func add(_ rows: RowBatch) throws(StoreError) {
    do {
      try (rebuilt.contains(Int(rows.entity)) ? newTarget : target).add(rows)
    } catch .validation(let error) {
      // The target has the new table's name, and does not know the store.
      throw .validation(
        ValidationError(
          entity: model[rows.entity].name, attribute: error.attribute,
          object: error.object.flatMap { id($0.key, of: model[rows.entity]) }, cause: error.cause,
          value: error.value))
    }
  }

  private func describing<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try connection.describing(name, body)
  }
}
