internal import GRDB
internal import ManagedContext

/// The indexes that nobody needs but who reads: those that are no rule and begin with no reference, by which rows are
/// found that go with another one.
///
/// Rows that come in another order than an index has change most of its pages in each transaction, and each of these is
/// written twice (journal and file). A bulk load into an empty table does without them and makes them at its end, from
/// rows that are sorted once; a load that is cut leaves that to whoever next opens the file for writing.
enum ReadingIndexes {
  /// Those of an entity's table.
  static func of(_ entity: EntityDescription) -> [TableShape.Index] {
    let references = Set(entity.attributes.filter { $0.destination != nil }.map(\.name))
    return TableShape(of: entity).indexes.filter { index in
      !index.isUnique && !index.columns.prefix(1).contains(where: references.contains)
    }
  }

  /// Whether a table with these indexes lacks none, or only such ones.
  static func canComplete(_ indexes: [TableShape.Index], of entity: EntityDescription) -> Bool {
    let missing = Set(TableShape(of: entity).indexes).subtracting(indexes)
    // Another one under the name of ours is somebody's work.
    let names = Set(indexes.map(\.name))
    return missing.isSubset(of: of(entity)) && !missing.contains { names.contains($0.name) }
  }

  /// Removes those of the tables that have no rows.
  static func remove(_ model: ManagedObjectModel, in db: Database) throws {
    for entity in model.entities {
      for index in of(entity) {
        // The table is looked at in the statement's own transaction: another process may fill it.
        try db.inTransaction(.immediate) {
          if try Int.fetchOne(db, sql: "SELECT 1 FROM \(quoted(entity.name)) LIMIT 1") == nil {
            try db.execute(sql: "DROP INDEX IF EXISTS \(quoted(index.name))")
          }
          return .commit
        }
      }
    }
  }

  /// Makes those that are missing, which takes as long as reading their tables.
  static func makeMissing(_ model: ManagedObjectModel, in db: Database) throws {
    for entity in model.entities {
      for index in of(entity) where try !exists(index, in: db) {
        try db.inTransaction(.immediate) {
          // Of several processes that open the file one does it.
          if try !exists(index, in: db) { try db.execute(sql: Schema.createIndex(index, on: entity.name)) }
          return .commit
        }
      }
    }
  }

  private static func exists(_ index: TableShape.Index, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?)",
      arguments: [index.name]) ?? false
  }
}
