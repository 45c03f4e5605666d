internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Copies a damaged file's history, and the positions of its consumers.
enum RecoveredHistory {
  private static let transactions = "token, date, author, process, changes, followed"
  private static let consumers = "name, token, checksum, position, seen"

  /// Copies the newest transactions, back to the first unreadable one. Earlier ones count as purged.
  ///
  /// - Returns: False if transactions or consumers may be missing.
  static func copy(
    of model: ManagedObjectModel, from source: Database, to target: Database, until isStopped: () -> Bool
  ) throws -> Bool {
    guard try source.tableExists(HistoryTables.transactions) else {
      // A store without a history has nothing to lose.
      return !model.entities.contains { $0.history.isFollowed }
    }
    // Numbers are never reused.
    let newest = KeySequence.last(of: HistoryTables.transactions, in: source)
    if let newest { try KeySequence.reserve(newest, of: HistoryTables.transactions, in: target) }
    var next = newest
    let areAllRead = try copyRows(
      "SELECT \(transactions) FROM \(HistoryTables.transactions) NOT INDEXED ORDER BY token DESC",
      from: source,
      "INSERT INTO \(HistoryTables.transactions) (\(transactions)) VALUES (?, ?, ?, ?, ?, ?)", to: target
    ) { values in
      if isStopped() { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
      // After a gap, earlier transactions would let a reader skip the missing one without an error.
      guard let token = Int64.fromDatabaseValue(values[0]), token == next else { return false }
      next = token - 1
      return true
    }
    guard try source.tableExists(HistoryTables.consumers) else { return areAllRead }
    try HistorySchema.installConsumers(in: target)
    let areAllConsumersRead = try copyRows(
      "SELECT \(consumers) FROM \(HistoryTables.consumers)", from: source,
      "INSERT INTO \(HistoryTables.consumers) (\(consumers)) VALUES (?, ?, ?, ?, ?)", to: target
    ) { _ in true }
    return areAllRead && areAllConsumersRead
  }

  /// Copies rows up to the first that is unreadable, not wanted, or rejected by a table constraint.
  ///
  /// - Returns: True if all rows were copied.
  private static func copyRows(
    _ select: String, from source: Database, _ insert: String, to target: Database,
    where isWanted: ([DatabaseValue]) throws -> Bool
  ) throws -> Bool {
    let statement = try target.cachedStatement(sql: insert)
    guard let rows = try? Row.fetchCursor(source, sql: select) else { return false }
    while true {
      let values: [DatabaseValue]
      do {
        guard let row = try rows.next() else { return true }
        values = Array(row.databaseValues)
      } catch {
        return false
      }
      guard try isWanted(values) else { return false }
      do {
        try statement.execute(arguments: StatementArguments(values))
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        return false
      }
    }
  }
}
