internal import GRDB
internal import ManagedContext

/// What a table is made of: as a model wants it, or as a file has it.
struct TableShape: Sendable {
  /// One attribute's column.
  struct Column: Sendable, Equatable {
    let name: String
    let type: String
    let isRequired: Bool
    /// The table that it refers to.
    var destination: String?
  }

  /// One index.
  struct Index: Sendable, Hashable {
    let name: String
    let isUnique: Bool
    let columns: [String]
  }

  let name: String
  /// Those of the attributes; the key and the version stand in every table.
  var columns: [Column]
  let indexes: [Index]

  /// The table of an entity.
  init(of entity: EntityDescription) {
    name = entity.name
    columns = entity.attributes.map {
      Column(
        name: $0.name, type: Schema.columnType($0.type), isRequired: !$0.isOptional,
        destination: $0.destination
      )
    }
    let names = { (indexes: [Int]) in indexes.map { entity.attributes[$0].name } }
    indexes =
      entity.uniqueness.enumerated().map {
        Index(name: "\(entity.name)_unique\($0.offset)", isUnique: true, columns: names($0.element))
      }
      + entity.indexes.enumerated().map {
        Index(name: "\(entity.name)_index\($0.offset)", isUnique: false, columns: names($0.element))
      }
  }

  /// The tables in a file that were made for entities, known by the two columns that each of those has.
  static func all(in db: Database) throws -> [TableShape] {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_master \
        WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> ? ORDER BY name
        """,
      arguments: [HistoryTable.name])
    return try names.compactMap { try TableShape(named: $0, in: db) }
  }

  /// The table as the file has it; nil when it is no entity's.
  private init?(named name: String, in db: Database) throws {
    let rows = try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(name)))")
    guard rows.count >= 2, rows[0]["name"] == "id", rows[0]["pk"] == 1, rows[1]["name"] == "version",
      rows[1]["notnull"] == 1
    else { return nil }
    var destinations: [String: String] = [:]
    for key in try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(quoted(name)))") {
      if let column: String = key["from"] { destinations[column] = key["table"] }
    }
    self.name = name
    columns = rows.dropFirst(2).map { row in
      Column(
        name: row["name"], type: row["type"], isRequired: row["notnull"],
        destination: destinations[row["name"]])
    }
    indexes = try Row.fetchAll(db, sql: "PRAGMA index_list(\(quoted(name)))").map { row in
      let index: String = row["name"]
      let columns = try Row.fetchAll(db, sql: "PRAGMA index_info(\(quoted(index)))")
      // An expression has no name; no index of ours has one.
      return Index(name: index, isUnique: row["unique"], columns: columns.map { $0["name"] ?? "" })
    }
  }
}
