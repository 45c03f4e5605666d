public import ManagedContext
internal import SQLStatements

extension PostgreSQLStore {
  /// Checks the tables in one snapshot: reads all rows, and examines references, unique constraints, key
  /// sequences, claims, indexes and the history.
  public func findings() throws(StoreError) -> StoreFindings {
    let fault = try historyFault()
    let missing = try readTogether { connection in
      // Reading everything takes long.
      try connection.execute("SET LOCAL statement_timeout = 0; SET LOCAL jit = off")
      var check = ServerCheck(store: self, connection: connection)
      try check.run()
      return check.findings
    }
    var findings = missing
    if let fault { findings.damage.append(fault) }
    return findings
  }
}

/// One check of a store, on one connection.
struct ServerCheck {
  let store: PostgreSQLStore
  let connection: Connection
  private(set) var findings = StoreFindings()

  /// The maximum count of rows that are named for one reason.
  private static let mostRows = 100

  init(store: PostgreSQLStore, connection: Connection) { (self.store, self.connection) = (store, connection) }

  mutating func run() throws {
    try checkColumns()
    // The other checks need these columns.
    guard findings.damage.isEmpty else { return }
    for entity in store.model.entities {
      try read(entity)
      try checkReferences(of: entity)
      try checkUniqueness(of: entity)
      try checkKeys(of: entity)
      try checkIndexes(of: entity)
    }
    try checkHistory()
  }

  private func rows(_ text: String, _ values: SQLValue...) throws -> QueryResult {
    try connection.run(Statement(text, values: values), prepares: false)
  }

  // MARK: Tables

  private mutating func checkColumns() throws {
    for entity in store.model.entities {
      let found = try rows(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
        .text(entity.table))
      let names = Set((0..<found.count).compactMap { found.text($0, 0) })
      guard names.isEmpty || !names.isSuperset(of: ["id", "version"] + entity.attributes.map(\.name)) else {
        continue
      }
      findings.damage.append(
        names.isEmpty
          ? "the table \(entity.name) is missing"
          : "the columns of the table \(entity.name) are not those of version \(store.model.version)")
    }
  }

  /// Reads all rows in a table, also values stored out of line: the server reports unreadable pages.
  private func read(_ entity: EntityDescription) throws {
    _ = try rows("SELECT count(md5(row::text)) FROM \(entity.table) AS row")
  }

  // MARK: Rules

  private mutating func checkReferences(of entity: EntityDescription) throws {
    for attribute in entity.attributes {
      guard let destination = attribute.destination else { continue }
      let column = quoted(attribute.name)
      let broken = try rows(
        """
        SELECT id FROM \(entity.table) AS row WHERE \(column) IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM \(quoted(destination)) WHERE id = row.\(column)) ORDER BY id LIMIT \(Self.mostRows)
        """)
      for row in 0..<broken.count {
        findings.damage.append(
          "row \(broken.integer(row, 0) ?? 0) of \(entity.name) refers to a missing \(destination)")
      }
      let constraint = try rows(
        """
        SELECT 1 FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey) \
        WHERE contype = 'f' AND convalidated AND conrelid = to_regclass($1) AND attname = $2
        """, .text(entity.table), .text(attribute.name))
      if constraint.count == 0 {
        findings.damage.append("the foreign key of \(attribute.name) of the table \(entity.name) is missing")
      }
    }
  }

  private mutating func checkUniqueness(of entity: EntityDescription) throws {
    for rule in entity.uniqueness {
      let columns = rule.map(entity.column)
      let doubled = try rows(
        """
        SELECT min(id), max(id) FROM \(entity.table) WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) \
        GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 ORDER BY 1 LIMIT \(Self.mostRows)
        """)
      for row in 0..<doubled.count {
        let names = rule.map { entity.attributes[$0].name }.joined(separator: ", ")
        findings.damage.append(
          "rows \(doubled.integer(row, 0) ?? 0) and \(doubled.integer(row, 1) ?? 0) of \(entity.name) have the same \(names)"
        )
      }
    }
  }

  /// Checks that the next key is greater than every row's key.
  private mutating func checkKeys(of entity: EntityDescription) throws {
    let found = try rows(
      """
      SELECT (SELECT max(id) FROM \(entity.table)), pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass)
      """, .text(entity.table))
    if let newest = found.integer(0, 0), newest > found.integer(0, 1) ?? 0 {
      findings.damage.append(
        "the next key of the table \(entity.name) is not after row \(newest): SELECT setval(pg_get_serial_sequence('\(entity.table)', 'id'), \(newest)) corrects it"
      )
    }
  }

  // MARK: Indexes

  private mutating func checkIndexes(of entity: EntityDescription) throws {
    let found = try connection.indexes(of: entity)
    for index in found where !index.isValid {
      findings.damage.append("the index \(index.name) is invalid: REINDEX INDEX makes it again")
    }
    let valid = found.filter(\.isValid)
    func name(_ attributes: [Int]) -> String {
      "\(entity.name)_" + attributes.map { entity.attributes[$0].name }.joined(separator: "_")
    }
    for rule in entity.uniqueness
    where !valid.contains(where: { $0.isUnique && $0.columns == entity.indexColumns(rule) }) {
      findings.damage.append("the index \(name(rule)) is missing")
    }
    for attributes in entity.indexes
    where !valid.contains(where: { $0.columns == entity.indexColumns(attributes) }) {
      findings.missingIndexes.append(name(attributes))
    }
  }

  // MARK: The history

  private mutating func checkHistory() throws {
    let table = HistoryTable(connection)
    let newest = try connection.newestTransaction()
    let last = try rows("SELECT max(token) FROM \(HistoryTables.transactions)").integer(0, 0)
    if let last, last > newest {
      findings.damage.append("transaction \(last) of the history is newer than the store")
    } else if let missing = try table.missing(after: 0, through: newest) {
      findings.damage.append("transaction \(missing) of the history is missing")
    }
    for number in try table.damaged(store.model, atMost: Self.mostRows) {
      findings.damage.append("transaction \(number) of the history cannot be read")
    }
  }
}
