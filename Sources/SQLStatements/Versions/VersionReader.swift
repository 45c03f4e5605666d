public import ManagedContext

/// Reads object versions, on one connection.
public struct VersionReader<Connection: SQLConnection> {
  let table: VersionTable
  let connection: Connection

  public init(_ table: VersionTable, on connection: Connection) {
    (self.table, self.connection) = (table, connection)
  }

  /// Returns an object's versions before a number, newest first.
  public func rows(of object: Int64, before number: Int64 = .max, limit: Int? = nil) throws -> [VersionRow] {
    var known = ChangedAttributes(of: table)
    return try connection.rows(
      """
      SELECT \(VersionTable.header) FROM \(table.table) WHERE \(table.object) = $1 AND number < $2 \
      ORDER BY number DESC\(limit.map { " LIMIT \($0)" } ?? "")
      """, [.integer(object), .integer(number)]
    ) { VersionRow($0, &known) }
  }

  /// Returns an object's values at the time of a version; null for values that it did not have. A number
  /// after the last version reads the current values.
  public func values(of object: Int64, at number: Int64) throws -> [AttributeValue] {
    let attributes = table.versions.attributes
    // The next version with an old value has the value at the time; otherwise the current value applies.
    let values = attributes.map { attribute in
      let column = table.owner.column(attribute)
      let next = "v.\(table.object) = $1 AND v.number >= $2 AND \(table.has(attribute))"
      return """
        CASE WHEN EXISTS (SELECT 1 FROM \(table.table) AS v WHERE \(next)) \
        THEN (SELECT v.\(column) FROM \(table.table) AS v WHERE \(next) ORDER BY v.number LIMIT 1) \
        ELSE (SELECT o.\(column) FROM \(table.ownerTable) AS o WHERE o.id = $1) END
        """
    }
    let found = try connection.rows(
      "SELECT \(values.joined(separator: ", "))", [.integer(object), .integer(number)]
    ) { self.values($0, attributes) }
    return found.first ?? []
  }

  /// Returns a row's first values, one for each attribute.
  func values(_ row: Connection.Row, _ attributes: [Int]) -> [AttributeValue] {
    attributes.enumerated().map { row.value($0.offset, table.owner.attributes[$0.element].type) }
  }
}
