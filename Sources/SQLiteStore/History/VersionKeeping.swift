internal import Foundation
internal import GRDB
internal import ManagedContext

/// Completes the versions that the trigger has inserted, inside the transaction of a save: merges changes, and
/// notes the transaction.
struct VersionKeeping {
  private let table: VersionTable
  private let reader: VersionReader
  private let db: Database

  init(_ table: VersionTable, in db: Database) {
    self.table = table
    self.db = db
    reader = VersionReader(table: table, db: db)
  }

  /// Returns the objects with new versions, and the attributes that were changed.
  func unfinishedChanges(store: StoreNumber) throws -> ContextChanges {
    var changes = ContextChanges()
    for object in try unfinishedObjects() {
      let id = ManagedObjectID(entity: table.versions.owner, store: store, key: object)
      changes.updated[id] = try reader.rows(of: object).filter { $0.token == nil }
        .reduce(into: AttributeSet()) { $0.formUnion($1.change.attributes) }
    }
    return changes
  }

  func hasUnfinishedVersions() throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM \(table.table) WHERE token IS NULL LIMIT 1")
    return try Int.fetchOne(statement) != nil
  }

  private func unfinishedObjects() throws -> [Int64] {
    let statement = try db.cachedStatement(
      sql: "SELECT DISTINCT CAST(\(table.object) AS INTEGER) FROM \(table.table) WHERE token IS NULL")
    return try Int64.fetchAll(statement)
  }

  /// Completes the new versions of a save.
  ///
  /// - Parameter noted: The transactions of the save, in order; nil if the store records none.
  func finish(as noted: NotedTransactions?, store: StoreNumber) throws {
    for object in try unfinishedObjects() {
      let id = ManagedObjectID(entity: table.versions.owner, store: store, key: object)
      try finish(object, token: noted?.last(changing: id) ?? 0, date: noted?.date)
    }
  }

  /// Completes the new versions of an object.
  ///
  /// - Parameters:
  ///   - token: The number of the transaction; 0 if the store records none.
  ///   - date: The time of the transaction; nil keeps the time at which another program changed the object.
  func finish(_ object: Int64, token: Int64, date: Date?) throws {
    let unfinished = try reader.rows(of: object).filter { $0.token == nil }.reversed()
    var removed: Int64 = 0
    for var row in unfinished {
      let number = row.number - removed
      if removed > 0 {
        try run("UPDATE \(table.table) SET number = ? WHERE id = ?", [number, row.key])
      }
      let earlier = try reader.rows(of: object, before: number, limit: HistoryOptions.examinedChanges)
      // A clock that is set back must not change the order of versions.
      let time = max(date ?? row.change.date, earlier.first?.change.date ?? .distantPast)
      row.change.date = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
      let isMerged = table.owner.history.isMerged(row.change, earlier.map(\.change))
      if isMerged, let last = earlier.first {
        try merge(row, into: last)
        removed += 1
      } else {
        try run(
          "UPDATE \(table.table) SET token = ?, replaced = ? WHERE id = ?",
          [token, Int64(row.change.date.timeIntervalSince1970), row.key])
      }
    }
  }

  /// Removes a version: the one before it is then followed by the values after it.
  private func merge(_ row: VersionRow, into last: VersionRow) throws {
    let added = row.change.attributes.subtracting(last.change.attributes)
    for attribute in table.versions.attributes where added.contains(AttributeSet(index: attribute)) {
      let column = quoted(table.owner.attributes[attribute].name)
      try run(
        "UPDATE \(table.table) SET \(column) = (SELECT \(column) FROM \(table.table) WHERE id = ?) WHERE id = ?",
        [row.key, last.key])
    }
    try run("DELETE FROM \(table.table) WHERE id = ?", [row.key])
    let attributes = last.change.attributes.union(row.change.attributes)
    try run(
      "UPDATE \(table.table) SET changed = ?, merged = merged + 1 WHERE id = ?",
      [table.names(of: attributes), last.key])
  }

  private func run(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
