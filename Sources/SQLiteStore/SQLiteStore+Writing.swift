internal import GRDB
public import ManagedContext

extension SQLiteStore {
  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    guard let writer else { return group.map { _ in .failure(.readOnly(name)) } }
    do throws(StoreError) {
      return try writeTogether(group, writer)
    } catch {
      guard group.count > 1, error.concernsOneSave else {
        return group.map { _ in .failure(error) }
      }
      // One of them breaks a rule that only the database could see: alone, each succeeds or fails for itself.
      return group.map { changes in
        do throws(StoreError) {
          return try writeTogether([changes], writer)[0]
        } catch {
          return .failure(error)
        }
      }
    }
  }

  private func writeTogether(
    _ group: [ChangeSet], _ writer: DatabasePool
  ) throws(StoreError) -> [Result<CommitResult, StoreError>] {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writer.writeWithoutTransaction { db in
        var results: [CommitResult] = []
        try db.inTransaction(.immediate) {
          // Another process may have migrated the file since we opened it.
          let version = try Schema.version(in: db)
          if version > model.version { throw StoreError.newer(version: version, known: model.version) }
          // References may lead to rows that come later in the same save; what is open at its end is an error.
          try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
          var transaction = SQLiteTransaction(db: db, sql: sql, path: name)
          for changes in group { results.append(try changes.apply(to: &transaction, model: model)) }
          try history?.note(zip(group, results), model: model, in: db)
          return .commit
        }
        history?.didCommit()
        return results.map { .success($0) }
      }
    }
  }
}

extension StoreError {
  /// Whether the error lies in what was written, so that other saves of the same transaction may succeed.
  fileprivate var concernsOneSave: Bool {
    switch self {
    case .invalid, .conflict, .validation: true
    default: false
    }
  }
}
