internal import Dispatch
public import Foundation
public import ManagedContext
internal import SQLStatements
internal import Threading

/// Options for opening a ``PostgreSQLStore``.
public struct PostgreSQLStoreOptions: Sendable {
  /// True if transactions are recorded for ``PersistentStore/history(after:)``.
  public var keepsHistory = true
  /// The retention period for recorded transactions, in seconds.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// The time, in seconds, that transactions are kept for a consumer that was not seen.
  public var consumerPatience: TimeInterval = 30 * 86_400
  /// The maximum size of the history's changes, in bytes, while transactions are kept only for consumers.
  public var historyBytes = 256 << 20
  /// The interval at which an observer looks for changes without a notification, in seconds.
  public var pollInterval: TimeInterval = 5
  /// The longest wait for a temporarily absent server, in seconds.
  public var patience: TimeInterval = 10
  /// The time, in seconds, after which a server that does not answer is given up, once waiting was ended
  /// (``PostgreSQLStore/stopWaiting()``).
  public var endPatience: TimeInterval = 30
  /// The time, in seconds, that a process may be without its life sign. It immediately reopens a lost
  /// session.
  public var signPatience: TimeInterval = 5
  /// The longest time, in seconds, that a process stopped inside a transaction delays others.
  public var stallLimit: TimeInterval = 15
  /// A closure called once for an absence of the server, on the waiting thread, when the wait has become
  /// long. An observer waits without an end, and also calls it.
  public var didWait: @Sendable () -> Void = {}
  /// True if a store with an older model version is migrated when it is opened for writing. Other processes with
  /// the older version can then no longer use it.
  public var migrates = true
  /// A closure that receives the progress of a migration, on the thread that opens the store.
  public var migrationProgress: @Sendable (MigrationProgress) -> Void = { _ in }
  /// The names of the program's former views. A migration deletes them, and keeps views that users have added.
  public var formerViews: [String] = []
  /// The store's clock; nil for the server's.
  public var now: (@Sendable () -> Date)?

  /// Creates the recommended options.
  public init() {}
}

/// A persistent store in tables on a PostgreSQL server, which any number of processes and machines share.
///
/// It uses at most three connections: one that writes, and two that read. An observer has a further one. All
/// times that programs compare come from the server's clock.
public final class PostgreSQLStore: PersistentStore {
  /// The address without its password.
  public let name: String
  /// The store's number, shared by all open stores with the same address.
  public let number: StoreNumber
  let model: ManagedObjectModel
  let options: PostgreSQLStoreOptions
  let address: String
  /// The address, with its password.
  public let fullAddress: StoreAddress
  let writing: ConnectionPool
  let reading: ConnectionPool
  /// The connection that holds this process's life signs.
  let signs: LifeSigns
  private let clock: ServerClock
  /// This open store's number in the history.
  let process = Int64.random(in: .min ... .max)
  let isReadOnly: Bool
  /// Distinguishes the store from others in the database.
  let channelID: String
  let purge: HistoryPurge
  let patience: ServerPatience
  let pooler = Locked(Pooler.none)
  let versionTables: [VersionTable]
  let writer: Locked<WriterState>

  /// The settings for every session. They limit the delay by a process stopped inside a transaction.
  ///
  /// A role's limit for all statements would end imports and copies of large stores. It applies only to
  /// queries that users write themselves.
  ///
  /// Compiled expressions (JIT) are for queries that take many seconds. The writer's plans only seem costly,
  /// because of ``settingsOfWriter``. Compiling them took ten times as long as running them.
  static func settings(_ options: PostgreSQLStoreOptions) -> [(name: String, value: String)] {
    [
      ("default_transaction_isolation", "read committed"), ("jit", "off"), ("lock_timeout", "20s"),
      ("statement_timeout", "0"),
      ("idle_in_transaction_session_timeout", String(Int(options.stallLimit * 1000))),
    ]
  }

  /// Rows are written by key: a plan made for an empty table must not read the whole table later.
  private static let settingsOfWriter = [
    (name: "enable_hashjoin", value: "off"), (name: "enable_mergejoin", value: "off"),
    (name: "enable_seqscan", value: "off"),
  ]

