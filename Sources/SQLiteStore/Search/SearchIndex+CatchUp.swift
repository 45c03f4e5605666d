internal import GRDB
internal import GRDBSQLite
public import ManagedContext
internal import SQLStatements
internal import TextSearch
internal import Threading

extension SearchIndex {
  @discardableResult
  public func catchUp(_ visit: (_ done: Int, _ total: Int) -> Void) throws(StoreError) -> Bool {
    if isReadOnly { return try !isBehind() }
    return try describingErrors {
      var wasDamaged = false
      self.vocabulary.withLock { $0 = Vocabulary() }
      while true {
        do {
          try self.reopenIfReplaced()
          switch try self.step(visit) {
          case .nothing: return true
          case .startOver: try self.startOver()
          case .scan, .scanAll, .follow: continue
          }
        } catch let error as DatabaseError where SearchFile.isDamage(error) && !wasDamaged {
          // Damage to the store itself is a `StoreError` with the store's path, not a `DatabaseError`.
          wasDamaged = true
          try self.startOver()
        }
      }
    }
  }

  /// Executes the next step, and returns its kind.
  private func step(_ visit: (Int, Int) -> Void) throws -> SearchState.Step {
    try write { db in
      let found = try self.state(in: db)
      let history = try self.history(of: found)
      var state = found ?? SearchState(token: history.newest, mark: 0, scanned: 0, dead: 0)
      if found == nil { state.mark = try self.history(of: state).mark ?? 0 }
      let step = found == nil ? .scan(after: 0) : state.step(history, rows: try self.rows(in: db))
      switch step {
      case .nothing, .startOver: return step
      case .scan(let key): try self.scan(after: key, &state, in: db, visit)
      case .scanAll: try self.beginScan(&state, at: history.newest)
      case .follow: try self.follow(&state, to: history.newest, in: db)
      }
      try self.save(state, in: db)
      return step
    }
  }

  private func rows(in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT coalesce(max(id), 0) FROM document") ?? 0
  }

  private func save(_ state: SearchState, in db: Database) throws {
    try db.execute(sql: "DELETE FROM state")
    try db.execute(
      sql: "INSERT INTO state (token, mark, scanned, dead) VALUES (?, ?, ?, ?)",
      arguments: [state.token, state.mark, state.scanned, state.dead])
  }

  // MARK: All rows

  /// Prepares to compare all rows, which makes the index current up to a transaction.
  private func beginScan(_ state: inout SearchState, at newest: Int64) throws {
    (state.token, state.scanned) = (newest, 0)
    state.mark = try history(of: state).mark ?? 0
  }

  /// The row count of a transaction. Each transaction adds a segment to the index; a few large segments take
  /// less time than merging many small ones.
  private static let rowsOfPart = 16_000

  /// Compares the keys and versions of the next rows with the index, and indexes the differences.
  private func scan(
    after key: Int64, _ state: inout SearchState, in db: Database, _ visit: (Int, Int) -> Void
  ) throws {
    let table = quoted(store.model[source.entity].name)
    let (rows, last) = try store.read { db in
      (
        try Row.fetchAll(
          db.cachedStatement(
            sql: "SELECT id, \(Self.integer("version")) FROM \(table) WHERE id > ? ORDER BY id LIMIT ?"),
          arguments: [key, Self.rowsOfPart]
        ).map { (key: $0[0] as Int64, version: $0[1] as Int64) },
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM \(table)") ?? 0
      )
    }
    let end = rows.count < Self.rowsOfPart ? Int64.max : rows.last?.key ?? .max
    let known = try Row.fetchAll(
      db.cachedStatement(
        sql:
          "SELECT \(Self.integer("key")), \(Self.integer("version")) FROM document WHERE key > ? AND key <= ?"
      ),
      arguments: [key, end])
    if known.isEmpty && key == 0 { try merges(false, in: db) }
    var versions = Dictionary(known.map { ($0[0] as Int64, $0[1] as Int64) }) { $1 }
    var wanted: [Int64] = []
    for row in rows {
      if versions[row.key] == row.version { versions[row.key] = nil } else { wanted.append(row.key) }
    }
    for gone in versions.keys { try forget(gone, &state, in: db) }
    // The remaining rows are compared again in the next transaction.
    let done = try index(wanted, limit: bytesOfPart, in: db) { visit(Int($0), Int(last)) } ?? end
    state.scanned = done == .max ? nil : done
    if done == .max { try merges(true, in: db) }
    visit(Int(min(done, last)), Int(last))
  }

  /// Switches the merging of segments on or off. A first scan does not need it: its segments are large.
  private func merges(_ isOn: Bool, in db: Database) throws {
    // The FTS5 default.
    try db.execute(sql: "INSERT INTO words(words, rank) VALUES ('automerge', \(isOn ? 4 : 0))")
  }

  // MARK: Changed rows

  private static let transactionsOfPart = 32

