internal import ManagedContext
internal import SQLStatements

/// The store that a connection finds at its address.
struct FoundStore {
  let number: StoreNumber
  /// The store's identity, in hexadecimal digits.
  let id: String
  /// The model version, at most the known one.
  let version: Int
  /// True if dates must be converted; see ``StoreOpening/hasEarlierDates(_:_:)``.
  let hasEarlierDates: Bool
  /// The newest transaction number in the history.
  let newest: Int64
  let clock: ServerClock
}

/// Checks or creates a store, on one connection.
struct StoreOpening {
  let connection: Connection
  let model: ManagedObjectModel
  let application: Int32
  /// The address without its password.
  let name: String
  let purpose: Purpose

  /// The oldest supported server version.
  private static let oldestServer = 140_000

  enum Purpose {
    /// Reading only.
    case read
    /// Reading and writing an existing store.
    case write
    /// Reading and writing; missing tables are created.
    case create
  }

  /// - Parameter views: Returns the statements that create a new store's views.
  /// - Throws: ``noStore(_:)`` if no store exists and none is to be created.
  func open(_ views: () -> [String]) throws(StoreError) -> FoundStore {
    try checkServer()
    if purpose != .read, connection.pooler == .ofTransactions {
      throw .cannotOpen(
        """
        \(name): the pooler gives each transaction another session, and so loses locks; connect to the server, or to a pooler \
        of sessions
        """)
    }
    if let found = try find() { return try checked(found, isWritten: purpose != .read) }
    if let schema = try closedSchema() {
      throw notAllowed("permission denied for schema \(schema)", schema: schema)
    }
    guard purpose == .create else { throw Self.noStore(name) }
    return try create(views)
  }

  /// The error for an address without tables.
  static func noStore(_ name: String) -> StoreError {
    .cannotOpen("\(name): there is no store; a command that saves creates it")
  }

  /// Creates the tables. If several processes try at the same time, only one does it.
  private func create(_ views: () -> [String]) throws(StoreError) -> FoundStore {
    try transaction { () throws(StoreError) in _ = try makeTables(views) }
    guard let found = try find() else { throw .cannotOpen("\(name): the new tables cannot be found") }
    return try checked(found, isWritten: true)
  }

  /// Creates the tables in the current transaction.
  ///
  /// - Returns: False if tables already exist, perhaps because another process has just created them.
  private func makeTables(_ views: () -> [String]) throws(StoreError) -> Bool {
    if try run("SELECT \(Self.isReadOnly)").isTrue(0, 0) { throw .readOnly(standby) }
    guard let schema = try run("SELECT current_schema()").text(0, 0) else {
      throw .cannotOpen(
        "\(name): the search_path names no schema that exists; create it, or name another one")
    }
    // The lock lasts for this transaction, and its number is the program's.
    try run("SELECT pg_advisory_xact_lock(\(application), hashtext(current_schema()))")
    if try find() != nil { return false }
    try checkIsEmpty(schema)
    for statement in Tables.statements(model, application: application) + views() { try run(statement) }
    return true
  }

  // MARK: Filling

  /// Creates and fills a store in one transaction.
  ///
  /// - Parameters:
  ///   - id: The store's identity, as soon as the transaction may be committed. If the connection is lost
  ///     after that, only the store itself shows whether it was.
  ///   - body: Writes the rows, on the same connection.
  func make(
    _ views: () -> [String], committing id: inout String?, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try checkServer()
    try transaction { () throws(StoreError) in
      // The other store may be slow.
      try run("SET LOCAL idle_in_transaction_session_timeout = 0")
      guard try makeTables(views) else {
        throw .cannotOpen(
          "\(name): there is a store already; name another database, or another schema in search_path")
      }
      // Otherwise the server would remember each row until the end.
      try run("SET CONSTRAINTS ALL IMMEDIATE")
      try body()
      id = try find()?.text(0, 3)
    }
  }

  /// Returns whether the store with an identity exists.
  func hasStore(_ id: String) throws(StoreError) -> Bool { try find()?.text(0, 3) == id }

  // MARK: Checks

  private func checkServer() throws(StoreError) {
    guard connection.serverVersion >= Self.oldestServer else {
      throw .cannotOpen(
        """
        \(name): the server has version \(connection.parameter("server_version") ?? "?"), and 14 or newer is needed; \
        name another server
        """
      )
    }
    let encoding = connection.parameter("server_encoding") ?? "?"
    guard encoding == "UTF8" else {
      throw .cannotOpen(
        "\(name): the database has the encoding \(encoding); create one with createdb -T template0 -E UTF8")
    }
  }

  /// The message about a server that accepts no changes.
  private var standby: String {
    """
    \(name): the server accepts no changes (a standby, or default_transaction_read_only); name the primary server, or several with \
    target_session_attrs=read-write
    """
  }

  /// True if the server accepts no changes, in SQL.
  private static let isReadOnly =
    "(pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on')::int"

  /// Returns the row about the store; nil if the store does not exist.
  private func find() throws(StoreError) -> QueryResult? {
    if connection.isInTransaction {
      // The next statement's error would end the transaction. to_regclass() may still answer as before another
      // process has created the table.
      let table =
        "SELECT 1 FROM pg_class WHERE relname = \(literal(Tables.store)) AND pg_table_is_visible(oid)"
      guard try run(table).count > 0 else { return nil }
    }
    let text = """
      SELECT uuid_send(id), application, version, replace(id::text, '-', ''), history, \(Self.isReadOnly), \
      \(ServerClock.sql) FROM \(Tables.store)
      """
    guard let row = try run(text, elseIf: ErrorCode.undefinedTable) else { return nil }
    guard row.count == 1 else {
      throw .incompatible("\(name): the table \(Tables.store) has \(row.count) rows instead of one")
    }
    return row
  }

