import Threading
public import ManagedContext
internal import SQLStatements
internal import TextSearch

extension ServerSearchIndex {
  /// Returns the next step of an update; nil without tables, or if nothing was indexed yet in this version.
  func nextStep() throws(StoreError) -> SearchState.Step? {
    let row = try store.read { (connection) throws(ServerError) in try status(connection) }
    guard let row, row.count > 0 else { return nil }
    return Self.state(row).step(Self.history(row, from: 3), rows: .max)
  }

  /// Returns the state and the store's history in one row; nil without tables.
  private func status(_ connection: Connection) throws(ServerError) -> QueryResult? {
    let tables = [SearchTables.documents, SearchTables.words].map {
      "to_regclass(\(literal($0))) IS NOT NULL"
    }
    let statement = Statement(
      """
      SELECT state.token, state.mark, state.scanned, \(Self.history(of: "state.token")) \
      FROM \(SearchTables.state) AS state, \(Tables.store) WHERE format = $1 AND \(tables.joined(separator: " AND "))
      """, .integer(format))
    do throws(ServerError) {
      return try connection.run(statement, prepares: false)
    } catch {
      if error.code == ErrorCode.undefinedTable { return nil }
      throw error
    }
  }

  /// Returns whether the store contains changes that are not in the index yet.
  public func isBehind() throws(StoreError) -> Bool { try nextStep() != .nothing }

  @discardableResult
  public func catchUp(_ visit: (_ done: Int, _ total: Int) -> Void) throws(StoreError) -> Bool {
    let isCurrent = isKnownCurrent.withLock { known in
      defer { known = false }
      return known
    }
    // Without changes, do not wait for another process that updates the index.
    guard !isCurrent, try isBehind() else { return true }
    if isReadOnly { return false }
    while try step(visit) {}
    return true
  }

  /// Executes the next step in a transaction. Waits for another process that updates the index.
  ///
  /// - Returns: False if there is nothing to do.
  private func step(_ visit: (Int, Int) -> Void) throws(StoreError) -> Bool {
    var progress: (done: Int64, last: Int64)?
    let isDone = try changeTables { (connection) throws(ServerError) in
      try connection.run(
        Statement(
          "SELECT pg_advisory_xact_lock(hashtext('\(SearchTables.state)'), hashtext($1))",
          .text(store.channelID)))
      let found = try state(connection)
      guard let state = found else {
        try startOver(connection)
        return false
      }
      let history = try history(of: state, connection)
      switch state.step(history, rows: .max) {
      case .nothing: return true
      case .startOver: try startOver(connection)
      case .scanAll: try save(newState(connection), connection)
      case .scan(let key): progress = try scan(after: key, state, connection)
      case .follow: try follow(state, connection)
      }
      return false
    }
    if let progress { visit(Int(progress.done), Int(progress.last)) }
    return !isDone
  }

  /// Changes the tables in a transaction. If the connection is lost, it begins again.
  func changeTables<Value>(
    _ body: (Connection) throws(ServerError) -> Value
  ) throws(StoreError) -> Value {
    var wait = ServerPatience.Wait()
    while true {
      let result = try store.writing.use { (connection) throws(StoreError) -> Result<Value, ServerError> in
        do throws(ServerError) {
          // Another process writes one part of the index in less time.
          try connection.execute("BEGIN; SET LOCAL lock_timeout = '60s'")
          let value = try body(connection)
          try connection.execute("COMMIT")
          return .success(value)
        } catch {
          if !connection.isLost { _ = try? connection.execute("ROLLBACK") }
          return .failure(error)
        }
      }
      let failure: ServerError
      switch result {
      case .success(let value): return value
      case .failure(let error): failure = error
      }
      guard failure.isLost || ErrorCode.isTransient(failure.code), store.patience.pause(&wait) else {
        throw StoreError(failure, store: name)
      }
    }
  }

  // MARK: The state

  /// Returns the index's state; nil if none exists in this version.
  private func state(_ connection: Connection) throws(ServerError) -> SearchState? {
    let row = try connection.run(
      Statement("SELECT token, mark, scanned FROM \(SearchTables.state) WHERE format = $1", .integer(format)))
    return row.count > 0 ? Self.state(row) : nil
  }

  private static func state(_ row: QueryResult) -> SearchState {
    SearchState(token: row.integer(0, 0) ?? 0, mark: row.integer(0, 1) ?? 0, scanned: row.integer(0, 2))
  }

