public import Foundation
internal import GRDB
public import ManagedContext
internal import Threading

extension SQLiteStore {
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    let rows = try readHistory { db in
      try Self.verify(token, in: db)
      return try HistoryTable.rows(after: token?.number ?? 0, in: db)
    }
    return try transactions(rows)
  }

  private func transactions(_ rows: [HistoryRow]) throws(StoreError) -> [HistoryTransaction] {
    var transactions: [HistoryTransaction] = []
    for row in rows {
      if let transaction = try row.transaction(model: model, store: number, path: name) {
        transactions.append(transaction)
      }
    }
    return transactions
  }

  public func followedHistory(
    after token: HistoryToken?, limit: Int
  ) throws(StoreError) -> HistoryPart {
    let (rows, end, missing) = try readHistory { db in
      try Self.verify(token, in: db)
      let start = token?.number ?? 0
      let rows = try HistoryTable.rows(after: start, followed: true, limit: max(0, limit), in: db)
      let end = rows.count < limit ? try HistoryTable.newestToken(in: db) : rows.last?.token
      let missing = try end.flatMap { try HistoryTable.missing(after: start, through: $0.number, in: db) }
      return (rows, end, missing)
    }
    return HistoryPart(transactions: try transactions(rows), end: end ?? token, missing: missing)
  }

  /// Returns the reason why the file does not keep all changes, such as a table or a trigger that another program has removed; nil if
  /// it does.
  public func historyFault() throws(StoreError) -> String? {
    try read { db in try Self.historyFault(of: model, in: db) }
  }

  /// See ``historyFault()``.
  static func historyFault(of model: ManagedObjectModel, in db: Database) throws -> String? {
    if let trigger = try Schema.missingTrigger(of: model, in: db) {
      return "the trigger \(trigger), which keeps old values, is missing or was changed"
    }
    let isFollowed = model.entities.contains { $0.history.isFollowed }
    return try isFollowed && !HistoryTable.exists(in: db)
      ? "the table \(HistoryTable.name), which has the changes, is missing" : nil
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try readHistory { db in try HistoryTable.newestToken(in: db) }
  }

  /// Runs several reading statements in one snapshot: transactions that are verified and read must not be purged in
  /// between.
  func readHistory<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    try read { db in
      var value: Value?
      try db.inTransaction(.deferred) {
        value = try body(db)
        return .commit
      }
      guard let value else { preconditionFailure("a transaction was committed without its body") }
      return value
    }
  }

  /// Checks that the store contains the transaction of a token with a checksum.
  private static func verify(_ token: HistoryToken?, in db: Database) throws {
    guard let token, token.check != nil else { return }
    _ = try HistoryTable.verified(token, in: db)
  }

  /// Deletes the transactions before a token, except the newest one and those that a consumer needs.
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    try writeHistory { db in try purge.run(before: token.number, at: now(), in: db) }
  }

  /// Runs `body` in a writing transaction.
  private func writeHistory<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    guard let writer else { throw .readOnly(name) }
    return try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writer.writeWithoutTransaction { db in
        try db.describingErrors(path: name) { try db.immediately { try body(db) } }
      }
    }
  }

  // MARK: Consumers

  public func consumers() throws(StoreError) -> [HistoryConsumer] {
    try readHistory { db in try ConsumerTable.all(in: db) }
  }

  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    try writeHistory { db in
      let token = try HistoryTable.verified(token, in: db)
      let known = force ? nil : try ConsumerTable.consumer(named: name, in: db)
      let isBack = known.map { (token.number, position) < ($0.token.number, $0.position) } ?? false
      let consumer = HistoryConsumer(
        name: name, token: isBack ? known?.token ?? token : token,
        position: isBack ? known?.position ?? position : position, seen: date)
      try ConsumerTable.put(consumer, in: db)
      return consumer
    }
  }

  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {
    try writeHistory { db in try ConsumerTable.touch(name, at: date, in: db) }
  }

  public func removeConsumer(named name: String) throws(StoreError) {
    try writeHistory { db in try ConsumerTable.remove(name, in: db) }
  }

  // MARK: Other processes

  /// Calls `body` with the transactions of other processes, and of other stores of this process on the same file.
  ///
  /// A commit that the history does not have, such as that of a program that uses SQL, is reported by an empty array.
  /// Releasing the observation waits until a running call of `body` has returned, except when that call itself releases
  /// it.
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

/// Records the transactions of one open store in its history, and purges old transactions.
final class HistoryKeeping: Sendable {
  /// A random number that distinguishes this store from other processes and from other stores of this process.
  let process = Int64.random(in: .min ... .max)
  private let rule: HistoryPurge
  private let now: @Sendable () -> Date
  /// The date of the last committed purge, and the date of the purge in the current transaction; nil if there was no purge.
  private let purge = Locked<(last: Date?, now: Date?)>((nil, nil))

  init(_ rule: HistoryPurge, now: @escaping @Sendable () -> Date) {
    self.rule = rule
    self.now = now
  }

  /// Appends the changes of change sets inside their transaction, with one row for consecutive change sets of one
  /// author.
  func note(
    _ written: some Sequence<(ChangeSet, CommitResult)>, deletedValues: [ManagedObjectID: [AttributeValue]],
    model: ManagedObjectModel, in db: Database
  ) throws -> NotedTransactions {
    let date = now()
    if isPurgeDue(at: date) {
      try rule.run(at: date, in: db)
    }
    var noted = NotedTransactions(date: date)
    for run in model.recorded(written) {
      try HistoryTable.append(
        run.changes, deletedValues: deletedValues, author: run.author, date: date, process: process,
        model: model, in: db)
      noted.transactions.append((db.lastInsertedRowID, run.changes))
    }
    return noted
  }

  /// Appends the changes of another program, which recorded none, and returns the number of the transaction. Stores of this
  /// process observe it, too.
  func noteOfOthers(_ changes: ContextChanges, model: ManagedObjectModel, in db: Database) throws -> Int64 {
    try HistoryTable.append(
      changes, deletedValues: [:], author: nil, date: now(), process: 0, model: model, in: db)
    return db.lastInsertedRowID
  }

  /// Confirms the purge of the committed transaction. After a failed transaction, the purge is repeated.
  func didCommit() {
    purge.withLock { if $0.now != nil { $0 = ($0.now, nil) } }
  }

  /// Returns whether a purge is due: for the first save, and then once an hour, or once per retention period if that is
  /// shorter. A purge is also due if the clock was set back by that much.
  private func isPurgeDue(at date: Date) -> Bool {
    purge.withLock { purge in
      let isDue = purge.last.map { abs(date.timeIntervalSince($0)) >= min(rule.retention, 3600) } ?? true
      purge.now = isDue ? date : nil
      return isDue
    }
  }
}
