internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Rows of an unknown table in a recovered file: its definition or its first page is lost.
struct LostRows {
  let db: Database
  /// The tables that may have lost rows.
  private let tables: [TableShape]
  /// The statements that create tables with lost definitions, by name.
  private let definitions: [String: String]

  /// - Parameter model: The current model, for lost definitions. With an older version, rows may have fewer
  ///   columns.
  init(in db: Database, of model: ManagedObjectModel) throws {
    self.db = db
    let known = try TableShape.all(in: db)
    let names = Set(known.map(\.name))
    let lost = model.entities.filter { !names.contains($0.name) }
    tables = known + lost.map { TableShape(of: $0, .sqlite) }
    definitions = lost.reduce(into: [:]) { $0[$1.name] = Schema.createTable($1) }
  }

  /// Moves each group of rows into its table, if the column count and types fit only one.
  ///
  /// - Returns: The count of rows that were not moved.
  func assign() throws -> Int {
    guard try db.tableExists(DamagedFile.lostRows) else { return 0 }
    // Rows without a key belong to indexes, and to tables without numbers as keys.
    let groups = try Row.fetchAll(
      db,
      sql: """
        SELECT rootpgno, max(nfield) AS fields, count(*) AS count FROM \(DamagedFile.lostRows) \
        WHERE id IS NOT NULL GROUP BY rootpgno
        """)
    var rest = 0
    for group in groups {
      let root: DatabaseValue = group["rootpgno"]
      let (fields, count): (Int, Int) = (group["fields"], group["count"])
      if let table = try table(ofRowsAt: root, fields: fields) {
        try move(root, to: table, fields: fields)
      } else if try !isOfSQLite(root, fields) {
        rest += count
      }
    }
    return rest
  }

  /// Returns the only table that can have the rows; nil if no table can, or several.
  private func table(ofRowsAt root: DatabaseValue, fields: Int) throws -> TableShape? {
    let exact = try tables.filter { try $0.columns.count + 2 == fields && canHave(root, $0, fields: fields) }
    if !exact.isEmpty { return exact.count == 1 ? exact[0] : nil }
    // Rows that are older than a column do not contain it.
    let longer = try tables.filter { try $0.columns.count + 2 > fields && canHave(root, $0, fields: fields) }
    return longer.count == 1 ? longer[0] : nil
  }

  /// Returns whether all rows in a group can belong to a table.
  private func canHave(_ root: DatabaseValue, _ table: TableShape, fields: Int) throws -> Bool {
    let columns = table.columns.prefix(max(0, fields - 2))
    guard table.columns.dropFirst(columns.count).allSatisfy({ !$0.isRequired }) else { return false }
    let fits = columns.enumerated().map { index, column in
      let types = (column.storedTypes + (column.isRequired ? [] : ["null"])).map { "'\($0)'" }
      return "typeof(c\(index + 2)) IN (\(types.joined(separator: ", ")))"
    }
    // The number is stored as the key, and its column is null.
    let conditions = ["c0 IS NULL", "typeof(c1) = 'integer'"] + fits
    return try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM \(DamagedFile.lostRows) WHERE rootpgno IS ? AND id IS NOT NULL \
        AND NOT (\(conditions.joined(separator: " AND "))) LIMIT 1
        """, arguments: [root]) == nil
  }

  private func move(_ root: DatabaseValue, to table: TableShape, fields: Int) throws {
    if let definition = definitions[table.name], try !db.tableExists(table.name) {
      try db.execute(sql: definition)
    }
    let columns = table.columns.prefix(fields - 2)
    let names = (["id", "version"] + columns.map(\.name)).map(quoted).joined(separator: ", ")
    let places = columns.indices.map { ", c\($0 + 2)" }.joined()
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO \(quoted(table.name)) (\(names)) SELECT id, c1\(places) FROM \(DamagedFile.lostRows) \
        WHERE rootpgno IS ? AND id IS NOT NULL ORDER BY id
        """, arguments: [root])
  }

  /// Returns whether the rows are the file's definitions, or SQLite's table with the largest keys.
  private func isOfSQLite(_ root: DatabaseValue, _ fields: Int) throws -> Bool {
    let condition: String
    switch fields {
    case 2: condition = "typeof(c0) = 'text' AND typeof(c1) = 'integer'"
    case 5: condition = "c0 IN ('table', 'index', 'view', 'trigger')"
    default: return false
    }
    return try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM \(DamagedFile.lostRows) WHERE rootpgno IS ? AND id IS NOT NULL AND NOT (\(condition)) LIMIT 1
        """, arguments: [root]) == nil
  }
}

extension TableShape.Column {
  /// The types as SQLite's typeof reports them, besides null. Files store 1.0 as an integer.
  fileprivate var storedTypes: [String] {
    switch type {
    case "INTEGER": ["integer"]
    case "NUMERIC", "REAL": ["integer", "real"]
    case "TEXT": ["text"]
    default: ["blob"]
    }
  }
}
