internal import Foundation
internal import ManagedContext

/// Completes the versions that the trigger has inserted, inside the transaction of a save: merges changes, and notes the
/// transaction.
struct VersionKeeping {
  private let table: VersionTable
  private let transaction: ServerTransaction

  init(_ table: VersionTable, in transaction: ServerTransaction) {
    (self.table, self.transaction) = (table, transaction)
  }

  /// Returns the objects with new versions, and the attributes that were changed.
  func unfinishedChanges(store: StoreNumber) throws(StoreError) -> ContextChanges {
    var changes = ContextChanges()
    for (object, rows) in try unfinished() {
      let id = ManagedObjectID(entity: table.versions.owner, store: store, key: object)
      changes.updated[id] = rows.reduce(into: AttributeSet()) { $0.formUnion($1.change.attributes) }
    }
    return changes
  }

  /// Completes the new versions of a save.
  ///
  /// - Parameter noted: The transactions of the save, in order; nil if the store records none.
  func finish(as noted: NotedTransactions?, store: StoreNumber) throws(StoreError) {
    for (object, rows) in try unfinished() {
      let id = ManagedObjectID(entity: table.versions.owner, store: store, key: object)
      try finish(object, rows, token: noted?.last(changing: id) ?? 0, date: noted?.date)
    }
  }

  /// Completes the versions of an object that another program has changed.
  func finish(_ object: Int64, token: Int64) throws(StoreError) {
    for (found, rows) in try unfinished() where found == object {
      try finish(object, rows, token: token, date: nil)
    }
  }

  /// Returns the new versions of each object, oldest first.
  private func unfinished() throws(StoreError) -> [Int64: [VersionRow]] {
    table.rowsByObject(try transaction.run(table.unfinished))
  }

  private func finish(
    _ object: Int64, _ rows: [VersionRow], token: Int64, date: Date?
  ) throws(StoreError) {
    var removed: Int64 = 0
    for var row in rows {
      let number = row.number - removed
      if removed > 0 {
        try run("UPDATE \(table.table) SET number = $1 WHERE id = $2", .integer(number), .integer(row.key))
      }
      let earlier = try transaction.run(
        Statement(
          """
          SELECT \(VersionTable.header) FROM \(table.table) WHERE \(table.object) = $1 AND number < $2 \
          ORDER BY number DESC LIMIT \(HistoryOptions.examinedChanges)
          """, .integer(object), .integer(number)))
      let last = earlier.count > 0 ? VersionRow(earlier, 0, of: table) : nil
      // A clock that is set back must not change the order of versions.
      let time = max(date ?? row.change.date, last?.change.date ?? .distantPast)
      row.change.date = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
      let changes = (0..<earlier.count).map { VersionRow(earlier, $0, of: table).change }
      if let last, table.owner.history.isMerged(row.change, changes) {
        for statement in table.merging(row.key, row.change.attributes, into: last) {
          try transaction.run(statement)
        }
        removed += 1
      } else {
        try run(
          "UPDATE \(table.table) SET token = $1, replaced = $2 WHERE id = $3", .integer(token),
          .real(row.change.date.timeIntervalSince1970), .integer(row.key))
      }
    }
  }

  private func run(_ text: String, _ values: ParameterValue...) throws(StoreError) {
    var statement = Statement(text)
    for value in values { statement.parameters.append(value) }
    try transaction.run(statement)
  }
}

extension PostgreSQLStore {
  /// Records the changes that other programs made with SQL, as a transaction without an author and a process.
  func adoptChangesOfOthers(
    _ keeping: [VersionKeeping], _ transaction: ServerTransaction
  ) throws(StoreError) {
    for keeping in keeping {
      let changes = try keeping.unfinishedChanges(store: number)
      if changes.isEmpty { continue }
      let row = NewHistoryRow(changes, [:], author: nil, model)
      let token = options.keepsHistory ? try append([row], process: 0, save: 0, date: now(), transaction) : 0
      for id in changes.updated.keys { try keeping.finish(id.key, token: token) }
    }
  }
}
