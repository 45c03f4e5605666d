public import Foundation
public import ManagedContext
internal import Threading

/// Options for opening a ``PostgreSQLStore``.
public struct PostgreSQLStoreOptions: Sendable {
  /// True if transactions are recorded for ``ManagedContext/PersistentStore/history(after:)``.
  public var keepsHistory = true
  /// The retention period of recorded transactions, in seconds.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// The time, in seconds, for which transactions are kept for a consumer that was not seen.
  public var consumerPatience: TimeInterval = 30 * 86_400
  /// The maximum size of the history's changes, in bytes, while transactions are kept only for consumers.
  public var historyBytes = 256 << 20
  /// The interval at which an observer looks for changes without a notification, in seconds.
  public var pollInterval: TimeInterval = 5
  /// The store's clock; nil for the server's.
  public var now: (@Sendable () -> Date)?

  /// Creates the recommended options.
  public init() {}
}

/// A persistent store in the tables of a PostgreSQL server, which any number of processes on any number of machines share.
///
/// It uses at most three connections: one that writes, and two that read. An observer has a further one. All times that
/// programs compare come from the server's clock.
public final class PostgreSQLStore: PersistentStore {
  /// The address without its password.
  public let name: String
  /// The number of the store, which other open stores of the same address share.
  public let number: StoreNumber
  let model: ManagedObjectModel
  let options: PostgreSQLStoreOptions
  let address: String
  /// The address, with its password.
  package let fullAddress: StoreAddress
  let writing: ConnectionPool
  let reading: ConnectionPool
  /// The connection that holds the life signs of this process.
  let signs: LifeSigns
  private let clock: ServerClock
  /// The number of this open store in the history.
  let process = Int64.random(in: .min ... .max)
  private let isReadOnly: Bool
  /// What names the store among others of the database.
  let channelID: String
  let purge: HistoryPurge
  private let pace = Locked(NotificationPace())

  /// The settings of every session. A process that is stopped inside a transaction holds nobody up for longer than these times.
  private static let settings = [
    "SET default_transaction_isolation = 'read committed'", "SET lock_timeout = '15s'",
    "SET idle_in_transaction_session_timeout = '15s'",
  ]
  /// Rows are written by key: a plan that was made when a table was empty must not read the whole table later.
  private static let settingsOfWriter = [
    "SET enable_hashjoin = off", "SET enable_mergejoin = off", "SET enable_seqscan = off",
  ]

  /// Opens a store for reading and writing. Missing tables are created in the schema that `search_path` names first.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - model: The entities, with one table each.
  ///   - application: The number that distinguishes the program's tables from those of others.
  ///   - views: Statements that create views for manual queries, and what these need. They run after those of the tables.
  ///   - options: Options for the history and the clock.
  /// - Throws: ``StoreError`` with the address and the cause; nothing is created then.
  public convenience init(
    _ address: StoreAddress, model: ManagedObjectModel, application: Int32,
    views: @autoclosure () -> [String] = [],
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws(StoreError) {
    try self.init(address, model, application, options, .create, views)
  }

  /// Opens an existing store read-only.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if there are no tables; other cases if they are unusable.
  public convenience init(
    readOnly address: StoreAddress, model: ManagedObjectModel, application: Int32,
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws(StoreError) {
    try self.init(address, model, application, options, .read)
  }

  init(
    _ address: StoreAddress, _ model: ManagedObjectModel, _ application: Int32,
    _ options: PostgreSQLStoreOptions, _ purpose: StoreOpening.Purpose, _ views: () -> [String] = { [] }
  ) throws(StoreError) {
    name = address.withoutPassword
    self.address = address.text
    fullAddress = address
    (self.model, self.options, isReadOnly) = (model, options, purpose == .read)
    let settings = Self.settings
    writing = ConnectionPool(address.text, name: name, limit: 1, settings: settings + Self.settingsOfWriter)
    reading = ConnectionPool(address.text, name: name, limit: 2, settings: settings)
    signs = LifeSigns(address.text, name: name)
    purge = HistoryPurge(options)
    let name = name
    (number, channelID, clock) = try (purpose == .read ? reading : writing).use {
      (connection) throws(StoreError) in
      let opening = StoreOpening(connection: connection, model: model, application: application, name: name)
      let found = try opening.open(for: purpose, views)
      return (found.number, found.id, try ServerClock(connection, name: name))
    }
  }

  /// Closes the connections. Reading and writing fail afterwards.
  public func close() {
    for pool in [reading, writing] { pool.close() }
    signs.close()
  }

  public func now() -> Date { options.now?() ?? clock.now() }

  public func stopWaiting() {
    for pool in [reading, writing] { pool.cancelAll() }
  }

  // MARK: Life signs

  public func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign { try signs.begin(number) }

  public func hasLifeSign(_ number: Int64) throws(StoreError) -> Bool {
    try read { (connection) throws(ServerError) in
      try connection.run(Statement(LifeSigns.isHeld, .integer(number))).isTrue(0, 0)
    }
  }

  // MARK: Reading

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let statement = StatementBuilder.select(query, model)
    let columns = query.columns ?? Array(model[query.entity].attributes.indices)
    let result = try read { (connection) throws(ServerError) in try connection.run(statement) }
    return try RowReader.rows(result, of: query.entity, columns: columns, store: number, model)
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    let statement = StatementBuilder.count(query, model)
    return try read { (connection) throws(ServerError) in
      Int(try connection.run(statement).integer(0, 0) ?? 0)
    }
  }

  /// Runs `body` on a reading connection. If the connection was lost, it runs once more on a new one.
  func read<Value>(_ body: (Connection) throws(ServerError) -> Value) throws(StoreError) -> Value {
    let name = name
    for isLast in [false, true] {
      let found = try reading.use { (connection) throws(StoreError) -> Value? in
        do throws(ServerError) {
          return try body(connection)
        } catch {
          if error.isLost, !isLast { return nil }
          throw StoreError(error, store: name)
        }
      }
      if let found { return found }
    }
    throw .busy
  }

  /// Runs several reading statements on one state of the store.
  func readTogether<Value>(_ body: (Connection) throws -> Value) throws(StoreError) -> Value {
    var result: Result<Value, any Error>?
    try read { (connection) throws(ServerError) in
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      result = Result { try body(connection) }
      if case .failure(let error as ServerError) = result {
        if !error.isLost { try connection.execute("ROLLBACK") }
        throw error
      }
      try connection.execute("COMMIT")
    }
    do {
      guard let result else { throw StoreError.busy }
      return try result.get()
    } catch let error as StoreError {
      throw error
    } catch {
      throw .inputOutput("\(name): \(error)")
    }
  }

  // MARK: Writing

  /// The number of times that a transaction is tried while others are in its way.
  private static let mostAttempts = 20

  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    guard !isReadOnly else { return group.map { _ in .failure(.readOnly(name)) } }
    do throws(StoreError) {
      return try writeAgain(group).map { .success($0) }
    } catch {
      guard group.count > 1 || error.isBadText, error.concernsOneSave else {
        return group.map { _ in .failure(error) }
      }
      // A save violates a rule that only the database could check. Each is repeated alone, so that it succeeds or fails
      // separately.
      return group.map { changes in
        do throws(StoreError) {
          return .success(try writeAgain([changes.withServerText(model)])[0])
        } catch {
          return .failure(error)
        }
      }
    }
  }

