public import Foundation
public import ManagedContext
internal import Threading

extension PostgreSQLStore {
  // MARK: Reading

  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try readTogether { connection in
      let table = HistoryTable(connection)
      try table.verify(token)
      return try table.rows(after: token?.number ?? 0).map { try $0.transaction(model, number, name) }
    }
  }

  public func followedHistory(after token: HistoryToken?, limit: Int) throws(StoreError) -> HistoryPart {
    try readTogether { connection in
      let table = HistoryTable(connection)
      try table.verify(token)
      let rows = try table.rows(after: token?.number ?? 0, isFollowed: true, limit: max(0, limit))
      let end = try rows.count < limit ? table.newestToken() : rows.last?.token
      return HistoryPart(
        transactions: try rows.map { try $0.transaction(model, number, name) }, end: end ?? token)
    }
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try readTogether { connection in try HistoryTable(connection).newestToken() }
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

  /// Appends transactions, and returns the number of the first one.
  func append(
    _ rows: [NewHistoryRow], process: Int64, save: Int64, date: Date, _ transaction: ServerTransaction
  ) throws(StoreError) -> Int64 {
    let statement = HistoryTable.appending(
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
    try write { (connection) throws(StoreError) in
      try purge.run(before: token.number, at: date, transaction(on: connection))
    }
  }

  func transaction(on connection: Connection) -> ServerTransaction {
    ServerTransaction(connection, model, name: name, store: number, keepsDeletedValues: options.keepsHistory)
  }

  // MARK: Consumers

  public func consumers() throws(StoreError) -> [HistoryConsumer] {
    try readTogether { connection in try ConsumerTable(connection).all() }
  }

  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    try changeConsumers { connection in
      let token = try HistoryTable(connection).verified(token)
      let table = ConsumerTable(connection)
      let known = try force ? nil : table.consumer(named: name)
      let isBack = known.map { (token.number, position) < ($0.token.number, $0.position) } ?? false
      let consumer = HistoryConsumer(
        name: name, token: isBack ? known?.token ?? token : token,
        position: isBack ? known?.position ?? position : position, seen: date)
      try table.put(consumer)
      return consumer
    }
  }

  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {
    try changeConsumers { connection in try ConsumerTable(connection).touch(name, at: date) }
  }

  public func removeConsumer(named name: String) throws(StoreError) {
    try changeConsumers { connection in try ConsumerTable(connection).remove(name) }
  }

  private func changeConsumers<Value>(_ body: (Connection) throws -> Value) throws(StoreError) -> Value {
    let store = name
    return try write { (connection) throws(StoreError) in
      do {
        return try body(connection)
      } catch let error as StoreError {
        throw error
      } catch let error as ServerError {
        throw StoreError(error, store: store)
      } catch {
        throw .inputOutput("\(store): \(error)")
      }
    }
  }
}

extension PostgreSQLStore {
  // MARK: Other processes

  /// Calls `body` with the transactions of other processes, and of other open stores of this process on the same tables.
  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? {
    let begun = try readTogether { connection in try HistoryTable(connection).newest() }
    let last = Locked(begun)
    let (model, number, name, process) = (model, number, name, process)
    let observer = RemoteObserver(
      address, channel: channel, interval: options.pollInterval, through: pooler.withLock { $0 },
      didWait: { [patience] in patience.report() }
    ) { (connection) throws(StoreError) in
      let rows: [HistoryRow]
      do {
        rows = try HistoryTable(connection).rows(after: last.withLock { $0 }, without: process)
      } catch {
        throw .inputOutput("\(name): \(error)")
      }
      guard let newest = rows.last?.token.number else { return }
      last.withLock { $0 = newest }
      // A transaction that cannot be decoded must not hide the transactions after it.
      let transactions = rows.compactMap { row in try? row.transaction(model, number, name) }
      if !transactions.isEmpty { body(transactions) }
    }
    return try observer.start()
  }

  /// The channel on which writers notify observers: one for each store of a database.
  var channel: String { "newsimport_\(channelID)" }
}
