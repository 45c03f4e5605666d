internal import Foundation
internal import ManagedContext
internal import SQLStatements

/// Completes new versions for several objects together, if each object has one; see ``VersionKeeping``.
struct VersionCompletion {
  private let table: VersionTable
  private let rows: [(object: Int64, row: VersionRow)]

  /// - Parameter rows: The new versions, by object key.
  /// - Returns: Nil if an object has several.
  init?(_ table: VersionTable, _ rows: [Int64: [VersionRow]]) {
    self.table = table
    self.rows = rows.compactMap { object, rows in rows.count == 1 ? (object, rows[0]) : nil }
    if self.rows.count < rows.count { return nil }
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The statement that yields the versions before the new ones, the newest first.
  var earlier: Statement {
    var statement = Statement(
      """
      SELECT earlier.* FROM unnest($1::bigint[], $2::bigint[]) AS new(object, number), LATERAL \
      (SELECT \(VersionTable.header), \(table.object) FROM \(table.table) AS v \
      WHERE v.\(table.object) = new.object AND v.number < new.number \
      ORDER BY v.number DESC LIMIT \(HistoryOptions.examinedChanges)) AS earlier ORDER BY earlier.\(table.object), earlier.number DESC
      """)
    statement.parameters.append(rows.map(\.object))
    statement.parameters.append(rows.map(\.row.number))
    return statement
  }

  /// Returns the statements that complete the versions, after the history has the save's transactions.
  ///
  /// - Parameters:
  ///   - earlier: The result of ``earlier``.
  ///   - runs: The changes in these transactions, in order.
  ///   - date: The date of the save; nil if the store keeps no history.
  func statements(
    after earlier: QueryResult, _ runs: [ContextChanges], at date: Date?, store: StoreNumber
  ) -> [Statement] {
    let known = table.versions(in: earlier)
    var statements: [Statement] = []
    var (keys, places, dates): ([Int64], [Int64], [Double]) = ([], [], [])
    for (object, row) in rows {
      let (change, target) = table.completed(row, after: known[object] ?? [], at: date)
      if let target {
        statements += table.merging(row, into: target).map { Statement($0.text, values: $0.values) }
        continue
      }
      let id = ManagedObjectID(entity: table.versions.owner, store: store, key: object)
      let run = runs.lastIndex { $0.updated[id] != nil } ?? runs.count - 1
      keys.append(row.key)
      places.append(Int64(runs.count - 1 - run))
      dates.append(change.date.timeIntervalSince1970)
    }
    guard !keys.isEmpty else { return statements }
    let token = runs.isEmpty ? "0" : "(SELECT history FROM \(Tables.store)) - input.place"
    var completing = Statement(
      """
      UPDATE \(table.table) AS v SET token = \(token), replaced = input.date \
      FROM unnest($1::bigint[], $2::bigint[], $3::double precision[]) AS input(key, place, date) WHERE v.id = input.key
      """)
    completing.parameters.append(keys)
    completing.parameters.append(places)
    completing.parameters.append(dates.map { .real($0) }, of: .real)
    return statements + [completing]
  }
}
