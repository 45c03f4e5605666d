internal import ManagedContext

/// The tables of a store, as they are at the server.
extension PostgreSQLStore {
  /// A condition for the rows of `pg_class` that are tables of the store.
  var isTable: String {
    let names =
      model.entities.map(\.name) + [
        Tables.store, Tables.history, Tables.consumers, SearchTables.documents, SearchTables.state,
      ]
    return
      "pg_class.relkind = 'r' AND pg_class.relname IN (\(names.map(literal).joined(separator: ", "))) AND pg_table_is_visible(pg_class.oid)"
  }
}
