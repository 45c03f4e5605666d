internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    var group: [ChangeSet]? = group
    return write(groups: { group.take() })
  }

  public func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>] {
    var transaction = GroupedTransaction(first: next() ?? [])
    guard transaction.count > 0 else { return [] }
    guard let writer else { return transaction.failed(.readOnly(name)) }
    let began = ContinuousClock.now
    defer { if transaction.hasSeveralGroups { patience.giveWay(after: ContinuousClock.now - began) } }
    do throws(StoreError) {
      try write(&transaction, next, writer)
    } catch {
      // An error in the first group is found while its saves are still known.
      guard let group = transaction.unappliedFirst else { return transaction.failed(error) }
      return writeSeparately(group, writer, after: error)
    }
    // A later group that cannot be written has changed nothing.
    guard let (group, error) = transaction.refused else { return transaction.results }
    return transaction.results + writeSeparately(group, writer, after: error)
  }

  /// Writes each save of a group alone after an error in the group, so that it succeeds or fails separately: a save
  /// violates a constraint that only the database could check. Deferred references let the end of the save report a
  /// broken one.
  private func writeSeparately(
    _ group: [ChangeSet], _ writer: DatabasePool, after error: StoreError
  ) -> [Result<CommitResult, StoreError>] {
    guard error.concernsOneSave, group.count > 1 || !group.contains(where: { $0.mayReferAhead(model) }) else {
      return group.map { _ in .failure(error) }
    }
    // Each of the others would wait as long for the same lock.
    var away: StoreError?
    return group.map { changes in
      if let away { return .failure(away) }
      var transaction = GroupedTransaction(first: [changes])
      transaction.defersReferences = true
      do throws(StoreError) {
        try write(&transaction, { nil }, writer)
        return transaction.results[0]
      } catch {
        if case .busy = error { away = error }
        return .failure(error)
      }
    }
  }

  /// Writes a transaction's first group, and more groups until there are none.
  private func write(
    _ written: inout GroupedTransaction, _ next: () -> [ChangeSet]?, _ writer: DatabasePool
  ) throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writer.writeWithoutTransaction { db in
        defer { if written.deletesManyRows { try? db.execute(sql: "PRAGMA cache_size = -2000") } }
        try db.describingErrors(path: name) {
          try db.immediately {
            // After the wait for other writers.
            try fileIdentity?.check(at: name)
            // Another process may have migrated the file since it was opened.
            try Schema.checkNotNewer(than: model, in: db)
            let versions = VersionTable.all(of: model, .sqlite).map {
              VersionKeeping($0, on: FileConnection(db: db))
            }
            try adoptChangesOfOthers(versions, in: db)
            try history?.purgeIfDue(in: db)
            var steps = SQLiteTransaction(
              db: db, sql: sql, path: name, store: number, keepsDeletedValues: history != nil)
            try apply(&written, to: &steps, versions)
            while written.refused == nil, let group = next() {
              written.begin(group)
              try db.inSavepoint {
                do {
                  try db.describingErrors(path: name) { try apply(&written, to: &steps, versions) }
                  return .commit
                } catch let error as StoreError where error.concernsOneSave {
                  written.refuse(error)
                  return .rollback
                }
              }
            }
          }
        }
      }
    }
    history?.didCommit()
  }

  /// Applies the group that was begun, and records its changes.
  private func apply(
    _ written: inout GroupedTransaction, to steps: inout SQLiteTransaction,
    _ versions: [VersionKeeping<FileConnection>]
  ) throws {
    let db = steps.db
    let group = written.unapplied ?? []
    if group.contains(where: \.deletesManyRows), !written.deletesManyRows {
      written.deletesManyRows = true
      try db.execute(sql: "PRAGMA cache_size = -\(Self.deletingCacheKiB)")
    }
    // References are checked at the end of the save. Saves that do not need this avoid the setting, because it
    // expires every prepared statement on the connection. It holds until the end of the transaction.
    if !written.hasDeferred, written.defersReferences || group.contains(where: { $0.mayReferAhead(model) }) {
      written.hasDeferred = true
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    }
    let results = try group.map { try $0.apply(to: &steps, model: model) }
    let noted = try history?.note(
      zip(group, results), deletedValues: steps.deletedValues, model: model, in: db)
    for versions in versions { try versions.finish(as: noted, store: number) }
    written.finish(results)
  }

  /// The page cache, in KiB, for a deletion of many rows. It changes pages all over the file, and each that has to
  /// leave the cache before the commit is written more than once.
  private static let deletingCacheKiB = 64_000
}

/// The state of a transaction that groups of saves are written in. It keeps a group until that is applied.
private struct GroupedTransaction {
  /// The group that is being applied; nil between groups.
  private(set) var unapplied: [ChangeSet]?
  /// The number of saves so far.
  private(set) var count: Int
  private(set) var hasSeveralGroups = false
  private var applied: [CommitResult] = []
  /// A group after the first that could not be written, with its error; nil without one.
  private(set) var refused: (group: [ChangeSet], error: StoreError)?
  /// True if references are checked at the end of each save, whatever it contains.
  var defersReferences = false
  /// True if references are checked at the end of each save from now on.
  var hasDeferred = false
  /// True if a save deletes thousands of rows.
  var deletesManyRows = false

  init(first: [ChangeSet]) {
    (unapplied, count) = (first, first.count)
  }

  /// The first group if it could not be applied; otherwise nil.
  var unappliedFirst: [ChangeSet]? { applied.isEmpty ? unapplied : nil }

  mutating func begin(_ group: [ChangeSet]) {
    hasSeveralGroups = true
    unapplied = group
    count += group.count
  }

  mutating func finish(_ results: [CommitResult]) {
    applied += results
    unapplied = nil
  }

  mutating func refuse(_ error: StoreError) {
    refused = unapplied.take().map { ($0, error) }
  }

  /// The results after the commit, without a refused group.
  var results: [Result<CommitResult, StoreError>] { applied.map { .success($0) } }

  /// The results if the transaction failed.
  func failed(_ error: StoreError) -> [Result<CommitResult, StoreError>] {
    Array(repeating: .failure(error), count: count)
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
  fileprivate func mayReferAhead(_ model: ManagedObjectModel) -> Bool {
    !insertions.isEmpty || !deletions.isEmpty
      || batches.contains {
        if case .delete(let batch) = $0 { model.isReferenced(batch.entity) } else { false }
      }
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
