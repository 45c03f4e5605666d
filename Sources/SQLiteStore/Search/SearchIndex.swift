internal import Foundation
internal import GRDB
package import ManagedContext
internal import Threading

/// A full-text index of the rows of a store, in a file of its own beside the store's.
///
/// It is derived data: nothing is lost with it, and no import waits for it. ``catchUp(_:)`` makes it follow the store.
/// Several processes may do so and search at once.
package final class SearchIndex: Sendable {
  /// The file.
  package let path: String
  /// Whether it cannot be written, and is what it was when it could.
  package let isReadOnly: Bool

  let store: SQLiteStore
  let source: SearchSource
  let file: SearchFile
  private let database: Locked<DatabaseQueue>

  static let tokenizer = "unicode61 remove_diacritics 2"

  /// Opens the index of a store, making it where there is none.
  ///
  /// - Throws: ``StoreError/readOnly(_:)`` where there is none and none can be made.
  package init(of store: SQLiteStore, _ source: SearchSource) throws(StoreError) {
    self.store = store
    self.source = source
    let path = ReadOnlyFile.resolved(store.name) + ".search"
    self.path = path
    let file = SearchFile(path: path, source: source)
    self.file = file
    isReadOnly = !file.isWritable
    let isReadOnly = isReadOnly
    database = Locked(
      try StoreFile.describingErrors(path: path) { () throws(any Error) in
        if !isReadOnly { return try file.open() }
        if let queue = try file.openReadOnly() { return queue }
        throw StoreError.readOnly(path)
      })
  }

  /// Whether there is something in the store that is not in the index yet.
  package func isBehind() throws(StoreError) -> Bool {
    try describingErrors {
      let history = try self.history(of: try self.read { db in try self.state(in: db) })
      return try self.read { db in
        guard let state = try self.state(in: db) else { return true }
        return state.step(history, rows: .max) != .nothing
      }
    }
  }

  /// The keys of the rows that match, the best first.
  package func search(_ request: SearchRequest) throws(StoreError) -> [Int64] {
    let (sql, arguments) = question(request)
    return try describingErrors {
      do {
        return try self.ask(sql, arguments)
      } catch let error as DatabaseError where SearchFile.isDamage(error) && !self.isReadOnly {
        try self.startAnew()
        try self.catchUp { _, _ in }
        return try self.ask(sql, arguments)
      }
    }
  }

  private func ask(_ sql: String, _ arguments: StatementArguments) throws -> [Int64] {
    try read { db in
      do {
        return try Int64.fetchAll(db, sql: sql, arguments: arguments)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        throw StoreError.request(error.message ?? "the words cannot be looked for")
      }
    }
  }

  private func question(_ request: SearchRequest) -> (String, StatementArguments) {
    let weights = source.columns.map { "\($0.weight)" }.joined(separator: ", ")
    var conditions = ["words MATCH ?"]
    var arguments: StatementArguments = [request.expression.text]
    if let groups = request.groups {
      conditions.append("d.grouped IN (SELECT value FROM json_each(?))")
      arguments += ["[\(groups.map(String.init).joined(separator: ","))]"]
    }
    if let since = request.since {
      conditions.append("d.date >= ?")
      arguments += [since]
    }
    if let until = request.until {
      conditions.append("d.date < ?")
      arguments += [until]
    }
    arguments += [request.candidates, request.limit]
    // The index is gone through backwards until there are enough; only these are ranked.
    return (
      """
      SELECT key FROM (
        SELECT d.key AS key, bm25(words, \(weights)) AS score, d.date AS date
        FROM words CROSS JOIN document d ON d.id = words.rowid
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY words.rowid DESC LIMIT ?)
      ORDER BY score, date DESC LIMIT ?
      """, arguments
    )
  }

  // MARK: The file

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.withLock { $0 }.unsafeRead(body)
  }

  func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.withLock { $0 }.writeWithoutTransaction { db in
      var value: Value?
      try db.inTransaction(.immediate) {
        value = try body(db)
        return .commit
      }
      guard let value else { throw StoreError.busy }
      return value
    }
  }

  /// Throws the file away, and makes it anew.
  func startAnew() throws {
    let old = database.withLock { $0 }
    let identity = StoreFile.identity(of: path)
    try old.close()
    file.remove(identity)
    let new = try file.open()
    database.withLock { $0 = new }
  }

  /// Nil for an index that was just made.
  func state(in db: Database) throws -> SearchState? {
    try Row.fetchOne(db, sql: "SELECT token, mark, scanned, dead FROM state").map { row in
      SearchState(token: row[0], mark: row[1], scanned: row[2], dead: row[3])
    }
  }

  func history(of state: SearchState?) throws -> SearchState.History {
    try store.read { db in
      guard let newest = try HistoryTable.newest(in: db) else { return SearchState.History(newest: 0) }
      return SearchState.History(
        newest: newest, oldest: try HistoryTable.oldest(in: db),
        mark: try state.flatMap { try HistoryTable.process(of: $0.token, in: db) })
    }
  }

  func describingErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in try body() }
  }
}
