public import ManagedContext
internal import SQLStatements
public import TextSearch
internal import Threading

/// A full-text index for a store's rows, in tables beside the model's tables.
///
/// Words are stored as a `tsvector`, made by the rules of a file's index: the server's rules would differ.
public final class ServerSearchIndex: WordIndex {
  let store: PostgreSQLStore
  let source: SearchSource
  private let finder: HitFinder
  /// True until the first update, if the index was current when it was opened.
  let isKnownCurrent = Locked(false)
  private let mayWrite = Locked<Bool?>(nil)

  public var name: String { store.name }
  public var storeNumber: StoreNumber { store.number }

  /// The index version; an index with another version is rebuilt.
  var format: Int64 { Int64(SearchTables.format << 16 | source.version) }

  /// Opens a store's index, and creates its tables if they do not exist.
  ///
  /// - Parameters:
  ///   - store: The store with the rows.
  ///   - source: The attributes that are searched.
  ///   - finder: Finds words in texts, for rows with too many words for the index.
  /// - Throws: ``StoreError/readOnly(_:)`` if no index exists and none can be created.
  public init(
    of store: PostgreSQLStore, _ source: SearchSource, _ finder: @escaping HitFinder
  ) throws(StoreError) {
    (self.store, self.source, self.finder) = (store, source, finder)
    if let step = try nextStep() {
      isKnownCurrent.withLock { $0 = step == .nothing }
      return
    }
    let (isThere, mayWrite) = try rights()
    guard mayWrite else { throw .readOnly(name) }
    if isThere { return }
    try changeTables { (connection) throws(ServerError) in
      // A single process creates the tables.
      try connection.run(
        Statement(
          "SELECT pg_advisory_xact_lock(application, hashtext(current_schema())) FROM \(Tables.store)"),
        prepares: false)
      for statement in SearchTables.statements { try connection.execute(statement) }
      // The progress of a table that was removed.
      try connection.execute("DELETE FROM \(SearchTables.state)")
    }
  }

  /// True if the server or the user's rights forbid to write the tables, or if this cannot be found out.
  public var isReadOnly: Bool {
    if let known = mayWrite.withLock({ $0 }) { return !known }
    return (try? rights().mayWrite) != true
  }

  /// Returns whether the tables exist, and whether they can be written or created.
  private func rights() throws(StoreError) -> (isThere: Bool, mayWrite: Bool) {
    let found = try store.read { (connection) throws(ServerError) in
      try connection.run(Statement(Self.rights), prepares: false)
    }
    mayWrite.withLock { $0 = found.isTrue(0, 1) }
    return (found.isTrue(0, 0), found.isTrue(0, 1))
  }

  /// The statement for ``rights()``.
  private static var rights: String {
    let tables = [SearchTables.documents, SearchTables.words, SearchTables.state]
    let writes = tables.flatMap { table in
      ["INSERT", "UPDATE", "DELETE"].map {
        "has_table_privilege(to_regclass(\(literal(table))), \(literal($0)))"
      }
    }
    return """
      SELECT has::int, (NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AND \
      CASE WHEN has THEN \(writes.joined(separator: " AND ")) \
      ELSE has_schema_privilege(current_schema(), 'CREATE') END)::int \
      FROM (SELECT \(tables.map { "to_regclass(\(literal($0))) IS NOT NULL" }.joined(separator: " AND ")) AS has) AS found
      """
  }

  public func byteCount() throws(StoreError) -> Int {
    let sizes = [SearchTables.documents, SearchTables.words].map {
      "pg_total_relation_size(\(literal($0))::regclass)"
    }
    let statement = Statement("SELECT \(sizes.joined(separator: " + "))")
    return try store.read { (connection) throws(ServerError) in
      Int(try connection.run(statement, prepares: false).integer(0, 0) ?? 0)
    }
  }

  // MARK: Searching