  private func checked(_ row: QueryResult, isWritten: Bool) throws(StoreError) -> FoundStore {
    let known = model.version
    guard row.integer(0, 1) == Int64(application) else {
      throw foreign
    }
    let version = Int(row.integer(0, 2) ?? 0)
    if version > known { throw .newer(version: version, known: known) }
    if isWritten, row.isTrue(0, 5) { throw .readOnly(standby) }
    var hasEarlierDates = false
    if version == known, model.hasDates {
      hasEarlierDates = try run("SELECT (\(Self.hasEarlierDates(model)))::int").isTrue(0, 0)
    }
    return FoundStore(
      number: Self.number(row.bytes(0, 0) ?? []), id: row.text(0, 3) ?? "", version: version,
      hasEarlierDates: hasEarlierDates, newest: row.integer(0, 4) ?? 0,
      clock: ServerClock(row.real(0, 6) ?? 0))
  }

  /// Returns the condition that a column has dates in seconds since 1970, although the model's attribute is exact:
  /// an earlier release had no other form.
  static func hasEarlierDates(_ model: ManagedObjectModel) -> String {
    let columns = model.entities.flatMap { entity in
      entity.attributes.filter { $0.type == .date }.map { attribute in
        "(to_regclass(\(literal(entity.table))), \(literal(attribute.name)))"
      }
    }
    let earlier = literal(SQLDialect.postgresql.columnType(.secondsSince1970))
    return columns.isEmpty
      ? "FALSE"
      : """
      EXISTS (SELECT 1 FROM pg_attribute WHERE NOT attisdropped AND atttypid = \(earlier)::regtype \
      AND (attrelid, attname) IN (\(columns.joined(separator: ", "))))
      """
  }

  private var foreign: StoreError {
    .foreign(
      "\(name): the tables belong to another program; name another database, or another schema in search_path"
    )
  }

  private static func number(_ id: [UInt8]) -> StoreNumber {
    let word = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return StoreNumber.ofServer(word(id.prefix(8)), word(id.dropFirst(8)))
  }

  /// Checks that no other program has a table with a name from the model.
  private func checkIsEmpty(_ schema: String) throws(StoreError) {
    let names = model.entities.map(\.name) + [HistoryTables.transactions, HistoryTables.consumers]
    let list = names.map(literal).joined(separator: ", ")
    let found = try run(
      """
      SELECT relname::text FROM pg_class WHERE relname IN (\(list)) \
      AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY relname LIMIT 1
      """)
    guard found.count > 0, let table = found.text(0, 0) else { return }
    throw .foreign(
      "\(name): the schema \(schema) has a table \(table) of another program; name another schema in search_path"
    )
  }

  // MARK: Statements

  @discardableResult
  private func run(_ text: String) throws(StoreError) -> QueryResult {
    do throws(ServerError) {
      return try connection.run(Statement(text), prepares: false)
    } catch {
      throw described(error)
    }
  }

  /// Runs a statement; returns nil if it fails with an error code.
  private func run(_ text: String, elseIf code: String) throws(StoreError) -> QueryResult? {
    do throws(ServerError) {
      return try connection.run(Statement(text), prepares: false)
    } catch {
      if error.code == code { return nil }
      throw described(error)
    }
  }

  private func described(_ error: ServerError) -> StoreError {
    switch error.code {
    case ErrorCode.insufficientPrivilege: notAllowed(error.text)
    case ErrorCode.duplicateTable:
      .foreign("\(name): \(error.text); name another schema in search_path")
    case ErrorCode.undefinedColumn, ErrorCode.undefinedFunction: foreign
    default: StoreError(error, store: name)
    }
  }

  /// Returns the schema that has the store but is closed to the user, so that its tables seem missing; or
  /// nil.
  private func closedSchema() throws(StoreError) -> String? {
    let found = try run(
      """
      SELECT quote_ident(nspname) FROM pg_namespace WHERE NOT has_schema_privilege(oid, 'USAGE') \
      AND nspname IN (SELECT trim(both ' "' FROM name) FROM string_to_table(current_setting('search_path'), ',') AS name) \
      AND EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = \(literal(Tables.store))) LIMIT 1
      """)
    return found.count > 0 ? found.text(0, 0) : nil
  }

  /// Describes a missing right, and the statements with which the owner grants it.
  private func notAllowed(_ cause: String, schema: String? = nil) -> StoreError {
    // Inside a failed transaction, the server answers no question.
    _ = try? connection.execute("ROLLBACK")
    let names = try? connection.run(
      Statement("SELECT quote_ident(current_user), quote_ident((current_schemas(false))[1])"), prepares: false
    )
    let (user, place) = (names?.text(0, 0) ?? "USER", schema ?? names?.text(0, 1) ?? "SCHEMA")
    let rights = purpose == .read ? "SELECT" : "ALL"
    let kinds = ["TABLES"] + (purpose == .read ? [] : ["SEQUENCES"])
    let statements =
      ["GRANT \(purpose == .create ? "ALL" : "USAGE") ON SCHEMA \(place) TO \(user)"]
      + kinds.map { "GRANT \(rights) ON ALL \($0) IN SCHEMA \(place) TO \(user)" }
    return .cannotOpen("\(name): \(cause); the owner can allow it: \(statements.joined(separator: "; "))")
  }

  private func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try run("BEGIN")
    do throws(StoreError) {
      try body()
      try run("COMMIT")
    } catch {
      _ = try? connection.execute("ROLLBACK")
      throw error
    }
  }
}