  /// Opens a store for reading and writing. Missing tables are created in the first schema in `search_path`.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - model: The entities, with one table each.
  ///   - application: The number that distinguishes the program's tables from other programs' tables.
  ///   - views: Statements that create views for manual queries. They run after the tables are created.
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
  /// - Throws: ``StoreError/cannotOpen(_:)`` without tables; other cases if they are unusable.
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
    let patience = ServerPatience(limit: options.patience, didWait: options.didWait)
    self.patience = patience
    writing = ConnectionPool(
      address.text, name: name, limit: 1, settings: Self.settings(options) + Self.settingsOfWriter,
      patience: patience, pooler: pooler)
    reading = ConnectionPool(
      address.text, name: name, limit: 2, settings: Self.settings(options), patience: patience, pooler: pooler
    )
    versionTables = VersionTable.all(of: model, .postgresql)
    signs = LifeSigns(address.text, name: name, patience: options.signPatience)
    purge = HistoryPurge(
      retention: options.historyRetention, patience: options.consumerPatience, bytes: options.historyBytes,
      trustsClock: true)
    let name = name
    let pool = purpose == .read ? reading : writing
    let found = try Self.open(address, model, application, name, options, purpose, views, pool)
    (number, channelID, clock) = (found.number, found.id, found.clock)
    writer = Locked(WriterState(newest: found.newest))
  }

  /// Closes the connections. Reading and writing fail afterwards.
  public func close() {
    for pool in [reading, writing] { pool.close() }
    signs.close()
  }

  /// The UUID that its tables got when they were created.
  public func uuid(isMade: Bool) -> UUID? {
    let digits = Array(channelID.utf8)
    guard digits.count == 32 else { return nil }
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
    return UUID(uuidString: parts.joined(separator: "-"))
  }

  public func now() -> Date { options.now?() ?? clock.now() }

  /// Ends waits for the server, and cancels running statements. Connections that are still open after
  /// ``PostgreSQLStoreOptions/endPatience`` are ended, because a server that hangs would keep the program.
  public func stopWaiting() {
    patience.end()
    let queue = DispatchQueue.global(qos: .userInitiated)
    // A server that hangs also delays the cancellation.
    queue.async { [reading, writing] in for pool in [reading, writing] { pool.cancelAll() } }
    queue.asyncAfter(deadline: .now() + options.endPatience) { [weak self] in
      guard let self else { return }
      for pool in [reading, writing] { pool.disconnect() }
      signs.close()
    }
  }

  /// True after ``stopWaiting()``: the result of a long operation is not needed any more.
  public var isStopped: Bool { patience.isEnded }

  // MARK: Life signs

  public func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign { try signs.begin(number) }

  /// Returns the numbers with living holders. If patient, looks again for missing ones for a while: a process
  /// may be about to reopen its session (``PostgreSQLStoreOptions/signPatience``).
  public func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) throws(StoreError) -> Set<Int64> {
    var wait = ServerPatience.Wait()
    while true {
      let held = try read { (connection) throws(ServerError) in
        let rows = try connection.run(Statement(LifeSigns.areHeld, .integers(Array(numbers))))
        return Set((0..<rows.count).compactMap { rows.integer($0, 0) })
      }
      guard held.count < numbers.count, isPatient,
        patience.pause(&wait, atMost: .seconds(options.signPatience))
      else {
        return held
      }
    }
  }

  // MARK: Reading

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let columns = query.columns ?? Array(model[query.entity].attributes.indices)
    let result = try run(query) { StatementBuilder.select($0, model) }
    return try RowReader.rows(result, of: query.entity, columns: columns, store: number, model)
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    Int(try run(query) { StatementBuilder.count($0, model).statement }.integer(0, 0) ?? 0)
  }

  public func groups(
    _ aggregate: StoreAggregate, _ model: ManagedObjectModel
  ) throws(StoreError) -> [StoreGroup] {
    // The server has no order for bytes as an aggregate.
    if aggregate.comparesBytes(model) {
      return try aggregate.groups(model) { (query) throws(StoreError) in try fetch(query) }
    }
    let query = StoreQuery(entity: aggregate.entity, predicate: aggregate.predicate)
    let result = try run(query) { query in
      var aggregate = aggregate
      aggregate.predicate = query.predicate
      return StatementBuilder.aggregate(aggregate, model).statement
    }
    return try (0..<result.count).map { (row) throws(StoreError) in
      try aggregate.group(model, number) { result.value(row, $0, $1) }
    }
  }

  /// Runs a query's statement. With a condition on folded texts, it is the second one in a snapshot.
  private func run(_ query: StoreQuery, _ statement: (StoreQuery) -> Statement) throws(StoreError)
    -> QueryResult
  {
    guard query.predicate?.hasFoldedText == true else {
      let statement = statement(query)
      return try read { (connection) throws(ServerError) in try connection.run(statement) }
    }
    let name = name
    return try readTogether { connection in
      let named = try query.namingFoldedText(model) { (statement) throws(StoreError) in
        try describingErrors(store: name) { try connection.run(statement) }
      }
      return try connection.run(statement(named))
    }
  }

  /// Runs `body` on a reading connection. If the connection is lost, `body` runs again on a new one.
  func read<Value>(_ body: (Connection) throws(ServerError) -> Value) throws(StoreError) -> Value {
    let name = name
    var wait = ServerPatience.Wait()
    while true {
      let lost: ServerError
      do throws(Interrupted) {
        let connection: Connection
        do throws(StoreError) { connection = try reading.take() } catch { throw .failed(error) }
        defer { reading.give(connection) }
        do throws(ServerError) { return try body(connection) } catch {
          throw error.isLost ? .lost(error) : .failed(StoreError(error, store: name))
        }
      } catch {
        switch error {
        case .lost(let error): lost = error
        case .failed(let error): throw error
        }
      }
      guard patience.pause(&wait) else { throw StoreError(lost, store: name) }
    }
  }

  private enum Interrupted: Error {
    case lost(ServerError)
    case failed(StoreError)
  }

  /// Runs several reading statements in one snapshot.
  func readTogether<Value>(_ body: (Connection) throws -> Value) throws(StoreError) -> Value {
    try readOnce { connection in
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      do {
        let value = try body(connection)
        try connection.execute("COMMIT")
        return value
      } catch {
        if !connection.isLost { try connection.execute("ROLLBACK") }
        throw error
      }
    }
  }

  /// Runs a reading statement, with any errors.
  func readOnce<Value>(_ body: (Connection) throws -> Value) throws(StoreError) -> Value {
    var result: Result<Value, any Error>?
    try read { (connection) throws(ServerError) in
      result = Result { try body(connection) }
      if case .failure(let error as ServerError) = result { throw error }
    }
    return try describingErrors(store: name) {
      guard let result else { throw StoreError.busy }
      return try result.get()
    }
  }
}

extension StoreAggregate {
  /// True if the smallest or greatest bytes of a group are wanted.
  fileprivate func comparesBytes(_ model: ManagedObjectModel) -> Bool {
    functions.contains { function in
      switch function {
      case .minimum(let attribute), .maximum(let attribute):
        model[entity].attributes[attribute].type == .bytes
      case .count, .values, .sum: false
      }
    }
  }
}