  /// Indexes the rows that the next history transactions changed.
  ///
  /// All rows are compared if the transactions were purged, or if another program has set the counter.
  private func follow(_ state: inout SearchState, to newest: Int64, in db: Database) throws {
    let rows = try store.read { db in
      try db.history.transactions(after: state.token, limit: Self.transactionsOfPart)
    }
    var keys: Set<Int64> = []
    for row in rows {
      let changes = try row.decoded(store.model, store.number, store.name).changes
      keys.formUnion(source.changedKeys(by: changes, store.model))
    }
    let sorted = keys.sorted()
    for key in sorted { try forget(key, &state, in: db) }
    try index(sorted, in: db)
    guard let last = rows.last?.number else { return try beginScan(&state, at: newest) }
    state.token = last
    state.mark = try history(of: state).mark ?? 0
  }

  // MARK: Rows

  /// Removes a row from the index if it is indexed. The row's words stay in the index without a document.
  private func forget(_ key: Int64, _ state: inout SearchState, in db: Database) throws {
    try db.cachedStatement(sql: "DELETE FROM document WHERE key = ?").execute(arguments: [key])
    state.dead += db.changesCount
  }

  private static let rowsOfQuestion = 500

  /// Returns SQL for a column as an integer. For other values, GRDB's typed access would crash.
  static func integer(_ column: String) -> String { "CAST(coalesce(\(quoted(column)), 0) AS INTEGER)" }

  /// Indexes rows from the store; keys without a row are skipped.
  ///
  /// - Parameters:
  ///   - keys: The row keys, ascending.
  ///   - limit: The text size after which no more rows are read.
  ///   - visit: Called with the last key of each part.
  /// - Returns: The last key that was indexed if the limit was reached; nil if all were indexed.
  @discardableResult
  private func index(
    _ keys: [Int64], limit: Int = .max, in db: Database, visit: (Int64) -> Void = { _ in }
  ) throws -> Int64? {
    let names =
      [
        "id", Self.integer("version"), "CAST(\(quoted(source.group)) AS INTEGER)",
        "CAST(\(store.model[source.entity].secondsSince1970(source.date)) AS REAL)",
      ]
      + source.attributes.map { "CAST(\(quoted($0)) AS TEXT)" }
    let table = quoted(store.model[source.entity].name)
    let sql = """
      SELECT \(names.joined(separator: ", ")) FROM \(table)
      WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id
      """
    let writer = try IndexedRowWriter(columns: source.columns.map(\.name), db)
    var (texts, indexed) = (SearchTexts(), IndexedTexts())
    var size = 0
    for start in stride(from: 0, to: keys.count, by: Self.rowsOfQuestion) {
      let part = keys[start..<min(start + Self.rowsOfQuestion, keys.count)]
      try store.read { stored in
        let list = KeyList(part).text
        let question = try stored.cachedStatement(sql: sql)
        try question.setArguments([list])
        try QueryRow.forEach(question, stored) { row in
          texts.removeAll()
          source.texts.append(row, from: 4, to: &texts)
          indexed.replace(by: texts)
          vocabulary.withLock { $0.note(indexed.bytes) }
          size += indexed.bytes.count
          try writer.write(row, indexed)
          return true
        }
      }
      try add(vocabulary.withLock { $0.takeNewWords() }, in: db)
      if let last = part.last, last != keys.last {
        if size > limit { return last }
        visit(last)
      }
    }
    return nil
  }
}

/// Writes rows to an index. Their texts are read in place.
private struct IndexedRowWriter {
  private let document: Statement
  private let words: Statement
  private let db: Database

  init(columns: [String], _ db: Database) throws {
    self.db = db
    document = try db.cachedStatement(
      sql: "INSERT INTO document (key, version, grouped, date) VALUES (?, ?, ?, ?)")
    let places = columns.map { _ in ", ?" }.joined()
    words = try db.cachedStatement(
      sql: "INSERT INTO words (rowid\(columns.map { ", \($0)" }.joined())) VALUES (?\(places))")
  }

  /// - Parameter row: A row that begins with the key, the version, the group and the date.
  func write(_ row: QueryRow, _ texts: IndexedTexts) throws {
    let values = unsafe document.sqliteStatement
    for place in 0..<4 { try check(unsafe row.bind(place, to: values, at: Int32(place + 1))) }
    try unsafe execute(values)
    let handle = unsafe words.sqliteStatement
    try check(unsafe sqlite3_bind_int64(handle, 1, db.lastInsertedRowID))
    try unsafe texts.bytes.withUnsafeBufferPointer { bytes in
      for column in 0..<texts.columns {
        let range = texts.range(of: column)
        let code = unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
          // An empty array has no address, which would be bound as null: the same for the index.
          unsafe sqlite3_bind_text(
            handle, Int32(column + 2), bytes.baseAddress.map { unsafe $0 + range.lowerBound },
            Int32(range.count),
            nil)
        }
        try check(code)
      }
      try unsafe execute(handle)
    }
  }

  private func execute(_ handle: OpaquePointer?) throws {
    defer {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
    }
    try check(unsafe sqlite3_step(handle), SQLITE_DONE)
  }

  /// A value that cannot be bound is null, so that the row would never be found.
  private func check(_ code: Int32, _ expected: Int32 = SQLITE_OK) throws {
    guard code == expected else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
  }
}
