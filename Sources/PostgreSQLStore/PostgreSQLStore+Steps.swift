internal import Foundation
internal import ManagedContext

extension PostgreSQLStore {
  /// Notes the changes step by step, for objects that the group has changed several times.
  func notedInSteps(
    _ results: [CommitResult], _ runs: [ContextChanges], _ rows: [NewHistoryRow], at date: Date,
    on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<[CommitResult]> {
    connection.forgetError()
    do throws(StoreError) {
      let transaction = transaction(on: connection)
      var noted = NotedTransactions(date: date)
      if !rows.isEmpty {
        let first = try append(rows, process: process, save: save, date: date, transaction)
        for (place, run) in runs.enumerated() { noted.transactions.append((first + Int64(place), run)) }
      }
      try finishVersions(as: options.keepsHistory ? noted : nil, on: connection)
      return Attempt(value: results, isNoted: !rows.isEmpty)
    } catch {
      throw rolledBack(error, connection)
    }
  }

  func writeSteps(
    of changes: ChangeSet, on connection: Connection, _ save: Int64
  ) throws(Obstacle) -> Attempt<CommitResult> {
    connection.forgetError()
    do throws(StoreError) {
      var transaction = transaction(on: connection)
      try transaction.execute("BEGIN")
      try check(version: transaction.run(Self.version))
      try adoptChangesOfOthers(transaction)
      let result = try changes.apply(to: &transaction, model: model)
      let noted = options.keepsHistory ? try note([(changes, result)], transaction, save: save) : nil
      try finishVersions(as: noted, on: connection)
      return Attempt(value: result, isNoted: noted?.transactions.isEmpty == false)
    } catch {
      throw rolledBack(error, connection)
    }
  }

  // MARK: Version

  static let version = Statement("SELECT version FROM \(Tables.store)")

  /// Checks that no newer program has migrated the open store. The history's statement checks it again.
  func check(version row: QueryResult) throws(StoreError) {
    let version = Int(row.count > 0 ? row.integer(0, 0) ?? 0 : 0)
    if version > model.version { throw .newer(version: version, known: model.version) }
    if version != model.version { throw removed }
  }
}
