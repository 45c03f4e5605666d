internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements

/// Cells with a type that does not fit their attribute, and texts that are not valid UTF-8. A store writes none, but
/// SQLite checks neither.
enum DamagedCells {
  /// Describes a table's damaged cells, which takes as long as reading the table.
  static func findings(of entity: EntityDescription, atMost limit: Int, in db: Database) throws -> [String] {
    guard limit > 0 else { return [] }
    let attributes = entity.attributes
    let columns = (["id"] + attributes.map { quoted($0.name) }).joined(separator: ", ")
    let statement = try db.makeStatement(sql: "SELECT \(columns) FROM \(quoted(entity.name)) NOT INDEXED")
    // A bit for each type that fits, because comparing lists would take most of the time.
    let fitting = attributes.map { ($0.type.cellTypes + [.null]).reduce(0) { $0 | 1 << $1.rawValue } }
    var findings: [String] = []
    try QueryRow.forEach(statement, db) { row in
      for (index, types) in fitting.enumerated() {
        let type = row.type(index + 1)
        if types & 1 << type.rawValue == 0 {
          let expected = attributes[index].type.cellTypes.map(\.name).joined(separator: " or ")
          findings.append("\(place(row, index)) is of type \(type.name) instead of \(expected)")
        } else if type == .text, !isUTF8(row, index + 1) {
          findings.append("\(place(row, index)) is not UTF-8, so its bytes are damaged")
        }
      }
      return findings.count < limit
    }
    func place(_ row: QueryRow, _ index: Int) -> String {
      "row \(row.integer(0) ?? 0) of \(entity.name): \(attributes[index].name)"
    }
    return Array(findings.prefix(limit))
  }

  private static func isUTF8(_ row: QueryRow, _ column: Int) -> Bool {
    var isValid = true
    row.withText(column) { text in
      guard let text else { return }
      isValid = (try? UTF8Span(validating: text)) != nil
    }
    return isValid
  }
}
