internal import GRDB
internal import ManagedContext
internal import SQLStatements

extension TableShape {
  /// Returns a file's entity tables, which are recognized by the two columns that they all have.
  static func all(in db: Database) throws -> [TableShape] {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_master \
        WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> ? ORDER BY name
        """,
      arguments: [HistoryTables.transactions])
    return try names.compactMap { try TableShape(named: $0, in: db) }
  }

  /// Reads a table definition in a file; nil if it is not an entity's table.
  private init?(named name: String, in db: Database) throws {
    let rows = try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(name)))")
    guard rows.count >= 2, rows[0]["name"] == "id", rows[0]["pk"] == 1, rows[1]["name"] == "version",
      rows[1]["notnull"] == 1
    else { return nil }
    var destinations: [String: String] = [:]
    for key in try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(quoted(name)))") {
      if let column: String = key["from"] { destinations[column] = key["table"] }
    }
    let columns = rows.dropFirst(2).map { row in
      Column(
        name: row["name"], type: row["type"], isRequired: row["notnull"],
        destination: destinations[row["name"]])
    }
    let indexes = try Row.fetchAll(db, sql: "PRAGMA index_list(\(quoted(name)))").map { row in
      let index: String = row["name"]
      let columns = try Row.fetchAll(db, sql: "PRAGMA index_info(\(quoted(index)))")
      // An expression has no column name; the store's own indexes contain no expressions.
      return Index(name: index, isUnique: row["unique"], columns: columns.map { $0["name"] ?? "" })
    }
    self.init(name: name, columns: columns, indexes: indexes)
  }
}
