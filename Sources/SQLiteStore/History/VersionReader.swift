internal import Foundation
internal import GRDB
internal import ManagedContext

/// A row of a table of versions, without values.
struct VersionRow {
  let key: Int64
  let number: Int64
  var change: ObjectVersion.Change
  let token: Int64?
  let merged: Int

  /// The last second of the year 9999.
  private static let lastDate: Int64 = 253_402_300_799

  /// Reads a row that begins with the columns of ``VersionTable/header``. Other programs may have written values of any type.
  ///
  /// - Parameter known: The attributes of the row that was read before, which often are those of this one.
  init(_ row: Row, of table: VersionTable, _ known: inout (names: String, attributes: AttributeSet)) {
    let names = String.fromDatabaseValue(row[3]) ?? ""
    if !names.utf8.elementsEqual(known.names.utf8) { known = (names, table.attributes(named: names)) }
    key = row.integer(at: 0) ?? 0
    number = row.integer(at: 1) ?? 0
    change = ObjectVersion.Change(
      attributes: known.attributes,
      date: Date(timeIntervalSince1970: TimeInterval(min(max(0, row.integer(at: 2) ?? 0), Self.lastDate))),
      note: row.integer(at: 4).map(Int.init))
    token = row.integer(at: 5)
    merged = Int(row.integer(at: 6) ?? 0)
  }

  var version: ObjectVersion {
    ObjectVersion(number: Int(number), change: change, transaction: token, mergedChanges: merged)
  }
}

/// Reads versions of objects, on one connection.
struct VersionReader {
  let table: VersionTable
  let db: Database

  /// Returns the versions of an object before a number, newest first.
  func rows(of object: Int64, before number: Int64 = .max, limit: Int = -1) throws -> [VersionRow] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(VersionTable.header) FROM \(table.table) WHERE \(table.object) = ? AND number < ? \
        ORDER BY number DESC LIMIT ?
        """)
    var known = (names: "", attributes: AttributeSet())
    return try Row.fetchAll(statement, arguments: [object, number, limit]).map {
      VersionRow($0, of: table, &known)
    }
  }

  /// Returns the bytes of a long text of an object at the time of a version; nil if it had none then. A number after the last
  /// version reads the current text.
  func longText(_ attribute: Int, of object: Int64, at number: Int64) throws -> [UInt8]? {
    let name = table.owner.attributes[attribute].name
    let shared = VersionEntity.shared(name)
    let (column, start, end) = (quoted(name), quoted(shared.start), quoted(shared.end))
    // The versions up to the next one with a whole text. Each has the difference to the one after it.
    let statement = try db.cachedStatement(
      sql: """
        SELECT CAST(\(column) AS BLOB) AS text, \(start) AS "start", \(end) AS "end" FROM \(table.table) \
        WHERE \(table.object) = ?1 AND number >= ?2 AND \(table.has(attribute)) AND number <= coalesce(( \
        SELECT number FROM \(table.table) WHERE \(table.object) = ?1 AND number >= ?2 AND \(table.has(attribute)) \
        AND \(start) IS NULL ORDER BY number LIMIT 1), ?3) ORDER BY number DESC
        """)
    var text: [UInt8]??
    let rows = try Row.fetchCursor(statement, arguments: [object, number, Int64.max])
    while let row = try rows.next() {
      let stored: Data? = row["text"]
      if let difference = TextDifference(start: row.integer("start"), end: row.integer("end")) {
        let new = try text ?? currentText(column, of: object)
        text = difference.applied([UInt8](stored ?? Data())[...], to: new ?? [])
      } else {
        text = .some(stored.map { [UInt8]($0) })
      }
    }
    return try text ?? currentText(column, of: object)
  }

  private func currentText(_ column: String, of object: Int64) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT CAST(\(column) AS BLOB) FROM \(table.ownerTable) WHERE id = ?")
    return try Data.fetchOne(statement, arguments: [object]).map { [UInt8]($0) }
  }

  /// Returns a value of an object at the time of a version; null if it had none. A number after the last version reads the
  /// current value.
  func value(_ attribute: Int, of object: Int64, at number: Int64) throws -> DatabaseValue {
    let column = quoted(table.owner.attributes[attribute].name)
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(column) AS value FROM \(table.table) \
        WHERE \(table.object) = ? AND number >= ? AND \(table.has(attribute)) ORDER BY number LIMIT 1
        """)
    if let row = try Row.fetchOne(statement, arguments: [object, number]) { return row["value"] }
    let current = try db.cachedStatement(
      sql: "SELECT \(column) AS value FROM \(table.ownerTable) WHERE id = ?")
    return try Row.fetchOne(current, arguments: [object])?["value"] ?? .null
  }
}

extension Row {
  /// Returns an integer; nil for a value of another type, which another program may have written.
  func integer(_ column: String) -> Int64? { Self.integer(self[column]) }

  /// Returns an integer; nil for a value of another type.
  func integer(at index: Int) -> Int64? { Self.integer(self[index]) }

  private static func integer(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let number): return number
    case .double(let number): return Int64(exactly: number.rounded(.down))
    default: return nil
    }
  }
}
