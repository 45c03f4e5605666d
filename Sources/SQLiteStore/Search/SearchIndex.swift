internal import Foundation
internal import GRDB
public import ManagedContext
internal import SQLStatements
public import TextSearch
internal import Threading

/// A full-text index for a store's rows, in a separate file beside the store's file.
///
/// The index is derived data: deleting it loses nothing, and no import waits for it. ``catchUp(_:)`` updates
/// it from the store. Several processes may update and search it at the same time.
public final class SearchIndex: WordIndex {
  /// The path of the index file.
  public let path: String
  /// True if the file cannot be written. The index then keeps the state of its last update.
  public let isReadOnly: Bool

  let store: SQLiteStore
  let source: SearchSource
  let file: SearchFile
  /// The text size, in bytes, after which a scan's transaction takes no more rows.
  let bytesOfPart: Int
  /// The longest time without a row in a search.
  private let patience: Duration
  private let database: Locked<DatabaseQueue>
  /// The identity of the open file. Another process may have replaced it.
  private let openFile: Locked<FileIdentity?>
  /// The words known to be in the open file.
  let vocabulary = Locked(Vocabulary())

  /// The texts for the index are folded; see ``FoldedText``.
  static let tokenizer = "ascii"

  public var name: String { path }
  /// The number of the store with the texts.
  public var storeNumber: StoreNumber { store.number }

  /// Opens a store's index, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - store: The store with the texts.
  ///   - source: The attributes that are searched.
  ///   - path: The path of the index file; nil for a file beside the store's.
  ///   - bytesOfPart: The size of texts, in bytes, that are indexed in one transaction.
  ///   - patience: The time to wait for another process that writes the index.
  /// - Throws: ``StoreError/readOnly(_:)`` if no usable index exists and none can be created.
  public init(
    of store: SQLiteStore, _ source: SearchSource, path: String? = nil, bytesOfPart: Int = 256 << 20,
    patience: Duration = .seconds(10)
  ) throws(StoreError) {
    self.store = store
    (self.bytesOfPart, self.patience) = (bytesOfPart, patience)
    self.source = source
    let path = path ?? ReadOnlyFile.resolved(store.name) + ".search"
    self.path = path
    let file = SearchFile(
      path: path, source: source, permissions: FileStatus(path: store.name)?.permissions ?? 0o600)
    self.file = file
    isReadOnly = !file.isWritable
    let isReadOnly = isReadOnly
    database = Locked(
      try StoreFile.describingErrors(path: path) { () throws(any Error) in
        if !isReadOnly { return try file.open() }
        if let queue = try file.openReadOnly() { return queue }
        throw StoreError.readOnly(path)
      })
    openFile = Locked(FileStatus(path: path)?.identity)
  }

  public func byteCount() -> Int { FileStatus(path: path)?.size ?? 0 }

  /// Returns whether the store contains changes that are not in the index yet.
  public func isBehind() throws(StoreError) -> Bool {
    try describingErrors {
      let history = try self.history(of: try self.read { db in try self.state(in: db) })
      return try self.read { db in
        guard let state = try self.state(in: db) else { return true }
        return state.step(history, rows: .max) != .nothing
      }
    }
  }

  /// Returns the matching rows, best match first.
  public func search(_ request: SearchRequest) throws(StoreError) -> [SearchHit] {
    var request = request
    request.expression = try request.expression.replacingParts(of: self)
    let (sql, arguments) = question(request)
    return try ask(sql, arguments, for: request.expression) { row in
      SearchHit(key: try Self.key(of: row), score: row[1] ?? 0, date: row[2] ?? 0)
    }
  }

  /// Returns the keys of matching rows, in any order.
  public func keys(of expression: SearchExpression, limit: Int) throws(StoreError) -> [Int64] {
    let sql = """
      SELECT d.key FROM words CROSS JOIN document d ON d.id = words.rowid WHERE words MATCH ?
      ORDER BY words.rowid DESC LIMIT ?
      """
    let expression = try expression.replacingParts(of: self)
    return try ask(sql, [expression.text, limit], for: expression, Self.key)
  }

  /// Returns the matching keys among some rows.
  public func keys(of expression: SearchExpression, among keys: [Int64]) throws(StoreError) -> [Int64] {
    let expression = try expression.replacingParts(of: self)
    let ids = try ask(
      "SELECT id FROM document WHERE key IN (SELECT value FROM json_each(?))", [KeyList(keys).text],
      for: expression, Self.key)
    guard let first = ids.min(), let last = ids.max() else { return [] }
    // FTS5 prepares a query again for each row, which takes long for word prefixes. Within a range it passes
    // a million hits in a few tenths of a second. The plus sign keeps SQLite from asking for each row.
    let sql = """
      SELECT d.key FROM words CROSS JOIN document d ON d.id = words.rowid
      WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? AND +words.rowid IN (SELECT value FROM json_each(?))
      """
    return try ask(sql, [expression.text, first, last, KeyList(ids).text], for: expression, Self.key)
  }

