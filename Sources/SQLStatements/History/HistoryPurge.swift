public import Foundation
internal import ManagedContext
internal import Threading

/// Deletes old history transactions.
public final class HistoryPurge: Sendable {
  private let retention: TimeInterval
  private let patience: TimeInterval
  private let bytes: Int
  private let trustsClock: Bool
  /// The dates of the last committed purge and of the purge in the current transaction; nil without a purge.
  private let purge = Locked<(last: Date?, now: Date?)>((nil, nil))

  /// - Parameters:
  ///   - retention: The retention period for transactions, in seconds.
  ///   - patience: The time, in seconds, that transactions are kept for a consumer that was not seen.
  ///   - bytes: The maximum size of the changes while transactions are kept only for consumers.
  ///   - trustsClock: False if the clock may have been wrong when a transaction was recorded.
  public init(retention: TimeInterval, patience: TimeInterval, bytes: Int, trustsClock: Bool) {
    (self.retention, self.patience, self.bytes) = (retention, patience, bytes)
    self.trustsClock = trustsClock
  }

  /// Returns whether a purge is due: at the first save, and then once an hour or once per retention period,
  /// whichever is shorter. A purge is also due if the clock was set back by that much.
  public func isDue(at date: Date) -> Bool {
    purge.withLock { purge in
      let isDue = purge.last.map { abs(date.timeIntervalSince($0)) >= min(retention, 3600) } ?? true
      purge.now = isDue ? date : nil
      return isDue
    }
  }

  /// Confirms the purge that was due. Otherwise it is due again.
  public func didCommit() {
    purge.withLock { if $0.now != nil { $0 = ($0.now, nil) } }
  }

  /// Deletes transactions older than the retention period.
  public func run(at date: Date, on connection: some SQLConnection) throws {
    guard try connection.hasTable(HistoryTables.transactions) else { return }
    let date = try trusted(date, connection)
    // Keep the last transaction before the retention period, for a reader that had read everything then.
    let kept = try connection.integer(
      """
      SELECT max(token) FROM \(HistoryTables.transactions) WHERE token < coalesce((SELECT min(token) \
      FROM \(HistoryTables.transactions) WHERE date >= $1), 9223372036854775807)
      """, .real(date.addingTimeInterval(-retention).timeIntervalSince1970))
    if let kept { try deleteUnneeded(before: kept, at: date, connection) }
  }

  /// Deletes the transactions before a number, except the newest one and those that a consumer needs.
  public func run(before token: Int64, at date: Date, on connection: some SQLConnection) throws {
    guard try connection.hasTable(HistoryTables.transactions) else { return }
    try deleteUnneeded(before: token, at: try trusted(date, connection), connection)
  }

  private func deleteUnneeded(
    before token: Int64, at date: Date, _ connection: some SQLConnection
  ) throws {
    var end = token
    let consumers = ConsumerTable(connection)
    if let needed = try consumers.slowest(seenSince: date.addingTimeInterval(-patience)), needed < token {
      // The size is computed only here: the query visits each row.
      end = max(needed, min(token, try first(connection)))
    }
    // A reader that has read everything keeps a valid token.
    let last = try HistoryTable(connection).tokens(
      """
      WHERE token < $1 AND token < (SELECT max(token) FROM \(HistoryTables.transactions)) \
      ORDER BY token DESC LIMIT 1
      """, .integer(end)
    ).first
    guard let last else { return }
    try consumers.moveUnstarted(to: last)
    try connection.run(
      "DELETE FROM \(HistoryTables.transactions) WHERE token <= $1", .integer(last.number))
  }

  /// Returns the oldest transaction to keep so that the changes stay within the byte limit.
  private func first(_ connection: some SQLConnection) throws -> Int64 {
    try connection.integer(
      """
      SELECT coalesce(max(token) + 1, 0) FROM (SELECT token, sum(length(changes)) OVER (ORDER BY token DESC) AS bytes \
      FROM \(HistoryTables.transactions)) AS sizes WHERE bytes > $1
      """, .integer(Int64(bytes))) ?? 0
  }

  /// Returns the purge date, at most that of the newest transaction made by a store.
  ///
  /// A clock that is ahead for one save, or a machine that was off for long, must not make everything old.
  /// The readers had no opportunity to be seen since the previous transaction.
  private func trusted(_ date: Date, _ connection: some SQLConnection) throws -> Date {
    if trustsClock { return date }
    let newest = try connection.rows(
      "SELECT date FROM \(HistoryTables.transactions) WHERE process <> 0 ORDER BY token DESC LIMIT 1", []
    ) { $0.real(0) ?? 0 }.first
    return newest.map { min(date, Date(timeIntervalSince1970: $0)) } ?? date
  }
}
