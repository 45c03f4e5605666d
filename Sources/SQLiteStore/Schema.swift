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
        for (number, columns) in entity.uniqueness.enumerated() {
          try db.execute(sql: createIndex(entity, columns, name: "unique\(number)", isUnique: true))
        }
        for (number, columns) in entity.indexes.enumerated() {
          try db.execute(sql: createIndex(entity, columns, name: "index\(number)", isUnique: false))
        }
      }
      for view in identity.views { try db.execute(sql: view) }
      try db.execute(sql: "PRAGMA application_id = \(identity.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(model.version)")
      return .commit
    }
  }

  private static func version(in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  private static func createTable(_ entity: EntityDescription) -> String {
    let columns = entity.attributes.map { attribute in
      var column = "\(quoted(attribute.name)) \(columnType(attribute.type))"
      if !attribute.isOptional { column += " NOT NULL" }
      if let destination = attribute.destination { column += " REFERENCES \(quoted(destination))(id)" }
      return column
    }
    return """
      CREATE TABLE \(quoted(entity.name)) (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, \
      \(columns.joined(separator: ", ")))
      """
  }

  private static func createIndex(
    _ entity: EntityDescription, _ columns: [Int], name: String, isUnique: Bool
  ) -> String {
    let names = columns.map { quoted(entity.attributes[$0].name) }.joined(separator: ", ")
    return """
      CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted("\(entity.name)_\(name)")) \
      ON \(quoted(entity.name))(\(names))
      """
  }

  private static func columnType(_ type: AttributeType) -> String {
    switch type {
    case .integer, .boolean, .reference: "INTEGER"
    case .date: "NUMERIC"
    case .real: "REAL"
    case .text: "TEXT"
    case .bytes: "BLOB"
    }
  }
}

/// An identifier as SQL writes it.
func quoted(_ name: String) -> String {
  "\"" + name.replacing("\"", with: "\"\"") + "\""
}
