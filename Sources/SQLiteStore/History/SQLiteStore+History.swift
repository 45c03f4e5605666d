public import Foundation
internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try decoded(
      readHistory { db in
        try db.history.verify(token)
        return try db.history.transactions(after: token?.number ?? 0)
      })
  }

  private func decoded(_ rows: [StoredTransaction]) throws(StoreError) -> [HistoryTransaction] {
    try rows.map { (row) throws(StoreError) in try row.decoded(model, number, name) }
  }

  public func followedHistory(
    after token: HistoryToken?, limit: Int
  ) throws(StoreError) -> HistoryPart {
    let (rows, end, missing) = try readHistory { db in
      try db.history.verify(token)
      let start = token?.number ?? 0
      let rows = try db.history.transactions(after: start, isFollowed: true, limit: max(0, limit))
      let end = rows.count < limit ? try db.history.newestToken() : rows.last?.token
      return (rows, end, try end.flatMap { try db.history.missing(after: start, through: $0.number) })
    }
    return HistoryPart(transactions: try decoded(rows), end: end ?? token, missing: missing)
  }

  /// Returns the reason why the file does not keep all changes, such as a missing trigger; otherwise nil.
  public func historyFault() throws(StoreError) -> String? {
    try read { db in try Self.historyFault(of: model, in: db) }
  }

  /// See ``historyFault()``.
  static func historyFault(of model: ManagedObjectModel, in db: Database) throws -> String? {
    if let trigger = try Schema.missingTrigger(of: model, in: db) {
      return "the trigger \(trigger), which keeps old values, is missing or was changed"
    }
    let isFollowed = model.entities.contains { $0.history.isFollowed }
    return try isFollowed && !FileConnection(db: db).hasTable(HistoryTables.transactions)
      ? "the table \(HistoryTables.transactions), which has the changes, is missing" : nil
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try readHistory { db in try db.history.newestToken() }
  }

  /// Runs several reading statements in one snapshot, so that no transaction is purged in between.
  func readHistory<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    try read { db in try db.inTransaction(.deferred, of: { try body(db) }) }
  }

  /// Deletes the transactions before a token, except the newest one and those that a consumer needs.
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    try inTransaction { db in try purge.run(before: token.number, at: now(), on: FileConnection(db: db)) }
  }

  /// Runs `body` in a writing transaction.
  func inTransaction<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onWriter { db in
        try db.describingErrors(path: name) { try db.immediately { try body(db) } }
      }
    }
  }

  // MARK: Consumers

  public func consumers() throws(StoreError) -> [HistoryConsumer] {
    try readHistory { db in try db.consumers.all() }
  }

  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    try inTransaction { db in
      try db.history.acknowledge(token, position: position, by: name, at: date, force: force)
    }
  }

  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {
    try inTransaction { db in try db.consumers.touch(name, at: date) }
  }

  public func removeConsumer(named name: String) throws(StoreError) {
    try inTransaction { db in try db.consumers.remove(name) }
  }

  // MARK: Other processes

  /// Calls `body` with transactions from other processes and from this process's other stores.
  ///
  /// A commit that the history does not contain, for example from an SQL tool, is reported as an empty array.
  /// Releasing the observation waits for a running call to `body`, unless that call releases it.
  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? {
    guard let watchedFile else { return nil }
    let watcher = try RemoteChangeWatcher(
      file: watchedFile, model: model, store: number, process: history?.process, pollInterval: pollInterval,
      body)
    return try watcher.start()
  }
}

/// Records an open store's transactions in its history, and purges old transactions.
final class HistoryKeeping: Sendable {
  /// A random number that distinguishes this store from other processes and from this process's other stores.
  let process = Int64.random(in: .min ... .max)
  private let purge: HistoryPurge
  private let now: @Sendable () -> Date

  init(_ purge: HistoryPurge, now: @escaping @Sendable () -> Date) {
    self.purge = purge
    self.now = now
  }

  /// Deletes old transactions, at the begin of a transaction, if that is due.
  func purgeIfDue(in db: Database) throws {
    let date = now()
    if purge.isDue(at: date) { try purge.run(at: date, on: FileConnection(db: db)) }
  }

  /// Appends the changes inside their transaction, with one row for consecutive change sets by one author.
  func note(
    _ written: some Sequence<(ChangeSet, CommitResult)>, deletedValues: [ManagedObjectID: [AttributeValue]],
    model: ManagedObjectModel, in db: Database
  ) throws -> NotedTransactions {
    let date = now()
    var noted = NotedTransactions(date: date)
    for run in model.recorded(written) {
      let token = try HistorySchema.append(
        run.changes, deletedValues: deletedValues, author: run.author, date: date, process: process,
        model: model, in: db)
      noted.transactions.append((token, run.changes))
    }
    return noted
  }

  /// Appends changes that another program made without recording them, and returns the transaction number.
  /// This process's stores also observe it.
  func noteOfOthers(_ changes: ContextChanges, model: ManagedObjectModel, in db: Database) throws -> Int64 {
    try HistorySchema.append(
      changes, deletedValues: [:], author: nil, date: now(), process: 0, model: model, in: db)
  }

  /// Confirms the committed transaction's purge. After a failed transaction, the purge is repeated.
  func didCommit() { purge.didCommit() }
}
