internal import Foundation
internal import GRDB
internal import ManagedContext

/// The rule of which transactions a purge of the history deletes.
struct HistoryPurge: Sendable {
  let retention: TimeInterval
  private let patience: TimeInterval
  private let bytes: Int

  init(_ options: SQLiteStoreOptions) {
    (retention, patience) = (options.historyRetention, options.consumerPatience)
    bytes = options.historyBytes
  }

  /// Deletes the transactions that are older than the retention.
  func run(at date: Date, in db: Database) throws {
    let date = try trusted(date, in: db)
    guard let kept = try HistoryTable.last(before: date.addingTimeInterval(-retention), in: db) else {
      return
    }
    try run(before: kept, at: date, in: db)
  }

  /// Deletes the transactions before a number, except those that a consumer needs.
  func run(before token: Int64, at date: Date, in db: Database) throws {
    var end = token
    let date = try trusted(date, in: db)
    let needed = try ConsumerTable.slowest(seenSince: date.addingTimeInterval(-patience), in: db)
    if let needed, needed < token {
      // The size is computed only here: the query visits each row.
      end = max(needed, min(token, try HistoryTable.first(ofLast: bytes, in: db)))
    }
    if let last = try HistoryTable.purgeable(before: end, in: db) {
      try ConsumerTable.moveUnstarted(to: last, in: db)
      try HistoryTable.purge(before: end, in: db)
    }
  }

  /// Returns the date at which a purge looks: at most that of the newest transaction.
  ///
  /// A clock that is ahead for one save, or a machine that was off for long, must not make everything old: the readers had no
  /// opportunity to be seen since the transaction before.
  private func trusted(_ date: Date, in db: Database) throws -> Date {
    guard let newest = try HistoryTable.dateOfNewest(in: db) else { return date }
    return min(date, newest)
  }
}
