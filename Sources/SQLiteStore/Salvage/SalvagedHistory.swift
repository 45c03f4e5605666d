internal import GRDB
internal import ManagedContext

/// Copies the history of a damaged file, and the positions of its consumers.
enum SalvagedHistory {
  private static let columns = "token, date, author, process, changes, followed"

  /// Copies the newest transactions, up to the first that cannot be read. A reader that needs an earlier one gets an error, as
  /// after a purge.
  ///
  /// - Returns: False if a transaction or a consumer could not be read.
  static func copy(from source: Database, to target: Database) throws -> Bool {
    var isWhole = true
    do {
      guard try HistoryTable.exists(in: source) else { return true }
      // Numbers are never reused.
      if let newest = try HistoryTable.newest(in: source) { try setNewest(newest, in: target) }
      try copyTransactions(from: source, to: target)
    } catch let error as DatabaseError where SalvagedTable.isDamage(error) {
      isWhole = false
    }
    do {
      for consumer in try ConsumerTable.all(in: source) { try ConsumerTable.put(consumer, in: target) }
    } catch let error as DatabaseError where SalvagedTable.isDamage(error) {
      isWhole = false
    }
    return isWhole
  }

  private static func copyTransactions(from source: Database, to target: Database) throws {
    let rows = try Row.fetchCursor(
      source, sql: "SELECT \(columns) FROM \(HistoryTable.name) NOT INDEXED ORDER BY token DESC")
    let statement = try target.cachedStatement(
      sql: "INSERT INTO \(HistoryTable.name) (\(columns)) VALUES (?, ?, ?, ?, ?, ?)")
    var last = Int64.max
    while let row = try rows.next() {
      // In a damaged tree, a page may lead to a later one, or the rows between two may be lost.
      guard let token = Int64.fromDatabaseValue(row[0]), last == .max || token == last - 1 else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
      }
      last = token
      try statement.execute(arguments: StatementArguments(Array(row.databaseValues)))
    }
  }

  private static func setNewest(_ newest: Int64, in db: Database) throws {
    try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [HistoryTable.name])
    try db.execute(
      sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [HistoryTable.name, newest])
  }
}
