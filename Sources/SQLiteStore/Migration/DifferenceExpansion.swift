internal import Foundation
internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Replaces differences between old texts by the whole texts, in an entity's version table.
///
/// Earlier versions of this module stored an old text as its ``TextDifference`` to the next version, with
/// three columns beside each text. The migration deletes these columns after the expansion.
struct DifferenceExpansion {
  private let table: VersionTable
  private let db: Database
  /// The text columns that may contain differences.
  private let texts: [String]

  /// - Returns: Nil if the table does not exist, or has no such columns.
  init?(_ table: VersionTable, _ shapes: [TableShape], in db: Database) {
    let names = { (table: String) in
      Set(shapes.first { quoted($0.name) == table }?.columns.map(\.name) ?? [])
    }
    let (columns, current) = (names(table.table), names(table.ownerTable))
    let texts = columns.filter { text in
      current.contains(text) && ["start", "end", "parts"].allSatisfy { columns.contains("\(text)_\($0)") }
    }
    if texts.isEmpty { return nil }
    (self.table, self.db, self.texts) = (table, db, texts.sorted())
  }

  /// Expands all differences. One object's texts are in memory at a time.
  func run() throws {
    for text in texts {
      let objects = try Int64.fetchAll(
        db,
        sql: """
          SELECT DISTINCT CAST(\(table.object) AS INTEGER) FROM \(table.table) WHERE \(quoted("\(text)_start")) IS NOT NULL
          """)
      for object in objects { try expand(text, of: object) }
    }
  }

  /// Expands a text's versions, the newest first: each is the difference to the one after it.
  private func expand(_ text: String, of object: Int64) throws {
    let column = quoted(text)
    let marks = ["start", "end", "parts"].map { quoted("\(text)_\($0)") }
    let current = try db.cachedStatement(
      sql: "SELECT CAST(\(column) AS BLOB) FROM \(table.ownerTable) WHERE id = ?")
    var later = try Data.fetchOne(current, arguments: [object]).map { [UInt8]($0) } ?? []
    let keys = try db.cachedStatement(
      sql: """
        SELECT id FROM \(table.table) WHERE \(table.object) = ? AND instr(changed, '"\(text)"') > 0 ORDER BY number DESC
        """)
    let reading = try db.cachedStatement(
      sql: "SELECT CAST(\(column) AS BLOB), \(marks.joined(separator: ", ")) FROM \(table.table) WHERE id = ?"
    )
    let writing = try db.cachedStatement(
      sql: "UPDATE \(table.table) SET \(column) = CAST(? AS TEXT), \(marks[0]) = NULL WHERE id = ?")
    for key in try Int64.fetchAll(keys, arguments: [object]) {
      guard let row = try Row.fetchOne(reading, arguments: [key]) else { continue }
      let stored = Data.fromDatabaseValue(row[0]).map { [UInt8]($0) }
      let difference = TextDifference(
        start: Self.integer(row[1]), end: Self.integer(row[2]), parts: String.fromDatabaseValue(row[3]))
      guard let difference else {
        later = stored ?? []
        continue
      }
      later = difference.applied(stored ?? [], to: later)
      try writing.execute(arguments: [Data(later), key])
    }
  }

  /// Returns an integer; nil for a value of another type, which another program may have written.
  private static func integer(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let number): number
    case .double(let number): Int64(exactly: number.rounded(.down))
    default: nil
    }
  }
}
