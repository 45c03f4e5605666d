internal import ManagedContext
internal import SQLStatements

extension Connection: MigratedConnection {
  static func createTable(_ entity: EntityDescription, named name: String) -> String {
    Tables.table(of: entity, named: name)
  }

  static func column(_ attribute: AttributeDescription) -> String {
    "\(quoted(attribute.name)) \(Tables.column(attribute))"
  }

  func describing<Value>(_ name: String, _ body: () throws -> Value) throws(StoreError) -> Value {
    try describingErrors(store: name, body)
  }

  /// Returns the entity tables in the current schema, which are recognized by their first two columns.
  func entityTables() throws -> [TableShape] {
    let text = """
      SELECT relname::text, attname::text, format_type(atttypid, NULL), attnotnull::int, (attidentity <> '')::int, \
      (SELECT target.relname::text FROM pg_constraint JOIN pg_class AS target ON target.oid = confrelid \
      WHERE contype = 'f' AND conrelid = attrelid AND conkey = ARRAY[attnum]) \
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid \
      WHERE relkind = 'r' AND relnamespace = \(Tables.schema) AND attnum > 0 AND NOT attisdropped \
      ORDER BY 1, attnum
      """
    var found: [String: [TableShape.Column]] = [:]
    var generatesKeys: Set<String> = []
    try run(text, []) { row in
      let table = row.text(0) ?? ""
      let column = TableShape.Column(
        name: row.text(1) ?? "", type: row.text(2) ?? "", isRequired: row.integer(3) == 1,
        destination: row.text(5))
      found[table, default: []].append(column)
      if column.name == "id", row.integer(4) == 1 { generatesKeys.insert(table) }
    }
    return generatesKeys.sorted().compactMap { name in
      guard let columns = found[name], columns.count >= 2, columns[0].name == "id",
        columns[1].name == "version", columns[1].isRequired
      else { return nil }
      return TableShape(name: name, columns: Array(columns.dropFirst(2)), indexes: [])
    }
  }

  func copySource(_ model: ManagedObjectModel, name: String) -> any StoreCopySource {
    ServerCopySource(model: model, name: name, connection: self)
  }

  func copyTarget(_ model: ManagedObjectModel, name: String) -> any StoreCopyTarget {
    ServerCopyTarget(model: model, name: name, connection: self)
  }

  /// Deletes a table, and gives its name to another one, with the names of its sequence and its key.
  func replace(_ table: String, by new: String) throws {
    let (old, made) = (try keyNames(of: table), try keyNames(of: new))
    try execute("DROP TABLE \(quoted(table)); ALTER TABLE \(quoted(new)) RENAME TO \(quoted(table))")
    try execute("ALTER SEQUENCE \(made.sequence) RENAME TO \(old.sequence)")
    try execute("ALTER TABLE \(quoted(table)) RENAME CONSTRAINT \(made.key) TO \(old.key)")
  }

  /// Returns the quoted names of a table's sequence and of its primary key.
  private func keyNames(of table: String) throws -> (sequence: String, key: String) {
    let text = """
      SELECT (SELECT quote_ident(relname) FROM pg_class WHERE oid = pg_get_serial_sequence($1, 'id')::regclass), \
      (SELECT quote_ident(conname) FROM pg_constraint WHERE contype = 'p' AND conrelid = $1::regclass)
      """
    let found = try run(Statement(text, .text(quoted(table))))
    return (found.text(0, 0) ?? "", found.text(0, 1) ?? "")
  }

  func indexChanges(
    _ entity: EntityDescription, since source: TableShape?
  ) throws -> (outdated: [String], missing: [NewIndex]) {
    let found = try indexes(of: entity)
    let wanted = Tables.indexes(of: entity)
    return (
      // Users name their own indexes. Those that the store creates are named by the server.
      found.filter { index in
        !index.isKey && index.name.contains(/_idx[0-9]*$/)
          && !wanted.contains { index.columns == $0.columns && index.isUnique == ($0.unique != nil) }
      }.map { "DROP INDEX \(quoted($0.name))" },
      wanted.filter { index in
        !found.contains { $0.isValid && $0.columns == index.columns && $0.isUnique == (index.unique != nil) }
      }.map { NewIndex(unique: $0.unique, $0.statement) }
    )
  }

  /// A table's index on whole rows.
  struct FoundIndex {
    let name: String
    /// The columns and expressions; see ``EntityDescription/indexColumns(_:)``.
    let columns: String
    let isUnique: Bool
    let isKey: Bool
    let isValid: Bool
  }

  func indexes(of entity: EntityDescription) throws -> [FoundIndex] {
    // The columns in each index, as the server writes them.
    let text = """
      SELECT pg_class.relname::text, indisunique::int, (indisvalid AND indisready AND indislive)::int, \
      (SELECT string_agg(pg_get_indexdef(indexrelid, place, true), ',' ORDER BY place) \
      FROM generate_series(1, indnkeyatts) AS place), indisprimary::int \
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = to_regclass($1) AND indpred IS NULL
      """
    return try rows(text, [.text(entity.table)]) { (row: ResultRow) -> FoundIndex in
      FoundIndex(
        name: row.text(0) ?? "?", columns: EntityDescription.plain(row.text(3) ?? ""),
        isUnique: row.integer(1) == 1, isKey: row.integer(4) == 1, isValid: row.integer(2) == 1)
    }
  }
}

extension EntityDescription {
  /// Returns the columns and expressions of an index in a form that the server's definition also has.
  func indexColumns(_ attributes: [Int]) -> String {
    Self.plain(attributes.map(indexExpression).joined(separator: ","))
  }

  /// Returns an expression without the characters that the server places differently.
  fileprivate static func plain(_ expression: String) -> String {
    String(expression.filter { !"() \"".contains($0) })
  }
}
