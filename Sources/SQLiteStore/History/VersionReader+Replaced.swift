internal import Foundation
internal import GRDB
internal import ManagedContext

extension VersionReader {
  /// Returns what a transaction replaced in objects, by key, with three statements for all of them.
  ///
  /// Objects are omitted if the transaction ended none of their versions and none of the versions has merged changes.
  func replaced(of keys: [Int64], in transaction: Int64) throws -> [Int64: ReplacedValues] {
    var replaced: [Int64: ReplacedValues] = [:]
    var ended: [Int64: EndedVersions] = [:]
    for (object, versions) in try rows(of: keys) {
      if let versions = EndedVersions(versions, by: transaction) {
        ended[object] = versions
      } else if versions.contains(where: { $0.merged > 0 }) {
        let target = versions.last { $0.merged > 0 && $0.token.map { $0 <= transaction } ?? false }
        replaced[object] = ReplacedValues(changes: [], values: [], target: target?.change)
      }
    }
    guard !ended.isEmpty else { return replaced }
    let changed = ended.values.reduce(into: AttributeSet()) { $0.formUnion($1.attributes) }
    let attributes = table.versions.attributes.filter { changed.contains(AttributeSet(index: $0)) }
    try readCurrent(attributes, &ended)
    try readStored(attributes, &ended)
    for (object, versions) in ended {
      replaced[object] = versions.replaced(attributes, longTexts: table.versions.longTexts)
    }
    return replaced
  }

