public import ManagedContext
internal import SQLStatements

extension PostgreSQLStore {
  /// Returns the size of the tables with their indexes, in bytes.
  public func byteCount() throws(StoreError) -> Int {
    let statement = Statement(
      "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE \(isTable)")
    return try read { (connection) throws(ServerError) in
      Int(try connection.run(statement, prepares: false).integer(0, 0) ?? 0)
    }
  }

  /// Makes the space of deleted rows available, and renews the planner's statistics
  /// (postgresql.org/docs/15/sql-vacuum.html). Other processes can read and write during the call.
  ///
  /// - Throws: ``StoreError/readOnly(_:)`` if the user does not own the tables.
  public func vacuum() throws(StoreError) {
    guard !isReadOnly else { throw .readOnly(name) }
    let name = name
    let tables = Statement(
      """
      SELECT pg_class.oid::regclass::text, (NOT pg_has_role(relowner, 'USAGE'))::int, pg_get_userbyid(relowner)::text \
      FROM pg_class WHERE \(isTable) ORDER BY 2 DESC, 1
      """)
    try writing.use { (connection) throws(StoreError) in
      let found = try describingErrors(store: name) { try connection.run(tables, prepares: false) }
      // The server would skip such a table and only send a notice.
      if found.count > 0, found.isTrue(0, 1) {
        throw .readOnly("\(name): only the owner of the tables can do that: \(found.text(0, 2) ?? "?")")
      }
      for row in 0..<found.count {
        let statement = "VACUUM (ANALYZE) \(found.text(row, 0) ?? "")"
        try describingErrors(store: name) { try connection.execute(statement) }
      }
    }
  }

  /// A condition for the rows in `pg_class` that are tables of the store.
  private var isTable: String {
    let names =
      model.entities.map(\.name) + [
        Tables.store, HistoryTables.transactions, HistoryTables.consumers, SearchTables.documents,
        SearchTables.state,
      ]
    return """
      pg_class.relkind = 'r' AND pg_class.relname IN (\(names.map(literal).joined(separator: ", "))) \
      AND pg_table_is_visible(pg_class.oid)
      """
  }
}
