internal import GRDB
internal import ManagedContext

/// Table definitions in a damaged file that would keep rows from being recovered. SQLite's recovery skips
/// rows if it does not understand their definition, and columns that the definition does not name.
///
/// Without such a definition, the rows are lost ones, which ``LostRows`` assigns to their table.
enum UnusableDefinitions {
  private struct Definition {
    let row: Int64
    let name: String
    let root: Int64
    let sql: String
  }

  /// Deletes these definitions in a copy of a damaged file. Unreadable ones stay as they are.
  ///
  /// - Parameter needsColumns: True if the file has the model's version, so that its table columns are known.
  static func delete(
    inFileAt path: String, _ model: ManagedObjectModel, needsColumns: (Database) throws -> Bool
  ) {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA writable_schema = ON")
    }
    guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return }
    defer { try? queue.close() }
    try? queue.inDatabase { db in
      let definitions = try all(in: db)
      let needsColumns = try needsColumns(db)
      let roots = definitions.reduce(into: [:]) { $0[$1.root, default: 0] += 1 }
      for definition in definitions {
        let entity = needsColumns ? model.entities.first { $0.name == definition.name } : nil
        if roots[definition.root] == 1 || definition.root == 0, isUsable(definition, entity) { continue }
        try db.execute(sql: "DELETE FROM sqlite_master WHERE rowid = ?", arguments: [definition.row])
      }
    }
  }

  private static func all(in db: Database) throws -> [Definition] {
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT rowid, name, rootpage, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    return rows.compactMap { row in
      guard let number = Int64.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]),
        let root = Int64.fromDatabaseValue(row[2])
      else { return nil }
      return Definition(row: number, name: name, root: root, sql: String.fromDatabaseValue(row[3]) ?? "")
    }
  }

  /// Returns whether a definition creates a table with an entity's columns.
  private static func isUsable(_ definition: Definition, _ entity: EntityDescription?) -> Bool {
    // Another statement in its place must not be executed, even in memory.
    guard definition.sql.uppercased().hasPrefix("CREATE TABLE") else { return definition.root == 0 }
    let needed = Set(entity.map { ["id", "version"] + $0.attributes.map(\.name) } ?? [])
    let columns = try? DatabaseQueue().inDatabase { db in
      try db.execute(sql: definition.sql)
      return try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [definition.name])
    }
    return columns.map { !$0.isEmpty && Set($0).isSuperset(of: needed) } ?? false
  }
}