  /// Returns the versions of objects, oldest first.
  private func rows(of keys: [Int64]) throws -> [Int64: [VersionRow]] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(VersionTable.header), \(table.object) AS object FROM \(table.table) \
        WHERE \(table.object) IN (SELECT value FROM json_each(?)) ORDER BY \(table.object), number
        """)
    try statement.setArguments([Self.list(keys)])
    var versions: [Int64: [VersionRow]] = [:]
    versions.reserveCapacity(keys.count)
    var known = ChangedAttributes()
    // The rows of an object follow each other.
    var last: (object: Int64, rows: [VersionRow]) = (0, [])
    try QueryRow.forEach(statement, db) { row in
      guard let object = row.integer(VersionTable.headerCount) else { return }
      if object != last.object {
        if !last.rows.isEmpty { versions[last.object] = last.rows }
        last = (object, [])
      }
      last.rows.append(VersionRow(row, of: table, &known))
    }
    if !last.rows.isEmpty { versions[last.object] = last.rows }
    return versions
  }

  /// Reads the current values of objects.
  private func readCurrent(_ attributes: [Int], _ ended: inout [Int64: EndedVersions]) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \((attributes.map(column) + ["id"]).joined(separator: ", ")) FROM \(table.ownerTable) \
        WHERE id IN (SELECT value FROM json_each(?))
        """)
    try statement.setArguments([Self.list(ended.keys)])
    try QueryRow.forEach(statement, db) { row in
      guard let object = row.integer(attributes.count) else { return }
      var values: [AttributeValue] = []
      for column in attributes.indices { values.append(row.value(column)) }
      ended[object]?.values = values
    }
  }

  /// Reads the versions of objects backwards, up to those that the transaction ended.
  private func readStored(_ attributes: [Int], _ ended: inout [Int64: EndedVersions]) throws {
    let shared = attributes.flatMap { attribute in
      guard table.versions.longTexts.contains(attribute) else { return ["NULL", "NULL"] }
      let shared = VersionEntity.shared(table.owner.attributes[attribute].name)
      return [quoted(shared.start), quoted(shared.end)]
    }
    let columns = attributes.map(column) + shared + [table.object + " AS object", "id"]
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(columns.joined(separator: ", ")) FROM \(table.table) \
        WHERE id IN (SELECT value FROM json_each(?)) ORDER BY \(table.object), number DESC
        """)
    try statement.setArguments([Self.list(ended.values.flatMap(\.rows).map(\.key))])
    // Each attribute has its value and the two shared numbers.
    let end = 3 * attributes.count
    try QueryRow.forEach(statement, db) { row in
      guard let object = row.integer(end), let key = row.integer(end + 1) else { return }
      ended[object]?.apply(row, key: key, attributes)
    }
  }

  /// Long texts are read as bytes: differences count bytes, and another program may have written text that is not UTF-8.
  private func column(_ attribute: Int) -> String {
    let name = quoted(table.owner.attributes[attribute].name)
    return table.versions.longTexts.contains(attribute) ? "CAST(\(name) AS BLOB)" : name
  }

  /// Returns a JSON array.
  private static func list(_ keys: some Sequence<Int64>) -> String {
    "[" + keys.map(String.init).joined(separator: ",") + "]"
  }
}

/// The versions of an object that a transaction ended, and the later ones.
private struct EndedVersions {
  /// The versions, oldest first.
  let rows: [VersionRow]
  /// The number of ``rows`` that the transaction ended.
  private let count: Int
  /// The values after the version that is applied next, in the order of the attributes. Empty if the object does not exist.
  var values: [AttributeValue] = []
  /// The values after the transaction.
  private var new: [AttributeValue] = []
  /// The number of ``rows`` that were not applied yet.
  private var left: Int

  /// - Returns: Nil if the transaction ended none of the versions.
  init?(_ versions: [VersionRow], by transaction: Int64) {
    guard let first = versions.firstIndex(where: { $0.token == transaction }) else { return nil }
    rows = Array(versions[first...])
    count = rows.prefix { $0.token == transaction }.count
    left = rows.count
  }

  /// The attributes that the transaction changed.
  var attributes: AttributeSet {
    rows[..<count].reduce(into: AttributeSet()) { $0.formUnion($1.change.attributes) }
  }

  /// Replaces the values by those of the version before.
  ///
  /// - Parameters:
  ///   - row: The attributes' values, then the bytes that they share with the start and the end of the next version's.
  ///   - key: The key of the version.
  mutating func apply(_ row: borrowing QueryRow, key: Int64, _ attributes: [Int]) {
    guard values.count == attributes.count, left > 0, rows[left - 1].key == key else { return }
    left -= 1
    let version = rows[left]
    if left == count - 1 { new = values }
    for (place, attribute) in attributes.enumerated()
    where version.change.attributes.contains(AttributeSet(index: attribute)) {
      let shared = attributes.count + 2 * place
      let stored = row.value(place)
      let difference = TextDifference(start: row.integer(shared), end: row.integer(shared + 1))
      values[place] = difference?.applied(stored, to: values[place]) ?? stored
    }
  }

  /// Returns the values before and after the transaction of the attributes that it changed.
  func replaced(_ attributes: [Int], longTexts: Set<Int>) -> ReplacedValues {
    let changed = self.attributes
    let values = zip(attributes, zip(values, new)).compactMap { attribute, values -> ReplacedValues.Value? in
      guard changed.contains(AttributeSet(index: attribute)) else { return nil }
      let isText = longTexts.contains(attribute)
      return ReplacedValues.Value(
        attribute: attribute, old: isText ? values.0.asText : values.0,
        new: isText ? values.1.asText : values.1)
    }
    return ReplacedValues(changes: rows[..<count].map(\.version.change), values: values)
  }
}

extension TextDifference {
  /// Returns the old text, as bytes.
  fileprivate func applied(_ difference: AttributeValue, to new: AttributeValue) -> AttributeValue {
    .bytes(applied(difference.content[...], to: new.content))
  }
}

extension AttributeValue {
  /// The bytes of a value; empty for a value of another type.
  fileprivate var content: [UInt8] {
    if case .bytes(let bytes) = self { bytes } else { [] }
  }

  /// The text with some bytes; the same value for one of another type.
  fileprivate var asText: AttributeValue {
    if case .bytes(let bytes) = self { .text(String(decoding: bytes, as: UTF8.self)) } else { self }
  }
}
