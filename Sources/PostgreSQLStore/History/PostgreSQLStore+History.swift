public import Foundation
public import ManagedContext
internal import SQLStatements
internal import Threading

extension PostgreSQLStore {
  // MARK: Reading

  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try readTogether { connection in
      let table = HistoryTable(connection)
      try table.verify(token)
      return try table.transactions(after: token?.number ?? 0).map { try $0.decoded(model, number, name) }
    }
  }

  public func followedHistory(after token: HistoryToken?, limit: Int) throws(StoreError) -> HistoryPart {
    try readTogether { connection in
      let table = HistoryTable(connection)
      try table.verify(token)
      let rows = try table.transactions(after: token?.number ?? 0, isFollowed: true, limit: max(0, limit))
      let end = try rows.count < limit ? table.newestToken() : rows.last?.token
      return HistoryPart(
        transactions: try rows.map { try $0.decoded(model, number, name) }, end: end ?? token)
    }
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try readOnce { connection in try HistoryTable(connection).newestToken() }
  }

  // MARK: Writing

  /// Appends the changes of change sets to the history, as the last statements of their transaction.
  ///
  /// - Parameter save: The number of the save in this process.
  func note(
    _ written: some Sequence<(ChangeSet, CommitResult)>, _ transaction: ServerTransaction, save: Int64
  ) throws(StoreError) -> NotedTransactions {
    let date = now()
    var noted = NotedTransactions(date: date)
    let runs = model.recorded(written)
    guard !runs.isEmpty else { return noted }
    let rows = runs.map { NewHistoryRow($0.changes, transaction.deletedValues, author: $0.author, model) }
    let first = try append(rows, process: process, save: save, date: date, transaction)
    for (place, run) in runs.enumerated() { noted.transactions.append((first + Int64(place), run.changes)) }
    return noted
  }

  /// Appends transactions, and returns the first one's number.
  func append(
    _ rows: [NewHistoryRow], process: Int64, save: Int64, date: Date, _ transaction: ServerTransaction
  ) throws(StoreError) -> Int64 {
    let statement = NewHistoryRow.appending(
      rows, process: process, save: save, date: date, version: model.version)
    do throws(StoreError) {
      return try transaction.run(statement).integer(0, 0) ?? 0
    } catch {
      throw transaction.connection.lastCode == ErrorCode.notNull ? removed : error
    }
  }

  /// The error for tables that are not those that were opened.
  var removed: StoreError { .cannotOpen("\(name): its tables were removed or changed while it was open") }

  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    let date = now()
    try writeDescribingErrors { connection in
      try purge.run(before: token.number, at: date, on: connection)
    }
  }

  func transaction(on connection: Connection) -> ServerTransaction {
    ServerTransaction(connection, model, name: name, store: number, keepsDeletedValues: options.keepsHistory)
  }

  // MARK: Consumers

  public func consumers() throws(StoreError) -> [HistoryConsumer] {
    try readOnce { connection in try ConsumerTable(connection).all() }
  }

  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    try writeDescribingErrors { connection in
      try HistoryTable(connection).acknowledge(token, position: position, by: name, at: date, force: force)
    }
  }

  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {
    try writeDescribingErrors { connection in try ConsumerTable(connection).touch(name, at: date) }
  }

  public func removeConsumer(named name: String) throws(StoreError) {
    try writeDescribingErrors { connection in try ConsumerTable(connection).remove(name) }
  }

  /// Runs `body` in a writing transaction, as `write` does, with any errors.
  func writeDescribingErrors<Value>(_ body: (Connection) throws -> Value) throws(StoreError) -> Value {
    try write { (connection) throws(StoreError) in
      try describingErrors(store: name) { try body(connection) }
    }
  }
}

extension PostgreSQLStore {
  // MARK: Other processes

  /// Calls `body` with transactions from other processes and from other open stores in this process.
  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? {
    let begun = try readOnce { connection in try connection.newestTransaction() }
    let last = Locked(begun)
    let (model, number, name, process) = (model, number, name, process)
    let observer = RemoteObserver(
      address, channel: channel, interval: options.pollInterval, through: pooler.withLock { $0 },
      didWait: { [patience] in patience.report() }
    ) { (connection) throws(StoreError) in
      let rows = try describingErrors(store: name) {
        try HistoryTable(connection).transactions(after: last.withLock { $0 }, without: process)
      }
      guard let newest = rows.last?.number else { return }
      last.withLock { $0 = newest }
      // A transaction that cannot be decoded must not hide the transactions after it.
      let transactions = rows.compactMap { row in
        row.process == process ? nil : try? row.decoded(model, number, name)
      }
      if !transactions.isEmpty { body(transactions) }
    }
    return try observer.start()
  }

  /// The channel on which writers notify observers: one for each store in a database.
  var channel: String { "newsimport_\(channelID)" }
}