  private func save(_ state: SearchState, _ connection: Connection) throws(ServerError) {
    try connection.execute("DELETE FROM \(SearchTables.state)")
    try connection.run(
      Statement(
        "INSERT INTO \(SearchTables.state) (format, token, mark, scanned) VALUES ($1, $2, $3, $4)",
        .integer(format), .integer(state.token), .integer(state.mark),
        .integer(state.scanned)))
  }

  private func startOver(_ connection: Connection) throws(ServerError) {
    try connection.execute("DELETE FROM \(SearchTables.documents); DELETE FROM \(SearchTables.words)")
    try save(newState(connection), connection)
  }

  /// Returns the state before a comparison of all rows, which makes the index current.
  private func newState(_ connection: Connection) throws(ServerError) -> SearchState {
    var state = SearchState(token: 0, mark: 0, scanned: 0)
    state.token = try history(of: state, connection).newest
    state.mark = try history(of: state, connection).mark ?? 0
    return state
  }

  private func history(
    of state: SearchState, _ connection: Connection
  ) throws(ServerError) -> SearchState.History {
    let row = try connection.run(
      Statement("SELECT \(Self.history(of: "$1")) FROM \(Tables.store)", .integer(state.token)))
    return row.count > 0 ? Self.history(row, from: 0) : SearchState.History(newest: 0)
  }

  /// Returns the columns for ``history(_:from:)``, for an index up to a transaction.
  private static func history(of token: String) -> String {
    let table = HistoryTables.transactions
    return """
      history, (SELECT min(token) FROM \(table)), (SELECT process FROM \(table) WHERE token = \(token))
      """
  }

  private static func history(_ row: QueryResult, from column: Int) -> SearchState.History {
    SearchState.History(
      newest: row.integer(0, column) ?? 0, oldest: row.integer(0, column + 1),
      mark: row.integer(0, column + 2))
  }

  // MARK: Rows

  private static let rowsOfPart = 2000

  /// Compares the keys and versions of the next rows with the index, and indexes the differences.
  private func scan(
    after key: Int64, _ state: SearchState, _ connection: Connection
  ) throws(ServerError) -> (done: Int64, last: Int64) {
    let table = store.model[source.entity].table
    let part = try connection.run(
      Statement(
        "SELECT id, version FROM \(table) WHERE id > $1 ORDER BY id LIMIT \(Self.rowsOfPart)", .integer(key)))
    let newest = try connection.run(Statement("SELECT max(id) FROM \(table)")).integer(0, 0) ?? 0
    let isLast = part.count < Self.rowsOfPart
    let end = isLast ? Int64.max : part.integer(part.count - 1, 0) ?? .max
    let known = try connection.run(
      Statement(
        "SELECT key, version FROM \(SearchTables.documents) WHERE key > $1 AND key <= $2", .integer(key),
        .integer(end)))
    var versions: [Int64: Int64] = [:]
    for row in 0..<known.count { versions[known.integer(row, 0) ?? 0] = known.integer(row, 1) ?? 0 }
    var wanted: [Int64] = []
    for row in 0..<part.count {
      let id = part.integer(row, 0) ?? 0
      if versions.removeValue(forKey: id) != part.integer(row, 1) ?? 0 { wanted.append(id) }
    }
    try forget(Array(versions.keys), connection)
    try index(wanted, connection)
    var state = state
    state.scanned = isLast ? nil : end
    try save(state, connection)
    // The best way to find words depends on how frequent they are.
    if isLast, !wanted.isEmpty { try connection.execute("ANALYZE \(SearchTables.documents)") }
    return (min(end, newest), newest)
  }

  private static let transactionsOfPart = 32

  /// Indexes the rows that the next history transactions changed.
  ///
  /// All rows are compared if the transactions were purged, or if another program has set the counter.
  private func follow(_ state: SearchState, _ connection: Connection) throws(ServerError) {
    let rows = try ServerError.ofConnection {
      try HistoryTable(connection).transactions(after: state.token, limit: Self.transactionsOfPart)
    }
    var keys: Set<Int64> = []
    for row in rows {
      // A transaction that cannot be decoded comes from another program; all rows are compared then.
      guard let changes = try? row.decoded(store.model, store.number, name).changes else {
        return try save(newState(connection), connection)
      }
      keys.formUnion(source.changedKeys(by: changes, store.model))
    }
    guard let last = rows.last?.number else { return try save(newState(connection), connection) }
    let sorted = keys.sorted()
    let table = store.model[source.entity].table
    let there = RowReader.numbers(
      try connection.run(
        Statement("SELECT id FROM \(table) WHERE id = ANY($1) ORDER BY id", .integers(sorted))))
    try forget(Array(keys.subtracting(there)), connection)
    try index(there, connection)
    var state = state
    state.token = last
    state.mark = try history(of: state, connection).mark ?? 0
    try save(state, connection)
  }

