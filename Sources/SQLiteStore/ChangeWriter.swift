internal import GRDB
internal import GRDBSQLite
internal import ManagedContext

/// Writes change sets inside a transaction that is open already.
///
/// A conflict is found before the first statement of a change set, so that one that fails leaves no trace.
struct ChangeWriter {
  let db: Database
  let sql: StoreSQL
  let model: ManagedObjectModel

  /// Writes one change set.
  ///
  /// - Returns: A failure when the set conflicts with what others saved.
  /// - Throws: Any other error; the transaction is to be rolled back then.
  mutating func write(_ changes: ChangeSet) throws -> Result<CommitResult, StoreError> {
    if changes.mergePolicy == .error {
      let conflicts = try conflicts(of: changes)
      if !conflicts.isEmpty { return .failure(.conflict(conflicts)) }
    }
    var result = CommitResult()
    try insertInOrder(changes.insertions, &result)
    for update in changes.updates { try self.update(update, changes.mergePolicy, &result) }
    // An object may go before one that refers to it, as long as both go.
    if !changes.deletions.isEmpty { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
    for deletion in changes.deletions { try delete(deletion, &result) }
    for batch in changes.upserts { try UpsertWriter(db: db, sql: sql).write(batch, &result) }
    return .success(result)
  }

  private func conflicts(of changes: ChangeSet) throws -> [ManagedObjectID] {
    let seen = changes.updates.map { ($0.id, $0.version) } + changes.deletions.map { ($0.id, $0.version) }
    // A fault that is deleted unseen has version 0: whatever the store has may go.
    return try seen.compactMap { id, version in
      try version == 0 || self.version(of: id) == version ? nil : id
    }
  }

  /// The version that the store has; nil when the row is gone.
  private func version(of id: ManagedObjectID) throws -> Int64? {
    let table = quoted(model[id.entity].name)
    let statement = try db.cachedStatement(sql: "SELECT version FROM \(table) WHERE id = ?")
    return try Int64.fetchOne(statement, arguments: [id.key])
  }

  /// Inserts objects, those that others refer to first.
  private func insertInOrder(_ insertions: [ChangeSet.Insertion], _ result: inout CommitResult) throws {
    var rest = insertions
    while !rest.isEmpty {
      var postponed: [ChangeSet.Insertion] = []
      for insertion in rest {
        if insertion.values.contains(where: { $0.isUnresolved(by: result) }) {
          postponed.append(insertion)
        } else {
          try insert(insertion, &result)
        }
      }
      guard postponed.count < rest.count else {
        throw StoreError.invalid("new objects refer to each other in a circle, or to one that was not saved")
      }
      rest = postponed
    }
  }

  private func insert(_ insertion: ChangeSet.Insertion, _ result: inout CommitResult) throws {
    let statement = try db.cachedStatement(sql: sql.insert(model[insertion.id.entity]))
    let values = insertion.values.map { $0.resolved(by: result).databaseValue }
    try statement.execute(arguments: StatementArguments(values))
    let id = ManagedObjectID(entity: insertion.id.entity, key: db.lastInsertedRowID)
    result.permanentIDs[insertion.id] = id
    result.changes.inserted.insert(id)
  }

  private func update(
    _ update: ChangeSet.Update, _ policy: MergePolicy, _ result: inout CommitResult
  ) throws {
    if policy == .storeTrumps, try version(of: update.id) != update.version { return }
    let text = sql.update(model[update.id.entity], columns: update.values.map(\.index))
    var values = update.values.map { $0.value.resolved(by: result).databaseValue }
    values.append(update.id.key.databaseValue)
    try db.cachedStatement(sql: text).execute(arguments: StatementArguments(values))
    if db.changesCount > 0 { result.changes.updated.insert(update.id) }
  }

  private func delete(_ deletion: ChangeSet.Deletion, _ result: inout CommitResult) throws {
    let table = quoted(model[deletion.id.entity].name)
    try db.cachedStatement(sql: "DELETE FROM \(table) WHERE id = ?").execute(arguments: [deletion.id.key])
    if db.changesCount > 0 { result.changes.deleted.insert(deletion.id) }
  }
}

extension AttributeValue {
  /// Whether it refers to an object that was not saved yet.
  fileprivate func isUnresolved(by result: CommitResult) -> Bool {
    guard case .reference(let id) = self else { return false }
    return id.isTemporary && result.permanentIDs[id] == nil
  }

  /// The same value, with a reference to an object of the same save under its permanent ID.
  fileprivate func resolved(by result: CommitResult) -> AttributeValue {
    guard case .reference(let id) = self, id.isTemporary, let permanent = result.permanentIDs[id] else {
      return self
    }
    return .reference(permanent)
  }
}
