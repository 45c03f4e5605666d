internal import Foundation
public import ManagedContext

/// Completes the versions that the trigger has inserted: merges changes and records the transaction.
public struct VersionKeeping<Connection: SQLConnection> {
  private let table: VersionTable
  private let connection: Connection

  public init(_ table: VersionTable, on connection: Connection) {
    (self.table, self.connection) = (table, connection)
  }

  public func hasUnfinished() throws -> Bool { try connection.integer(table.hasUnfinished) != nil }

  /// Returns each object's new versions, oldest first.
  private func unfinished() throws -> [Int64: [VersionRow]] {
    var versions = VersionsByObject(of: table)
    try connection.run(table.unfinished, []) { versions.add($0) }
    return versions.rows
  }

  /// Completes a save's new versions.
  ///
  /// - Parameter noted: The save's transactions, in order; nil if the store records none.
  public func finish(as noted: NotedTransactions?, store: StoreNumber) throws {
    for (object, rows) in try unfinished() {
      try finish(object, rows, token: noted?.last(changing: id(object, store)) ?? 0, date: noted?.date)
    }
  }

  /// Completes the versions of objects that another program has changed.
  ///
  /// - Parameter record: Records the changes, and returns the transaction number; 0 without a record.
  public func adopt(store: StoreNumber, _ record: (ContextChanges) throws -> Int64) throws {
    let unfinished = try unfinished()
    if unfinished.isEmpty { return }
    var changes = ContextChanges()
    for (object, rows) in unfinished {
      changes.updated[id(object, store)] = rows.reduce(into: AttributeSet()) {
        $0.formUnion($1.change.attributes)
      }
    }
    let token = try record(changes)
    for (object, rows) in unfinished { try finish(object, rows, token: token, date: nil) }
  }

  private func id(_ object: Int64, _ store: StoreNumber) -> ManagedObjectID {
    ManagedObjectID(entity: table.versions.owner, store: store, key: object)
  }

  private func finish(_ object: Int64, _ rows: [VersionRow], token: Int64, date: Date?) throws {
    let reader = VersionReader(table, on: connection)
    var removed: Int64 = 0
    for row in rows {
      let number = row.number - removed
      if removed > 0 {
        try connection.run(
          "UPDATE \(table.table) SET number = $1 WHERE id = $2", .integer(number), .integer(row.key))
      }
      let earlier = try reader.rows(of: object, before: number, limit: HistoryOptions.examinedChanges)
      let (change, target) = table.completed(row, after: earlier, at: date)
      if let target {
        for (text, values) in table.merging(row, into: target) { try connection.run(text, values) { _ in } }
        removed += 1
      } else {
        try connection.run(
          "UPDATE \(table.table) SET token = $1, replaced = $2 WHERE id = $3", .integer(token),
          .real(change.date.timeIntervalSince1970), .integer(row.key))
      }
    }
  }
}