  /// Returns the key at the beginning of a row.
  ///
  /// - Throws: The error for a damaged file if the key is null, which only a damaged page can contain.
  private static func key(of row: Row) throws -> Int64 {
    guard let key = row[0] as Int64? else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return key
  }

  /// Asks the index for rows. A damaged index is replaced first.
  private func ask<Value>(
    _ sql: String, _ arguments: StatementArguments, for expression: SearchExpression,
    _ value: (Row) throws -> Value
  ) throws(StoreError) -> [Value] {
    try describingErrors {
      do {
        return try self.ask(sql, arguments, value)
      } catch let error as DatabaseError where SearchFile.isDamage(error) && !self.isReadOnly {
        if error.resultCode == .SQLITE_ERROR { try self.check(expression) }
        try self.startOver()
        try self.catchUp { _, _ in }
        return try self.ask(sql, arguments, value)
      }
    }
  }

  private func ask<Value>(
    _ sql: String, _ arguments: StatementArguments, _ value: (Row) throws -> Value
  ) throws -> [Value] {
    let queue = database.withLock { $0 }
    let patience = SearchPatience(patience) { queue.interrupt() }
    do {
      return try queue.unsafeRead { db in
        var values: [Value] = []
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        while let row = try rows.next() {
          patience.restart()
          values.append(try value(row))
        }
        return values
      }
    } catch let error as DatabaseError where patience.hasEnded(error) {
      throw StoreError.request(
        "nothing was found within \(self.patience.components.seconds) s: the query means too many words; write more "
          + "letters before each *, or fewer alternatives")
    }
  }

  /// Searches an empty index, so that an error in the words is not mistaken for index damage.
  ///
  /// - Throws: ``StoreError/request(_:)`` for words that cannot be searched for.
  private func check(_ expression: SearchExpression) throws(StoreError) {
    do throws(StoreError) {
      _ = try Self.highlights(of: expression, in: [], columns: source.columns.map(\.name))
    } catch {
      throw .request("the words cannot be searched for")
    }
  }

  private func question(_ request: SearchRequest) -> (String, StatementArguments) {
    let weights = source.columns.map { "\($0.weight)" }.joined(separator: ", ")
    var conditions = ["words MATCH ?"]
    var arguments: StatementArguments = [request.expression.text]
    if let groups = request.groups {
      conditions.append("d.grouped IN (SELECT value FROM json_each(?))")
      arguments += [KeyList(groups).text]
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
    // The scan runs from the newest row backwards until it has enough candidates; only these are ranked.
    return (
      """
      SELECT CAST(key AS INTEGER), CAST(score AS REAL), CAST(coalesce(date, 0) AS REAL) FROM (
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
      try db.immediately { try body(db) }
    }
  }

  /// Deletes the file and creates a new one.
  func startOver() throws {
    let old = database.withLock { $0 }
    let identity = FileStatus(path: path)?.identity
    try old.close()
    file.remove(identity)
    try open()
  }

  /// Opens the file again if another process has replaced it: SQLite does not write an unlinked file.
  func reopenIfReplaced() throws {
    guard FileStatus(path: path)?.identity != openFile.withLock(\.self) else { return }
    try database.withLock { $0 }.close()
    try open()
  }

  private func open() throws {
    let new = try file.open()
    database.withLock { $0 = new }
    openFile.withLock { $0 = FileStatus(path: path)?.identity }
    vocabulary.withLock { $0 = Vocabulary() }
  }

  /// Returns the index's state; nil if the index was just created.
  func state(in db: Database) throws -> SearchState? {
    let numbers = ["token", "mark", "dead"].map(Self.integer)
    let sql = "SELECT \(numbers.joined(separator: ", ")), CAST(scanned AS INTEGER) FROM state"
    return try Row.fetchOne(db, sql: sql).map { row in
      SearchState(token: row[0], mark: row[1], scanned: row[3], dead: row[2])
    }
  }

  func history(of state: SearchState?) throws -> SearchState.History {
    try store.read { db in
      let newest = try FileConnection(db: db).newestTransaction()
      if newest == 0 { return SearchState.History(newest: 0) }
      return SearchState.History(
        newest: newest, oldest: try db.history.oldestToken()?.number,
        mark: try state.flatMap { try db.history.process(of: $0.token) })
    }
  }

  func describingErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in try body() }
  }
}
