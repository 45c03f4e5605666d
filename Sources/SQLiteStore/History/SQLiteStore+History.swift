internal import GRDB
public import ManagedContext

extension SQLiteStore {
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    let rows = try read { db in try HistoryTable.rows(after: token?.number ?? 0, in: db) }
    var transactions: [HistoryTransaction] = []
    for row in rows {
      if let transaction = try row.transaction(model: model, store: number, path: name) {
        transactions.append(transaction)
      }
    }
    return transactions
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try read { db in try HistoryTable.newest(in: db).map { HistoryToken($0) } }
  }

  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    guard let writer else { throw .readOnly(name) }
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writer.writeWithoutTransaction { db in
        try db.immediately { try HistoryTable.purge(before: token.number, in: db) }
      }
    }
  }

  /// Calls `body` with the transactions of other processes, and of other stores of this process on the same file.
  ///
  /// Only transactions that are recorded in the history are observed. Releasing the observation waits until a running
  /// call of `body` has returned, except when that call itself releases it.
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
