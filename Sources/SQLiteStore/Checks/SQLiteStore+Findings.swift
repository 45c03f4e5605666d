internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// The maximum count of wrong cells that are named.
  static let mostCells = 100

  /// Checks for damage, wrong cell types, invalid UTF-8 and missing indexes. Reads the file about four times.
  public func findings() throws(StoreError) -> StoreFindings {
    let findings = StoreFindings(damage: try damage())
    // In a damaged file, other findings mean nothing.
    guard findings.damage.isEmpty else { return findings }
    var contents = try contentFindings()
    contents.damage += try read { db in try DamagedText.findings(of: model, atMost: Self.mostCells, in: db) }
    return contents
  }

  /// Checks the file for missing indexes and wrong cell types, which takes as long as reading it.
  public func contentFindings() throws(StoreError) -> StoreFindings {
    try read { db in
      var findings = StoreFindings()
      for entity in model.entities {
        findings.damage += try Self.wrongCells(
          of: entity, atMost: Self.mostCells - findings.damage.count, in: db)
        let there = try Set(
          String.fetchAll(db, sql: "SELECT name FROM pragma_index_list(?)", arguments: [entity.name]))
        let missing = TableShape(of: entity, .sqlite).indexes.filter { !there.contains($0.name) }
        let addable = Set(ReadingIndexes.of(entity))
        findings.missingIndexes += missing.filter(addable.contains).map(\.name)
        findings.damage += missing.filter { !addable.contains($0) }.map { "the index \($0.name) is missing" }
      }
      // A writer refuses such a file.
      if let fault = try Self.historyFault(of: model, in: db) { findings.damage.append(fault) }
      for number in try db.history.damaged(model, atMost: Self.mostCells) {
        findings.damage.append("transaction \(number) of the history cannot be read")
      }
      let newest = try FileConnection(db: db).newestTransaction()
      if let missing = try db.history.missing(after: 0, through: newest) {
        findings.damage.append("transaction \(missing) of the history is missing")
      }
      if findings.damage.isEmpty, let table = try Schema.changedTable(of: model, in: db) {
        findings.damage.append(
          "the columns or indexes of the table \(table) are not those of version \(model.version)")
      }
      return findings
    }
  }

  /// Describes a table's cells with types that differ from the model.
  private static func wrongCells(
    of entity: EntityDescription, atMost limit: Int, in db: Database
  ) throws -> [String] {
    guard limit > 0 else { return [] }
    let isWrong = entity.attributes.map { attribute in
      let types = (["null"] + attribute.type.storedTypes).map { "'\($0)'" }.joined(separator: ", ")
      return "typeof(\(quoted(attribute.name))) NOT IN (\(types))"
    }
    let types = entity.attributes.map { "typeof(\(quoted($0.name)))" }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, \(types.joined(separator: ", ")) FROM \(quoted(entity.name)) NOT INDEXED \
        WHERE \(isWrong.joined(separator: " OR ")) ORDER BY id LIMIT \(limit)
        """)
    return rows.flatMap { row -> [String] in
      let key: Int64 = row[0]
      return entity.attributes.enumerated().compactMap { index, attribute in
        let type: String = row[index + 1]
        guard type != "null", !attribute.type.storedTypes.contains(type) else { return nil }
        let expected = attribute.type.storedTypes.joined(separator: " or ")
        return "row \(key) of \(entity.name): \(attribute.name) is of type \(type) instead of \(expected)"
      }
    }
  }
}
