public import ManagedContext

extension VersionReader {
  /// Returns the values that a transaction replaced in the entity's objects, with three statements in all.
  ///
  /// Omits objects without a version that the transaction ended, or that has merged changes.
  public func replaced(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws -> [ManagedObjectID: ReplacedValues] {
    var replaced: [Int64: ReplacedValues] = [:]
    var ended: [EndedVersions] = []
    try forEachObject(ids.map(\.key)) { object, rows in
      let versions = rows.filter { !$0.wasNeverCurrent }
      if let versions = EndedVersions(versions, of: object, by: transaction) {
        ended.append(versions)
      } else if versions.contains(where: { $0.merged > 0 }) {
        let target = versions.last { $0.merged > 0 && $0.token.map { $0 <= transaction } ?? false }
        replaced[object] = ReplacedValues(changes: [], values: [], target: target?.change)
      }
    }
    let changed = ended.reduce(into: AttributeSet()) { $0.formUnion($1.attributes) }
    let attributes = table.versions.attributes.filter { changed.contains(AttributeSet(index: $0)) }
    if !ended.isEmpty {
      for place in ended.indices { ended[place].values = attributes.map { _ in .null } }
      try readCurrent(attributes, &ended)
      try readStored(attributes, &ended)
      for versions in ended { replaced[versions.object] = versions.replaced(attributes) }
    }
    return Dictionary(ids.compactMap { id in replaced[id.key].map { (id, $0) } }) { first, _ in first }
  }

  /// Calls `body` with each object's versions, oldest first, ordered by object key.
  private func forEachObject(_ keys: [Int64], _ body: (Int64, [VersionRow]) -> Void) throws {
    let text = """
      SELECT \(VersionTable.header), \(table.object) FROM \(table.table) \
      WHERE \(isAmong(table.object)) ORDER BY \(table.object), number
      """
    var known = ChangedAttributes(of: table)
    // An object's rows follow each other.
    var last: (object: Int64, rows: [VersionRow]) = (0, [])
    try connection.run(text, [.integers(keys)]) { row in
      guard let object = row.integer(VersionTable.headerCount) else { return }
      if object != last.object {
        if !last.rows.isEmpty { body(last.object, last.rows) }
        last = (object, [])
      }
      last.rows.append(VersionRow(row, &known))
    }
    if !last.rows.isEmpty { body(last.object, last.rows) }
  }

  /// Reads the current values where they are needed.
  private func readCurrent(_ attributes: [Int], _ ended: inout [EndedVersions]) throws {
    let keys = ended.filter(\.needsCurrent).map(\.object)
    guard !keys.isEmpty else { return }
    let columns = attributes.map(table.owner.column) + ["id"]
    try connection.run(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.ownerTable) WHERE \(isAmong("id"))",
      [.integers(keys)]
    ) { row in
      guard let object = row.integer(attributes.count), let place = ended.place(of: object) else { return }
      ended[place].values = values(row, attributes)
    }
  }

  /// Reads the versions backwards, up to those that the transaction ended.
  private func readStored(_ attributes: [Int], _ ended: inout [EndedVersions]) throws {
    let columns = attributes.map(table.owner.column) + [table.object, "id"]
    let text = """
      SELECT \(columns.joined(separator: ", ")) FROM \(table.table) \
      WHERE \(isAmong("id")) ORDER BY \(table.object), number DESC
      """
    try connection.run(text, [.integers(ended.flatMap(\.rows).map(\.key))]) { row in
      guard let object = row.integer(attributes.count), let key = row.integer(attributes.count + 1),
        let place = ended.place(of: object)
      else { return }
      ended[place].apply(key, attributes) { row.value($0, table.owner.attributes[$1].type) }
    }
  }

  private func isAmong(_ column: String) -> String { Connection.dialect.isAmong(column, "$1") }
}

/// The versions of an object that a transaction ended, and the later ones that determine the values after it.
private struct EndedVersions {
  /// The object's key.
  let object: Int64
  /// The versions, oldest first.
  let rows: [VersionRow]
  /// True if the object's current values are also needed.
  let needsCurrent: Bool
  /// The attributes that the transaction changed.
  let attributes: AttributeSet
  /// The count of ``rows`` that the transaction ended.
  private let count: Int
  /// The values after the version that is applied next, in attribute order.
  var values: [AttributeValue] = []
  /// The values after the transaction.
  private var new: [AttributeValue] = []
  /// The count of ``rows`` not applied yet.
  private var left: Int

  /// - Returns: Nil if the transaction ended none of the versions.
  init?(_ versions: [VersionRow], of object: Int64, by transaction: Int64) {
    self.object = object
    guard let first = versions.firstIndex(where: { $0.token == transaction }) else { return nil }
    let later = versions[first...].drop { $0.token == transaction }
    count = later.startIndex - first
    attributes = versions[first..<later.startIndex].reduce(into: []) { $0.formUnion($1.change.attributes) }
    // The next version with a value has the one after the transaction.
    var missing = attributes
    var end = later.startIndex
    while end < versions.count, !missing.isEmpty {
      missing.subtract(versions[end].change.attributes)
      end += 1
    }
    rows = Array(versions[first..<end])
    needsCurrent = !missing.isEmpty
    left = rows.count
  }

  /// Replaces the values by those from the previous version.
  ///
  /// - Parameters:
  ///   - key: The version's key.
  ///   - value: Returns the attribute value at a place.
  mutating func apply(
    _ key: Int64, _ attributes: [Int], _ value: (_ place: Int, _ attribute: Int) -> AttributeValue
  ) {
    guard left > 0, rows[left - 1].key == key else { return }
    left -= 1
    let version = rows[left]
    if left == count - 1 { new = values }
    let written = version.change.attributes.intersection(self.attributes)
    for (place, attribute) in attributes.enumerated() where written.contains(AttributeSet(index: attribute)) {
      values[place] = value(place, attribute)
    }
  }

  /// Returns the changed attributes' values before and after the transaction.
  func replaced(_ attributes: [Int]) -> ReplacedValues {
    var found: [ReplacedValues.Value] = []
    // Rows are missing only if another program has removed them since.
    guard new.count == attributes.count else { return ReplacedValues(changes: changes, values: []) }
    for (place, attribute) in attributes.enumerated()
    where self.attributes.contains(AttributeSet(index: attribute)) && values[place] != new[place] {
      found.append(ReplacedValues.Value(attribute: attribute, old: values[place], new: new[place]))
    }
    return ReplacedValues(changes: changes, values: found)
  }

  private var changes: [ObjectVersion.Change] { rows[..<count].map(\.version.change) }
}

extension [EndedVersions] {
  /// Returns the place of an object's versions; nil without any. The array is sorted by object key.
  fileprivate func place(of object: Int64) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].object < object { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].object == object ? low : nil
  }
}