  private func forget(_ keys: [Int64], _ connection: Connection) throws(ServerError) {
    guard !keys.isEmpty else { return }
    try connection.run(
      Statement("DELETE FROM \(SearchTables.documents) WHERE key = ANY($1)", .integers(keys)))
  }

  private static let rowsOfStatement = 500
  /// The size of the texts that are indexed together, in bytes.
  private static let bytesOfStatement: Int64 = 16 << 20

  /// Indexes rows from the store.
  private func index(_ keys: [Int64], _ connection: Connection) throws(ServerError) {
    let parts = try parts(
      of: keys, rows: Self.rowsOfStatement, bytes: Self.bytesOfStatement, connection)
    for part in parts { try write(part, connection) }
  }

  /// Divides rows into parts to read their texts together. Missing rows are left out.
  ///
  /// - Parameters:
  ///   - most: The maximum row count in a part.
  ///   - size: The text size, in bytes, with which a part ends.
  func parts(
    of keys: [Int64], rows most: Int, bytes size: Int64, _ connection: Connection
  ) throws(ServerError) -> [[Int64]] {
    guard !keys.isEmpty else { return [] }
    let bytes = source.attributes.map { "coalesce(octet_length(\(quoted($0))), 0)" }.joined(separator: " + ")
    let table = store.model[source.entity].table
    let sizes = try connection.run(
      Statement("SELECT id, (\(bytes))::bigint FROM \(table) WHERE id = ANY($1) ORDER BY id", .integers(keys))
    )
    var parts: [[Int64]] = []
    var left: Int64 = 0
    for row in 0..<sizes.count {
      if left <= 0 || parts.last.map({ $0.count >= most }) ?? true {
        parts.append([])
        left = size
      }
      parts[parts.count - 1].append(sizes.integer(row, 0) ?? 0)
      left -= sizes.integer(row, 1) ?? 0
    }
    return parts
  }

  private func write(_ keys: [Int64], _ connection: Connection) throws(ServerError) {
    let rows = try connection.run(Statement(texts(ofRows: "id = ANY($1)"), .integers(keys)))
    var vectors: [SearchVector] = []
    var all: Set<String> = []
    for row in 0..<rows.count {
      let columns = words(of: texts(rows, row))
      for words in columns {
        for word in 0..<words.count {
          let range = SearchWord.cut(words.bytes, words.range(of: word))
          all.insert(String(decoding: words.bytes[range], as: UTF8.self))
        }
      }
      vectors.append(SearchVector(columns))
    }
    var statement = Statement(
      """
      INSERT INTO \(SearchTables.documents) (key, version, grouped, date, is_partial, words) \
      SELECT key, version, grouped, date, is_partial <> 0, words \
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::double precision[], $5::bigint[], $6::tsvector[]) \
      AS input(key, version, grouped, date, is_partial, words) ORDER BY key \
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, grouped = excluded.grouped, date = excluded.date, \
      is_partial = excluded.is_partial, words = excluded.words
      """)
    for column in 0..<3 {
      statement.parameters.append(
        (0..<rows.count).map { rows.integer($0, column).map { .integer($0) } ?? .null }, of: .integer)
    }
    statement.parameters.append(
      (0..<rows.count).map { rows.real($0, 3).map { .real($0) } ?? .null }, of: .real)
    statement.parameters.append(vectors.map { .integer($0.isPartial ? 1 : 0) }, of: .integer)
    statement.parameters.append(vectors: vectors.map(\.bytes))
    try connection.run(statement)
    var vocabulary = Statement(
      "INSERT INTO \(SearchTables.words) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING")
    vocabulary.parameters.append(all.sorted().map { .text($0) }, of: .text)
    try connection.run(vocabulary)
  }

  /// Returns each column's words.
  private func words(of texts: SearchTexts) -> [WordList] {
    texts.ends.indices.map { column in
      let text = texts.bytes.span.extracting(texts.range(of: column))
      var words = WordList()
      words.append(wordsOf: text.extracting(..<SearchText.indexedCount(of: text)))
      return words
    }
  }
}
