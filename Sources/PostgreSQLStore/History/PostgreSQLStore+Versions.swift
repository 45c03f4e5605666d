public import ManagedContext

extension PostgreSQLStore {
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    guard let versions = model.versions(of: id.entity) else { return [] }
    let table = VersionTable(versions, in: model)
    return try read { (connection) throws(ServerError) in
      let rows = try connection.run(
        Statement(
          "SELECT \(VersionTable.header) FROM \(table.table) WHERE \(table.object) = $1 ORDER BY number",
          .integer(id.key)))
      return (0..<rows.count).map { VersionRow(rows, $0, of: table).version }
    }
  }

  public func values(ofVersion number: Int, of id: ManagedObjectID) throws(StoreError) -> [AttributeValue] {
    guard let versions = model.versions(of: id.entity) else { return [] }
    let table = VersionTable(versions, in: model)
    // The next version with an old value of an attribute has its value at the time; otherwise it is the current one.
    let values = versions.attributes.map { attribute in
      """
      CASE WHEN EXISTS (SELECT 1 FROM \(table.table) AS v WHERE v.\(table.object) = $1 AND v.number >= $2 \
      AND \(table.has(attribute))) THEN (SELECT v.\(table.owner.column(attribute)) FROM \(table.table) AS v \
      WHERE v.\(table.object) = $1 AND v.number >= $2 AND \(table.has(attribute)) ORDER BY v.number LIMIT 1) \
      ELSE (SELECT o.\(table.owner.column(attribute)) FROM \(table.ownerTable) AS o WHERE o.id = $1) END
      """
    }
    return try read { (connection) throws(ServerError) in
      let row = try connection.run(
        Statement("SELECT \(values.joined(separator: ", "))", .integer(id.key), .integer(Int64(number))))
      return versions.attributes.enumerated().map { place, attribute in
        row.value(0, place, table.owner.storedType(attribute))
      }
    }
  }

  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    guard let entity = ids.first?.entity, let versions = model.versions(of: entity) else { return [:] }
    let table = VersionTable(versions, in: model)
    var known: [Int64: [VersionRow]] = [:]
    let keys = ids.map(\.key)
    return try readTogether { connection in
      let rows = try connection.run(
        Statement(
          """
          SELECT \(VersionTable.header), \(table.object) FROM \(table.table) WHERE \(table.object) = ANY ($1) \
          ORDER BY \(table.object), number
          """, .integers(keys)))
      for row in 0..<rows.count {
        known[rows.integer(row, 7) ?? 0, default: []].append(VersionRow(rows, row, of: table))
      }
      var replaced: [ManagedObjectID: ReplacedValues] = [:]
      for id in ids {
        guard let versions = known[id.key] else { continue }
        replaced[id] = try Self.replaced(id.key, versions, by: transaction, table, connection)
      }
      return replaced
    }
  }

  /// Returns what a transaction replaced in one object; nil if it ended none of the versions and none has merged changes.
  private static func replaced(
    _ object: Int64, _ rows: [VersionRow], by transaction: Int64, _ table: VersionTable,
    _ connection: Connection
  ) throws -> ReplacedValues? {
    // No transaction ended with values that came after newer ones; see ``EarlierVersions``.
    let versions = rows.filter { $0.token != 0 }
    guard let first = versions.firstIndex(where: { $0.token == transaction }) else {
      guard versions.contains(where: { $0.merged > 0 }) else { return nil }
      let target = versions.last { $0.merged > 0 && $0.token.map { $0 <= transaction } ?? false }
      return ReplacedValues(changes: [], values: [], target: target?.change)
    }
    let ended = versions[first...].prefix { $0.token == transaction }
    let changed = ended.reduce(into: AttributeSet()) { $0.formUnion($1.change.attributes) }
    let attributes = table.versions.attributes.filter { changed.contains(AttributeSet(index: $0)) }
    let later = versions[ended.endIndex...]
    // The place of the value before and after, among the versions; nil for the current value.
    let places = attributes.map { attribute -> (old: VersionRow?, new: VersionRow?) in
      let has = { (row: VersionRow) in row.change.attributes.contains(AttributeSet(index: attribute)) }
      return (ended.first(where: has), later.first(where: has))
    }
    let column = { (row: VersionRow?, attribute: Int) in
      row.map { "(SELECT \(table.owner.column(attribute)) FROM \(table.table) WHERE id = \($0.key))" }
        ?? "(SELECT \(table.owner.column(attribute)) FROM \(table.ownerTable) WHERE id = \(object))"
    }
    let columns = zip(attributes, places).flatMap { [column($1.old, $0), column($1.new, $0)] }
    let row = try connection.run(Statement("SELECT \(columns.joined(separator: ", "))"), prepares: false)
    let values = attributes.enumerated().compactMap { place, attribute in
      let type = table.owner.storedType(attribute)
      let (old, new) = (row.value(0, 2 * place, type), row.value(0, 2 * place + 1, type))
      return old == new ? nil : ReplacedValues.Value(attribute: attribute, old: old, new: new)
    }
    return ReplacedValues(changes: ended.map(\.change), values: values)
  }
}

extension EntityDescription {
  /// The type of an old value: that of the attribute, but a reference is a number, because its object may be deleted.
  fileprivate func storedType(_ attribute: Int) -> AttributeType { attributes[attribute].type }
}
