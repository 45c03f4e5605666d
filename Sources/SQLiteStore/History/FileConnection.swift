internal import Foundation
internal import GRDB
internal import SQLStatements

/// A file connection, for statements that are the same in all databases.
struct FileConnection: SQLConnection {
  static let dialect = SQLDialect.sqlite

  let db: Database

  func run(_ text: String, _ values: [SQLValue], _ visit: (QueryRow) throws -> Void) throws {
    let statement = try db.cachedStatement(sql: text)
    try statement.setArguments(StatementArguments(values.map(\.databaseValue)))
    try QueryRow.forEach(statement, db) { row in
      try visit(row)
      return true
    }
  }

  func hasTable(_ name: String) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    return try Int.fetchOne(statement, arguments: [name]) != nil
  }

  func makeConsumers() throws { try HistorySchema.installConsumers(in: db) }

  func newestTransaction() throws -> Int64 {
    guard try hasTable(HistoryTables.transactions) else { return 0 }
    return try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = ?"),
      arguments: [HistoryTables.transactions]) ?? 0
  }

  /// A file that is only read may have an earlier version.
  func isFollowed() throws -> String { try HistorySchema.hasFollowed(in: db) ? "followed <> 0" : "1" }
}

extension SQLValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .integer(let number): number?.databaseValue ?? .null
    case .real(let number): number.databaseValue
    case .text(let text): text?.databaseValue ?? .null
    case .bytes(let bytes): Data(bytes).databaseValue
    case .integers(let numbers): KeyList(numbers).text.databaseValue
    }
  }
}

extension Database {
  /// The history table, which may be missing.
  var history: HistoryTable<FileConnection> { HistoryTable(FileConnection(db: self)) }

  /// The consumer table, which is created for the first consumer.
  var consumers: ConsumerTable<FileConnection> { ConsumerTable(FileConnection(db: self)) }
}
