internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements

/// A model's tables: one for each entity, with a key, a version, and a column for each attribute.
enum Schema {
  /// Creates the tables in an empty file. If several processes try at the same time, only one does it.
  static func install(_ model: ManagedObjectModel, identity: StoreIdentity, in db: Database) throws {
    guard try version(in: db) == 0 else { return }
    try db.immediately {
      guard try version(in: db) == 0 else { return }
      for entity in model.entities {
        try db.execute(sql: createTable(entity))
        for index in TableShape(of: entity, .sqlite).indexes {
          try db.execute(sql: createIndex(index, on: entity.name))
        }
      }
      try finish(model, identity: identity, in: db)
    }
  }

  /// Completes a creation or a migration's stage: creates triggers and views, sets the application ID and model
  /// version.
  ///
  /// - Parameter identity: Nil before the last stage, because the views need the newest tables.
  static func finish(_ model: ManagedObjectModel, identity: StoreIdentity?, in db: Database) throws {
    for trigger in VersionTable.all(of: model, .sqlite).flatMap(\.triggers) {
      try db.execute(sql: trigger.sql)
    }
    if let identity {
      for column in identity.computedColumns { try addMissing(column, in: db) }
      for view in identity.views { try db.execute(sql: view) }
      try db.execute(sql: "PRAGMA application_id = \(identity.applicationID)")
    }
    try db.execute(sql: "PRAGMA user_version = \(model.version)")
  }

  private static func addMissing(_ column: ComputedColumn, in db: Database) throws {
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_xinfo(?)", arguments: [column.table])
    if names.contains(column.name) { return }
    try db.execute(
      sql: """
        ALTER TABLE \(quoted(column.table)) ADD COLUMN \(quoted(column.name)) \(column.type) \
        \(computed) (\(column.value)) VIRTUAL
        """)
  }

  /// The words that begin a computed column's value (sqlite.org/gencol.html).
  private static let computed = "GENERATED ALWAYS AS"

  /// Returns the model version that created or last migrated the file; 0 for a new file.
  static func version(in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  /// Checks that no newer model version has migrated the file.
  ///
  /// - Throws: ``StoreError/newer(version:known:)``.
  static func checkNotNewer(than model: ManagedObjectModel, in db: Database) throws {
    let version = try version(in: db)
    if version > model.version { throw StoreError.newer(version: version, known: model.version) }
  }

  /// Returns whether a column has dates in seconds since 1970, although the model's attribute is exact: an
  /// earlier release had no other form.
  static func hasEarlierDates(of model: ManagedObjectModel, in db: Database) throws -> Bool {
    let earlier = SQLDialect.sqlite.columnType(.secondsSince1970)
    return model.entities.contains { entity in
      entity.attributes.contains { attribute in
        attribute.type == .date && type(ofColumn: attribute.name, in: entity.name, db) == earlier
      }
    }
  }

  /// Returns a column's declared type; nil without such a column.
  ///
  /// In an untrusted file, a table's name could refer to a view or virtual table that executes code. For
  /// these, SQLite finds no columns here (sqlite.org/c3ref/table_column_metadata.html). Its pragmas would
  /// read all views first, which takes longer than everything else that opens a file.
  static func type(ofColumn column: String, in table: String, _ db: Database) -> String? {
    var type: UnsafePointer<CChar>?
    let code = unsafe sqlite3_table_column_metadata(
      db.sqliteConnection, "main", table, column, &type, nil, nil, nil, nil)
    guard code == SQLITE_OK else { return nil }
    return unsafe type.map { unsafe String(cString: $0) } ?? ""
  }

  /// Checks that no model name is reserved by the store or differs from another name only in case.
  ///
  /// - Throws: ``StoreError/incompatible(_:)`` with the name of the entity or attribute.
  static func checkNames(of model: ManagedObjectModel) throws(StoreError) {
    var tables: Set<String> = []
    for entity in model.entities {
      guard tables.insert(entity.name.lowercased()).inserted else {
        throw .incompatible("two entities have the name \(entity.name) in SQLite")
      }
      var columns: Set<String> = ["id", "version", "rowid", "oid", "_rowid_"]
      for attribute in entity.attributes where !columns.insert(attribute.name.lowercased()).inserted {
        throw .incompatible(
          "\(entity.name).\(attribute.name): the name is reserved in a SQLite store; use another one")
      }
    }
  }

  /// Checks that a file has the model's tables; indexes that ``ReadingIndexes`` can create may be missing.
  ///
  /// - Throws: ``StoreError/incompatible(_:)`` with the name of the first entity that has a different table.
  static func check(_ model: ManagedObjectModel, path: String, in db: Database) throws {
    // In one transaction, because another process may be adding indexes.
    try db.inTransaction(.deferred) {
      if let table = try changedTable(of: model, in: db) {
        throw StoreError.incompatible(
          "\(path): the columns or indexes of the table \(table) are not those of version \(model.version)")
      }
      if let trigger = try missingTrigger(of: model, in: db) {
        throw StoreError.incompatible(
          "\(path): the trigger \(trigger), which keeps old values, is missing or was changed")
      }
      return .commit
    }
  }

  /// Returns the first table that differs from the model; nil if all agree.
  static func changedTable(of model: ManagedObjectModel, in db: Database) throws -> String? {
    let found = try Set(String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    let wanted = model.entities.flatMap { entity in
      [createTable(entity)] + TableShape(of: entity, .sqlite).indexes.map { createIndex($0, on: entity.name) }
    }
    let missing = wanted.filter { !found.contains($0) }
    // A computed column follows the others.
    let areExtended = missing.allSatisfy { text in
      found.contains { $0.hasPrefix(text.dropLast() + ", ") && $0.contains(computed) }
    }
    if areExtended { return nil }
    // A migrated table's text may differ although its definition is the same.
    let plan = try MigrationPlan(from: try TableShape.all(in: db), to: model, .sqlite)
    for step in plan.steps {
      if step.change == .keep,
        try ReadingIndexes.canComplete(step.source?.indexes ?? [], of: step.entity, in: db)
      {
        continue
      }
      return step.entity.name
    }
    return nil
  }

  /// Returns the first missing or changed version trigger; nil if all triggers are as this program creates
  /// them.
  static func missingTrigger(of model: ManagedObjectModel, in db: Database) throws -> String? {
    let triggers = VersionTable.all(of: model, .sqlite).flatMap(\.triggers)
    if triggers.isEmpty { return nil }
    let found = try Set(String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger'"))
    return triggers.first { !found.contains($0.sql) }?.name
  }

  /// Returns the statement that creates an entity's table.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - name: The table's name; the entity's name by default.
  static func createTable(_ entity: EntityDescription, named name: String? = nil) -> String {
    let columns = entity.attributes.map { ", " + column($0) }.joined()
    return """
      CREATE TABLE \(quoted(name ?? entity.name)) (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL\(columns))
      """
  }

  /// Returns the column definition for an attribute.
  static func column(_ attribute: AttributeDescription) -> String {
    var column = "\(quoted(attribute.name)) \(SQLDialect.sqlite.columnType(attribute.type))"
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
}