  public func search(_ request: SearchRequest) throws(StoreError) -> [SearchHit] {
    var filters = Filters()
    if let groups = request.groups { filters.add("grouped = ANY($)", .integers(groups)) }
    if let since = request.since { filters.add("date >= $", .real(since)) }
    if let until = request.until { filters.add("date < $", .real(until)) }
    let expression = try request.expression.replacingParts(of: self)
    let query = query(expression)
    guard let exact = query.exact else { return [] }
    let condition = filters.condition(query)
    let rank = filters.parameters.count + 1
    filters.parameters.append(exact)
    // The newest rows are ranked. The weights are for the marks D, C, B and A.
    let found = try ask(
      """
      SELECT key, coalesce(date, 0), is_partial::int, coalesce(-ts_rank('\(weights)', words, $\(rank)::tsquery, 1), 0)::double precision
      FROM (SELECT key, date, is_partial, words FROM \(SearchTables.documents) WHERE \(condition)
        ORDER BY key DESC LIMIT \(request.candidates)) AS found
      ORDER BY 4, date DESC
      """, filters.parameters)
    let hits = (0..<found.count).map { row in
      SearchHit(
        key: found.integer(row, 0) ?? 0, score: found.real(row, 3) ?? 0, date: found.real(row, 1) ?? 0)
    }
    let doubtful = (0..<found.count).filter { found.isTrue($0, 2) }.map { hits[$0].key }
    let wrong = try unmatched(doubtful, expression, query)
    return Array(hits.filter { !wrong.contains($0.key) }.prefix(request.limit))
  }

  public func keys(of expression: SearchExpression, limit: Int) throws(StoreError) -> [Int64] {
    try keys(of: expression, Filters(), limit: limit)
  }

  public func keys(of expression: SearchExpression, among keys: [Int64]) throws(StoreError) -> [Int64] {
    var filters = Filters()
    filters.add("key = ANY($)", .integers(keys))
    return try self.keys(of: expression, filters, limit: keys.count)
  }

  private func keys(
    of expression: SearchExpression, _ filters: Filters, limit: Int
  ) throws(StoreError) -> [Int64] {
    let expression = try expression.replacingParts(of: self)
    let query = query(expression)
    guard query.exact != nil else { return [] }
    var keys: [Int64] = []
    var last: Int64?
    // Rows that only seem to match do not count towards the limit.
    while keys.count < limit {
      let wanted = limit - keys.count
      var filters = filters
      if let last { filters.add("key < $", .integer(last)) }
      let condition = filters.condition(query)
      let found = try ask(
        """
        SELECT key, is_partial::int FROM \(SearchTables.documents) WHERE \(condition) ORDER BY key DESC LIMIT \(wanted)
        """, filters.parameters)
      let rows = (0..<found.count)
      let doubtful = rows.filter { found.isTrue($0, 1) }.compactMap { found.integer($0, 0) }
      let wrong = try unmatched(doubtful, expression, query)
      keys += rows.compactMap { found.integer($0, 0) }.filter { !wrong.contains($0) }
      guard found.count == wanted else { break }
      last = found.integer(found.count - 1, 0)
    }
    return keys
  }

  private func query(_ expression: SearchExpression) -> SearchQuery {
    SearchQuery(expression, columns: source.columns.map(\.name))
  }

  public func words(_ pattern: WordPattern, limit: Int) throws(StoreError) -> [String] {
    let condition =
      switch pattern {
      // No letter has a greater code.
      case .beginning: "word >= $1 AND word < $1 || U&'\\+10FFFF'"
      case .containing: "strpos(word, $1) > 0"
      case .ending: "right(word, length($1)) = $1"
      }
    var parameters = Parameters()
    parameters.append(pattern.letters)
    let found = try ask(
      "SELECT word FROM \(SearchTables.words) WHERE \(condition) LIMIT \(limit)", parameters)
    return (0..<found.count).map { found.text($0, 0) ?? "" }
  }

  /// The column weights as an array, the last column first; the greatest weight is 1.
  private var weights: String {
    let all =
      source.columns.map(\.weight)
      + Array(repeating: 0, count: SearchVector.mostColumns - source.columns.count)
    let greatest = all.max() ?? 1
    return "{" + all.reversed().map { "\($0 / greatest)" }.joined(separator: ",") + "}"
  }

  /// The search conditions besides the words.
  private struct Filters {
    private var conditions: [String] = []
    var parameters = Parameters()

