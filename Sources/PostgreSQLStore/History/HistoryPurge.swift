internal import Foundation
internal import ManagedContext
internal import Threading

/// Deletes old transactions of the history.
final class HistoryPurge: Sendable {
  private let retention: TimeInterval
  private let patience: TimeInterval
  private let bytes: Int
  /// The date of the last purge.
  private let last = Locked<Date?>(nil)

  init(_ options: PostgreSQLStoreOptions) {
    (retention, patience) = (options.historyRetention, options.consumerPatience)
    bytes = options.historyBytes
  }

  /// Returns whether a purge is due: for the first save, and then once an hour, or once per retention period if that is shorter.
  func isDue(at date: Date) -> Bool {
    last.withLock { last in
      let isDue = last.map { abs(date.timeIntervalSince($0)) >= min(retention, 3600) } ?? true
      if isDue { last = date }
      return isDue
    }
  }

  /// Deletes the transactions that are older than the retention.
  func run(at date: Date, _ transaction: ServerTransaction) throws(StoreError) {
    // The transaction before the first one within the retention stays, for a reader who had read everything then.
    let row = try transaction.run(
      Statement(
        """
        SELECT max(token) FROM \(Tables.history) WHERE token < coalesce((SELECT min(token) FROM \(Tables.history) \
        WHERE date >= $1), 9223372036854775807)
        """, .real(date.addingTimeInterval(-retention).timeIntervalSince1970)))
    guard let kept = row.integer(0, 0) else { return }
    try run(before: kept, at: date, transaction)
  }

  /// Deletes the transactions before a number, except the newest one and those that a consumer needs.
  func run(before token: Int64, at date: Date, _ transaction: ServerTransaction) throws(StoreError) {
    var end = token
    let slowest = try transaction.run(
      Statement(
        "SELECT min(token) FROM \(Tables.consumers) WHERE seen >= $1",
        .real(date.addingTimeInterval(-patience).timeIntervalSince1970)))
    if let needed = slowest.integer(0, 0), needed < token {
      end = max(needed, min(token, try first(transaction)))
    }
    let last = try transaction.run(
      Statement(
        """
        SELECT token, date, process FROM \(Tables.history) \
        WHERE token < least($1, (SELECT max(token) FROM \(Tables.history))) ORDER BY token DESC LIMIT 1
        """, .integer(end)))
    guard last.count > 0, let number = last.integer(0, 0) else { return }
    // Consumers that have acknowledged nothing would start at the next transaction, and miss the purged ones without an error.
    let check = HistoryToken(number, process: last.integer(0, 2) ?? 0, date: last.real(0, 1) ?? 0).check
    try transaction.run(
      Statement(
        "UPDATE \(Tables.consumers) SET token = $1, checksum = $2 WHERE token = 0", .integer(number),
        .integer(Int64(check ?? 0))))
    try transaction.run(Statement("DELETE FROM \(Tables.history) WHERE token <= $1", .integer(number)))
  }

  /// Returns a number such that the changes of the transactions from it on, and not those of one more, take at most the limit.
  private func first(_ transaction: ServerTransaction) throws(StoreError) -> Int64 {
    let row = try transaction.run(
      Statement(
        """
        SELECT coalesce(max(token) + 1, 0) FROM (SELECT token, sum(length(changes)) OVER (ORDER BY token DESC) AS bytes \
        FROM \(Tables.history)) AS sizes WHERE bytes > $1
        """, .integer(Int64(bytes))))
    return row.integer(0, 0) ?? 0
  }
}
