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
  init(_ row: borrowing QueryRow, _ known: inout ChangedAttributes) {
    row.withText(3) { known.read($0) }
    key = row.integer(0) ?? 0
    number = row.integer(1) ?? 0
    change = ObjectVersion.Change(
      attributes: known.attributes,
      date: Date(timeIntervalSince1970: TimeInterval(min(max(0, row.integer(2) ?? 0), Self.lastDate))),
      note: row.integer(4).map(Int.init))
    token = row.integer(5)
    merged = Int(row.integer(6) ?? 0)
  }

  /// True for values that came after newer ones: no transaction ended with them; see ``EarlierVersions``.
  var wasNeverCurrent: Bool { token == 0 }

  var version: ObjectVersion {
    ObjectVersion(number: Int(number), change: change, transaction: token, mergedChanges: merged)
  }
}

/// The attributes of a JSON array of names, as the trigger writes it. An array that equals the one before is not decoded.
struct ChangedAttributes {
  private(set) var attributes = AttributeSet()
  private var names: [UInt8] = []
  private let table: VersionTable

  init(of table: VersionTable) { self.table = table }

  /// - Parameter text: The array; nil without one.
  mutating func read(_ text: Span<UInt8>?) {
    guard let text else {
      (names, attributes) = ([], [])
      return
    }
    if text.count == names.count, text.indices.allSatisfy({ text[$0] == names[$0] }) { return }
    names = text.indices.map { text[$0] }
    attributes = table.attributes(named: names)
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
    try statement.setArguments([object, number, limit])
    var known = ChangedAttributes(of: table)
    var found: [VersionRow] = []
    try QueryRow.forEach(statement, db) { found.append(VersionRow($0, &known)) }
    return found
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
