package import ManagedContext

extension PostgreSQLStore {
  /// Returns the size of the tables with their indexes, in bytes.
  package func byteCount() throws(StoreError) -> Int {
    let statement = Statement(
      "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE \(isTable)")
    return try read { (connection) throws(ServerError) in
      Int(try connection.run(statement, prepares: false).integer(0, 0) ?? 0)
    }
  }

  /// Makes the space of deleted rows available, and renews the statistics of the planner
  /// (postgresql.org/docs/15/sql-vacuum.html). Other processes read and write meanwhile.
  ///
  /// - Throws: ``StoreError/readOnly(_:)`` if the user is not the owner of the tables.
  package func vacuum() throws(StoreError) {
    guard !isReadOnly else { throw .readOnly(name) }
    let name = name
    let tables = Statement(
      """
      SELECT pg_class.oid::regclass::text, (NOT pg_has_role(relowner, 'USAGE'))::int, pg_get_userbyid(relowner)::text \
      FROM pg_class WHERE \(isTable) ORDER BY 2 DESC, 1
      """)
    try writing.use { (connection) throws(StoreError) in
      let found = try describing { () throws(ServerError) in try connection.run(tables, prepares: false) }
      // The server would leave out such a table, and say so in a notice.
      if found.count > 0, found.isTrue(0, 1) {
        throw .readOnly("\(name): only the owner of the tables can do that: \(found.text(0, 2) ?? "?")")
      }
      for row in 0..<found.count {
        let statement = "VACUUM (ANALYZE) \(found.text(row, 0) ?? "")"
        try describing { () throws(ServerError) in try connection.execute(statement) }
      }
    }
  }

  private func describing<Value>(_ body: () throws(ServerError) -> Value) throws(StoreError) -> Value {
    do throws(ServerError) { return try body() } catch { throw StoreError(error, store: name) }
  }
}
