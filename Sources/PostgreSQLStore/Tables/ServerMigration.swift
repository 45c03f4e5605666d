internal import ManagedContext
internal import SQLStatements

/// One stage of a store's migration to a newer model version, in a transaction on a connection of its own.
///
/// Other processes wait for it before they read or write. If it fails, or the process or its connection ends, the
/// store is as it was before the stage.
struct ServerMigration {
  let connection: Connection
  let model: ManagedObjectModel
  let application: Int32
  let store: StoreNumber
  /// The address without its password.
  let name: String
  let options: PostgreSQLStoreOptions

  /// Migrates the store to the next version with a known model. If several processes try at the same time, only
  /// one does it.
  ///
  /// - Parameter views: Returns the statements that create the newest version's views.
  func run(_ views: () -> [String]) throws(StoreError) {
    try describingErrors(store: name) {
      try connection.execute(
        "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0")
      do {
        try enterSchema()
        let version = Int(try connection.integer("SELECT version FROM \(Tables.store)") ?? 0)
        let hasEarlierDates = "SELECT (\(StoreOpening.hasEarlierDates(model)))::int"
        if try version < model.version || connection.integer(hasEarlierDates) == 1 {
          try migrate(model.migrationStage(from: version), views)
        }
        try connection.execute("COMMIT")
      } catch {
        if !connection.isLost { _ = try? connection.execute("ROLLBACK") }
        throw error
      }
    }
  }

  /// Makes the store's schema the one in which tables are created, and locks out other processes.
  private func enterSchema() throws {
    try connection.run(
      """
      SELECT set_config('search_path', quote_ident(nspname) || ', ' || current_setting('search_path'), true) \
      FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
      WHERE pg_class.oid = \(literal(Tables.store))::regclass
      """)
    try connection.run("SELECT pg_advisory_xact_lock(\(application), hashtext(current_schema()))")
    try connection.execute("LOCK TABLE \(Tables.store) IN ACCESS EXCLUSIVE MODE")
  }

  private func migrate(_ stage: MigrationStage, _ views: () -> [String]) throws {
    try setViewsAside()
    if stage.model.hasDates { try connection.execute(SQLDialect.createDateDomain) }
    let tables = try StageMigration(stage, connection, name: name, store: store)
    let owners = tables.plan.renamed.map(\.from) + stage.model.entities.map(\.name)
    for owner in owners {
      for trigger in VersionTable.triggers(of: owner) {
        try connection.execute("DROP FUNCTION IF EXISTS \(quoted(trigger))() CASCADE")
      }
    }
    if stage.hasCode || tables.plan.touchesReferences { try dropReferences() }
    try tables.run(report: options.migrationProgress)
    try addReferences(stage.model)
    let triggers = VersionTable.all(of: stage.model, .postgresql).flatMap(\.triggers)
    for statement in triggers + SearchTables.statements { try connection.execute(statement) }
    for entity in stage.model.entities { try connection.execute("ANALYZE \(entity.table)") }
    try connection.run("UPDATE \(Tables.store) SET version = $1", .integer(Int64(stage.model.version)))
    if stage.model.version == model.version { try restoreViews(views) }
  }

  // MARK: References

  /// Deletes the foreign keys, because tables are replaced and rows come in any order.
  private func dropReferences() throws {
    let names = try connection.entityTables().map { literal($0.name) }.joined(separator: ", ")
    let found = try connection.rows(
      """
      SELECT conrelid::regclass::text, quote_ident(conname) FROM pg_constraint WHERE contype = 'f' \
      AND conrelid IN (SELECT oid FROM pg_class WHERE relname IN (\(names)) \
      AND relnamespace = \(Tables.schema))
      """, []
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    for (table, constraint) in found {
      try connection.execute("ALTER TABLE \(table) DROP CONSTRAINT \(constraint)")
    }
  }

  private func addReferences(_ model: ManagedObjectModel) throws {
    let existing = try connection.entityTables().reduce(into: [:]) { $0[$1.name] = $1.columns }
    for entity in model.entities {
      let columns = existing[entity.name]?.filter { $0.destination != nil }.map(\.name) ?? []
      for (attribute, statement) in Tables.references(of: entity) where !columns.contains(attribute) {
        try connection.execute(statement)
      }
    }
  }

  // MARK: Views and rights

  /// Deletes the views, which need columns that may change, and writes down how to create them again; also the
  /// rights of other users, which replaced tables do not have.
  private func setViewsAside() throws {
    // It exists if an earlier opening has ended after its first stage.
    let table = Tables.migration
    if try connection.integer("SELECT to_regclass(\(literal(table)))::oid::bigint") != nil { return }
    try connection.execute(
      """
      CREATE TABLE \(table) AS \
      SELECT oid::bigint AS place, relname::text AS name, \
      format('CREATE VIEW %I AS %s', relname, pg_get_viewdef(oid)) AS statement FROM pg_class \
      WHERE relkind = 'v' AND relnamespace = \(Tables.schema) UNION ALL \
      SELECT \(Int64.max), relname::text, format('GRANT %s ON %s %I TO %s%s', privilege_type, \
      CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, relname, \
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, \
      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) FROM pg_class, aclexplode(relacl) \
      WHERE relkind IN ('r', 'v', 'S') AND grantee <> relowner AND relnamespace = \(Tables.schema)
      """)
    let names = try connection.texts(
      "SELECT quote_ident(name) FROM \(table) WHERE place < \(Int64.max) ORDER BY place")
    if !names.isEmpty { try connection.execute("DROP VIEW \(names.joined(separator: ", "))") }
  }

  /// Creates the program's views, and those that users have added.
  private func restoreViews(_ views: () -> [String]) throws {
    for view in views() { try connection.execute(view) }
    let kept = try connection.rows(
      "SELECT name, statement, place < \(Int64.max) FROM \(Tables.migration) ORDER BY place", []
    ) { (name: $0.text(0) ?? "", statement: $0.text(1) ?? "", isView: $0.integer(2) == 1) }
    for (view, statement, isView) in kept {
      let isThere =
        try connection.integer("SELECT to_regclass(quote_ident($1))::oid::bigint", .text(view)) != nil
      if isView == isThere || isView && options.formerViews.contains(view) { continue }
      do throws(ServerError) {
        try connection.execute(statement)
      } catch {
        guard isView else { throw error }
        throw StoreError.incompatible(
          "\(name): the view \(view) does not fit version \(model.version): \(error.text); drop it")
      }
    }
    try connection.execute("DROP TABLE \(Tables.migration)")
  }
}
