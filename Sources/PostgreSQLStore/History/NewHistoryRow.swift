internal import Foundation
internal import ManagedContext
internal import SQLStatements

/// A transaction to append to the history.
struct NewHistoryRow {
  let author: String?
  let changes: [UInt8]
  let isFollowed: Bool

  init(
    _ changes: ContextChanges, _ deletedValues: [ManagedObjectID: [AttributeValue]], author: String?,
    _ model: ManagedObjectModel
  ) {
    self.author = author
    self.changes = HistoryEncoding.encode(changes, deletedValues: deletedValues, model: model)
    isFollowed = model.isFollowed(changes)
  }

  /// Returns a statement that appends transactions, and yields the first one's number.
  ///
  /// The numbers are taken with a lock that others wait for until the transaction ends, so that they have
  /// commit order. If the store then has another version, the statement violates NOT NULL.
  static func appending(
    _ rows: [NewHistoryRow], process: Int64, save: Int64, date: Date, version: Int
  ) -> Statement {
    var statement = Statement(
      """
      WITH next AS (UPDATE \(Tables.store) SET history = history + $1 WHERE version = $2 RETURNING history - $1 AS last) \
      INSERT INTO \(HistoryTables.transactions) (token, date, process, number, author, changes, followed) \
      SELECT (SELECT last FROM next) + input.place, $3, $4, $5, input.author, input.changes, input.followed = 1 \
      FROM unnest($6::text[], $7::bytea[], $8::bigint[]) WITH ORDINALITY AS input(author, changes, followed, place) \
      ORDER BY input.place RETURNING token
      """, .integer(Int64(rows.count)), .integer(Int64(version)), .real(date.timeIntervalSince1970),
      .integer(process), .integer(save))
    statement.parameters.append(rows.map { $0.author.map { .text($0) } ?? .null }, of: .text)
    statement.parameters.append(rows.map { .bytes($0.changes) }, of: .bytes)
    statement.parameters.append(rows.map { $0.isFollowed ? 1 : 0 } as [Int64])
    return statement
  }
}

extension Connection {
  /// Returns whether the history has a process's save after a transaction.
  func hasSave(_ save: Int64, of process: Int64, after token: Int64) throws(ServerError) -> Bool {
    let rows = try run(
      Statement(
        "SELECT 1 FROM \(HistoryTables.transactions) WHERE token > $1 AND process = $2 AND number = $3 LIMIT 1",
        .integer(token), .integer(process), .integer(save)))
    return rows.count > 0
  }
}