  /// Writes a group in one transaction, and repeats it if another transaction was in its way.
  private func writeAgain(_ group: [ChangeSet]) throws(StoreError) -> [CommitResult] {
    for _ in 1..<Self.mostAttempts {
      do throws(Overtaken) { return try writeOnce(group) } catch {
        switch error {
        case .again: continue
        case .failed(let error): throw error
        }
      }
    }
    throw .busy
  }

  private enum Overtaken: Error {
    case again
    case failed(StoreError)
  }

  private func writeOnce(_ group: [ChangeSet]) throws(Overtaken) -> [CommitResult] {
    var code: String?
    do throws(StoreError) {
      let (results, noted) = try write { (connection) throws(StoreError) in
        defer { code = connection.lastCode }
        let transaction = ServerTransaction(
          connection, model, name: name, store: number, keepsDeletedValues: options.keepsHistory)
        try checkVersion(transaction)
        let keeping = VersionTable.all(of: model).map { VersionKeeping($0, in: transaction) }
        try adoptChangesOfOthers(keeping, transaction)
        var results: [CommitResult] = []
        for changes in group {
          var steps = transaction
          results.append(try changes.apply(to: &steps, model: model))
        }
        let noted = options.keepsHistory ? try note(zip(group, results), transaction) : nil
        for keeping in keeping { try keeping.finish(as: noted, store: number) }
        return (results, noted)
      }
      if noted?.transactions.isEmpty == false { notify() }
      return results
    } catch {
      if case .busy = error, ErrorCode.isTransient(code) { throw .again }
      throw .failed(error)
    }
  }

  /// Runs `body` in a writing transaction.
  func write<Value>(_ body: (Connection) throws(StoreError) -> Value) throws(StoreError) -> Value {
    guard !isReadOnly else { throw .readOnly(name) }
    let name = name
    return try writing.use { (connection) throws(StoreError) in
      let execute = { (text: String) throws(StoreError) in
        do throws(ServerError) { try connection.execute(text) } catch { throw StoreError(error, store: name) }
      }
      try execute("BEGIN")
      do throws(StoreError) {
        let value = try body(connection)
        try execute("COMMIT")
        return value
      } catch {
        _ = try? connection.execute("ROLLBACK")
        throw error
      }
    }
  }

  /// Wakes the observers of other processes. It is a hint: an observer that misses it looks later.
  ///
  /// Inside the transaction, it would take a lock that all databases of the server share until the end of the commit.
  private func notify() {
    guard pace.withLock({ $0.isDue(at: .now) }) else { return }
    try? writing.use { (connection) throws(StoreError) in
      _ = try? connection.execute("NOTIFY \(quoted(channel))")
    }
  }

  /// Checks that no newer program has migrated the store since it was opened, and keeps others from doing so.
  private func checkVersion(_ transaction: ServerTransaction) throws(StoreError) {
    let row = try transaction.run(Statement("SELECT version FROM \(Tables.store) FOR KEY SHARE"))
    let version = Int(row.count > 0 ? row.integer(0, 0) ?? 0 : 0)
    if version > model.version { throw .newer(version: version, known: model.version) }
    if version == 0 { throw .cannotOpen("\(name): its tables were removed while it was open") }
  }
}

extension StoreError {
  /// True if the error results from the written values, so that other saves of the same transaction may succeed.
  fileprivate var concernsOneSave: Bool {
    switch self {
    case .invalid, .conflict, .validation: true
    default: false
    }
  }

  /// True if a text is not one that the server can keep.
  fileprivate var isBadText: Bool {
    if case .invalid = self { true } else { false }
  }
}