    /// - Parameter condition: A condition with a dollar sign for its parameter.
    mutating func add(_ condition: String, _ value: SQLValue) {
      parameters.append(value)
      conditions.append(condition.replacing("$", with: "$\(parameters.count)"))
    }

    /// Returns all conditions, including a query.
    mutating func condition(_ query: SearchQuery) -> String {
      parameters.append(query.relaxed)
      var words = "words @@ $\(parameters.count)::tsquery"
      if query.needsPlaces {
        parameters.append(query.exact ?? "")
        words += " AND (is_partial OR words @@ $\(parameters.count)::tsquery)"
      }
      return (["(\(words) OR words IS NULL)"] + conditions).joined(separator: " AND ")
    }
  }

  /// The maximum duration of a search, in milliseconds.
  private static let patience = 30_000

  private static let limit = Statement(
    "SELECT set_config('statement_timeout', '\(patience)', true), set_config('jit', 'off', true)")

  private func ask(_ text: String, _ parameters: Parameters) throws(StoreError) -> QueryResult {
    let statement = Statement(text, parameters)
    var isCanceled = false
    do throws(StoreError) {
      return try store.read { (connection) throws(ServerError) in
        do throws(ServerError) {
          // The limit is for this transaction, which has both statements. The plan depends on the words.
          let results = try connection.runTogether([Self.limit, statement], prepares: false)
          return results[1]
        } catch {
          isCanceled = error.code == ErrorCode.canceled
          throw error
        }
      }
    } catch {
      guard isCanceled else { throw error }
      throw .request(
        "nothing was found within \(Self.patience / 1000) s: the query means too many words; write more "
          + "letters before each *, or fewer alternatives")
    }
  }

  // MARK: Rows without all places of words

  private static let rowsOfLook = 20
  /// The size of the texts that are examined together, in bytes.
  private static let bytesOfLook: Int64 = 4 << 20

  /// Returns the rows that do not match, after examining those that the server cannot decide about.
  private func unmatched(
    _ keys: [Int64], _ expression: SearchExpression, _ query: SearchQuery
  ) throws(StoreError) -> Set<Int64> {
    let doubtful = query.needsPlaces ? keys : try withoutWords(keys)
    var wrong = Set(doubtful)
    let parts = try store.read { (connection) throws(ServerError) in
      try self.parts(of: doubtful, rows: Self.rowsOfLook, bytes: Self.bytesOfLook, connection)
    }
    for part in parts {
      let statement = Statement(texts(ofRows: "id = ANY($1)"), .integers(part))
      let rows = try store.read { (connection) throws(ServerError) in try connection.run(statement) }
      let texts = (0..<rows.count).map { self.texts(rows, $0).strings }
      let hits = try finder(expression, texts, source.columns.map(\.name))
      for (row, hit) in hits.enumerated() where hit != nil {
        if let key = rows.integer(row, 0) { wrong.remove(key) }
      }
    }
    return wrong
  }

  /// Returns the rows without words in the index.
  private func withoutWords(_ keys: [Int64]) throws(StoreError) -> [Int64] {
    guard !keys.isEmpty else { return [] }
    let statement = Statement(
      "SELECT key FROM \(SearchTables.documents) WHERE key = ANY($1) AND words IS NULL", .integers(keys))
    return RowReader.numbers(
      try store.read { (connection) throws(ServerError) in try connection.run(statement) })
  }

  // MARK: Texts

  /// Returns the statement that reads rows with their key, version, group, date and texts.
  func texts(ofRows condition: String) -> String {
    let entity = store.model[source.entity]
    let columns =
      ["id", "version", quoted(source.group), entity.secondsSince1970(source.date)]
      + source.attributes.map(quoted)
    return "SELECT \(columns.joined(separator: ", ")) FROM \(entity.table) WHERE \(condition) ORDER BY id"
  }

  /// Returns the texts in a row from ``texts(ofRows:)``.
  func texts(_ rows: QueryResult, _ row: Int) -> SearchTexts {
    var texts = SearchTexts()
    source.texts.append(ResultRow(result: rows, row: row), from: 4, to: &texts)
    return texts
  }
}
