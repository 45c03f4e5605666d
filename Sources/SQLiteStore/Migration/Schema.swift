internal import GRDB
internal import ManagedContext

/// The tables of a model: one an entity, one column an attribute, beside the row's key and version.
enum Schema {
  /// Makes the tables in a file that has none; several processes may try at once, one of them does it.
  static func install(_ model: ManagedObjectModel, identity: StoreIdentity, in db: Database) throws {
    guard try version(in: db) == 0 else { return }
    try db.inTransaction(.immediate) {
      guard try version(in: db) == 0 else { return .commit }
      for entity in model.entities {
        try db.execute(sql: createTable(entity))
        for index in TableShape(of: entity).indexes {
          try db.execute(sql: createIndex(index, on: entity.name))
        }
      }
      try finish(model, identity: identity, in: db)
      return .commit
    }
  }

  /// The last step of making or migrating the tables: the views, and whose file of which version it is.
  static func finish(_ model: ManagedObjectModel, identity: StoreIdentity, in db: Database) throws {
    for view in identity.views { try db.execute(sql: view) }
    try db.execute(sql: "PRAGMA application_id = \(identity.applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(model.version)")
  }

  /// The model's version that the file was made or last migrated with; 0 for a new file.
  static func version(in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  /// Checks that no newer version of the model has migrated the file.
  ///
  /// - Throws: ``StoreError/newer(version:known:)``.
  static func checkNotNewer(than model: ManagedObjectModel, in db: Database) throws {
    let version = try version(in: db)
    if version > model.version { throw StoreError.newer(version: version, known: model.version) }
  }

  /// Checks that no name of the model is one that the store needs, or that SQLite takes for the same as another.
  ///
  /// - Throws: ``StoreError/incompatible(_:)`` that names the attribute.
  static func checkNames(of model: ManagedObjectModel) throws(StoreError) {
    var tables: Set<String> = []
    for entity in model.entities {
      guard tables.insert(entity.name.lowercased()).inserted else {
        throw .incompatible("SQLite knows two entities by the name \(entity.name)")
      }
      var columns: Set<String> = ["id", "version", "rowid", "oid", "_rowid_"]
      for attribute in entity.attributes where !columns.insert(attribute.name.lowercased()).inserted {
        throw .incompatible(
          "\(entity.name).\(attribute.name): the name is taken in a SQLite store; use another one")
      }
    }
  }

  /// Checks that a file of the model's version has the model's tables; ``ReadingIndexes`` may be missing.
  ///
  /// - Throws: ``StoreError/incompatible(_:)`` that names the first entity whose table is another one.
  static func check(_ model: ManagedObjectModel, path: String, in db: Database) throws {
    let found = try Set(String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    let wanted = model.entities.flatMap { entity in
      [createTable(entity)] + TableShape(of: entity).indexes.map { createIndex($0, on: entity.name) }
    }
    if found.isSuperset(of: wanted) { return }
    // Migrated tables are written otherwise, and may be the same.
    let plan = try MigrationPlan(from: try TableShape.all(in: db), to: model)
    for step in plan.steps {
      if step.change == .keep,
        try ReadingIndexes.canComplete(step.source?.indexes ?? [], of: step.entity, in: db)
      {
        continue
      }
      throw StoreError.incompatible(
        "\(path): the table \(step.entity.name) is not that of version \(model.version); "
          + "a changed model needs a new version")
    }
  }

  /// - Parameter name: The table's name; the entity's by default.
  static func createTable(_ entity: EntityDescription, named name: String? = nil) -> String {
    let columns = entity.attributes.map { ", " + column($0) }.joined()
    return """
      CREATE TABLE \(quoted(name ?? entity.name)) (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL\(columns))
      """
  }

  /// An attribute's column as its table defines it.
  static func column(_ attribute: AttributeDescription) -> String {
    var column = "\(quoted(attribute.name)) \(columnType(attribute.type))"
    if !attribute.isOptional { column += " NOT NULL" }
    if let destination = attribute.destination { column += " REFERENCES \(quoted(destination))(id)" }
    return column
  }

  static func createIndex(_ index: TableShape.Index, on table: String) -> String {
    """
    CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(quoted(index.name)) \
    ON \(quoted(table))(\(index.columns.map(quoted).joined(separator: ", ")))
    """
  }

  /// SQLite's name for what an attribute of a type holds; decides how values are kept (sqlite.org/datatype3.html).
  static func columnType(_ type: AttributeType) -> String {
    switch type {
    case .integer, .boolean, .reference: "INTEGER"
    case .date: "NUMERIC"
    case .real: "REAL"
    case .text: "TEXT"
    case .bytes: "BLOB"
    }
  }
}
