internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// The maximum count of damaged cells that are named.
  static let mostCells = 100

  /// Checks for damage, damaged cells and missing indexes. Reads the file about three times.
  public func findings() throws(StoreError) -> StoreFindings {
    let findings = StoreFindings(damage: try damage())
    // In a damaged file, other findings mean nothing.
    return findings.damage.isEmpty ? try contentFindings() : findings
  }

  /// Checks the file for missing indexes and damaged cells, which takes as long as reading it.
  public func contentFindings() throws(StoreError) -> StoreFindings {
    try read { db in
      var findings = StoreFindings()
      for entity in model.entities {
        findings.damage += try DamagedCells.findings(
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
}
