internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    guard let writer else { return group.map { _ in .failure(.readOnly(name)) } }
    let defersReferences = group.contains(where: \.mayReferAhead)
    do throws(StoreError) {
      return try writeTogether(group, writer, defersReferences: defersReferences)
    } catch {
      guard group.count > 1 || !defersReferences, error.concernsOneSave else {
        return group.map { _ in .failure(error) }
      }
      // A save violates a constraint that only the database could check. Each save is repeated alone, so that
      // it succeeds or fails separately. Deferred references let the end of the save report a broken one.
      return group.map { changes in
        do throws(StoreError) {
          return try writeTogether([changes], writer, defersReferences: true)[0]
        } catch {
          return .failure(error)
        }
      }
    }
  }

  /// The page cache, in KiB, for a deletion of many rows. It changes pages all over the file, and each that has to
  /// leave the cache before the commit is written more than once.
  private static let deletingCacheKiB = 64_000

  private func writeTogether(
    _ group: [ChangeSet], _ writer: DatabasePool, defersReferences: Bool
  ) throws(StoreError) -> [Result<CommitResult, StoreError>] {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writer.writeWithoutTransaction { db in
        let isLarge = group.contains(where: \.deletesManyRows)
        if isLarge { try db.execute(sql: "PRAGMA cache_size = -\(Self.deletingCacheKiB)") }
        defer { if isLarge { try? db.execute(sql: "PRAGMA cache_size = -2000") } }
        let results = try db.describingErrors(path: name) {
          try db.immediately {
            // After the wait for other writers.
            try fileIdentity?.check(at: name)
            // Another process may have migrated the file since it was opened.
            try Schema.checkNotNewer(than: model, in: db)
            // References are checked at the end of the save. Saves that do not need this avoid the setting,
            // because it expires every prepared statement on the connection.
            if defersReferences { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
            let versions = VersionTable.all(of: model, .sqlite).map {
              VersionKeeping($0, on: FileConnection(db: db))
            }
            try adoptChangesOfOthers(versions, in: db)
            var transaction = SQLiteTransaction(
              db: db, sql: sql, path: name, store: number, keepsDeletedValues: history != nil)
            let results = try group.map { try $0.apply(to: &transaction, model: model) }
            let noted = try history?.note(
              zip(group, results), deletedValues: transaction.deletedValues, model: model, in: db)
            for versions in versions { try versions.finish(as: noted, store: number) }
            return results
          }
        }
        history?.didCommit()
        return results.map { .success($0) }
      }
    }
  }
}

extension SQLiteStore {
  /// Returns whether another program has changed objects with SQL since the last save. The history does not
  /// contain these changes yet. Only changes in ``HistoryOptions/oldValues`` are found.
  public func hasUnrecordedChanges() throws(StoreError) -> Bool {
    try read { db in
      try VersionTable.all(of: model, .sqlite).contains {
        try VersionKeeping($0, on: FileConnection(db: db)).hasUnfinished()
      }
    }
  }

  /// Records the changes that other programs have made with SQL since the last save, if there are any.
  public func recordChangesOfOthers() throws(StoreError) {
    guard try hasUnrecordedChanges() else { return }
    // Each write records them.
    for result in write([ChangeSet(mergePolicy: .error)]) { _ = try result.get() }
  }

  /// Records the changes that other programs made with SQL, as a transaction without an author and a process.
  private func adoptChangesOfOthers(_ versions: [VersionKeeping<FileConnection>], in db: Database) throws {
    for versions in versions {
      try versions.adopt(store: number) { changes in
        try history?.noteOfOthers(changes, model: model, in: db) ?? 0
      }
    }
  }
}

extension Database {
  /// Runs `body` in a transaction that begins with the write lock. An error rolls the transaction back.
  func immediately<Value>(_ body: () throws -> Value) throws -> Value {
    try inTransaction(.immediate, of: body)
  }

  /// Runs `body` in a transaction, and returns its value.
  func inTransaction<Value>(_ kind: TransactionKind, of body: () throws -> Value) throws -> Value {
    var value: Value?
    try inTransaction(kind) {
      value = try body()
      return .commit
    }
    guard let value else { preconditionFailure("a transaction was committed without its body") }
    return value
  }
}

extension ChangeSet {
  /// True if a reference may lead to a row inserted later in the save, or come from a row deleted later.
  fileprivate var mayReferAhead: Bool {
    !insertions.isEmpty || !deletions.isEmpty
      || batches.contains { if case .delete = $0 { true } else { false } }
  }
}

extension ChangeSet {
  /// True if the save deletes thousands of rows.
  fileprivate var deletesManyRows: Bool {
    batches.contains { if case .delete(let batch) = $0 { (batch.chosen?.count ?? 0) >= 2000 } else { false } }
  }
}

extension StoreError {
  /// True if the error results from the written values, so that other saves may succeed.
  fileprivate var concernsOneSave: Bool {
    switch self {
    case .invalid, .conflict, .validation: true
    default: false
    }
  }
}
