internal import Foundation
internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Indexes used only by queries: not unique, and not led by a foreign key.
///
/// If rows do not arrive in index order, each transaction changes most index pages. Each such page is written
/// twice (journal and file). A bulk load into an empty table therefore omits these indexes and creates them
/// at its end, from rows that are sorted once.
///
/// The load may end without creating them: it is killed, a reader blocks it, or the disk is full. The store
/// is then only slower to read, until a process that has opened it for writing closes it.
enum ReadingIndexes {
  /// Returns the reading indexes for an entity's table.
  static func of(_ entity: EntityDescription) -> [TableShape.Index] {
    let references = Set(entity.attributes.filter { $0.destination != nil }.map(\.name))
    return TableShape(of: entity, .sqlite).indexes.filter { index in
      !index.isUnique && !index.columns.prefix(1).contains(where: references.contains)
    }
  }

  /// Returns whether a table with these indexes lacks only reading indexes, which can be created.
  static func canComplete(
    _ indexes: [TableShape.Index], of entity: EntityDescription, in db: Database
  ) throws -> Bool {
    let missing = Set(TableShape(of: entity, .sqlite).indexes).subtracting(indexes)
    guard missing.isSubset(of: of(entity)) else { return false }
    // An object with a missing index's name was created by the user and is not replaced.
    return try !missing.contains { try isTaken($0.name, in: db) }
  }

  /// Removes the reading indexes from empty tables.
  static func remove(_ model: ManagedObjectModel, in db: Database) throws {
    for entity in model.entities {
      for index in of(entity) {
        // The table is checked in the same transaction, because another process may fill it.
        try db.immediately {
          if try Int.fetchOne(db, sql: "SELECT 1 FROM \(quoted(entity.name)) LIMIT 1") == nil {
            try db.execute(sql: "DROP INDEX IF EXISTS \(quoted(index.name))")
          }
        }
      }
    }
  }

  /// Creates the missing indexes, which takes as long as reading their tables.
  static func makeMissing(_ model: ManagedObjectModel, in db: Database) throws {
    for entity in model.entities {
      for index in of(entity) where try !isTaken(index.name, in: db) {
        try db.immediately {
          // Another process that has opened the file may have created it in between.
          if try !isTaken(index.name, in: db) {
            try db.execute(sql: Schema.createIndex(index, on: entity.name))
          }
        }
      }
    }
  }

  /// Returns whether an object in the file has a name, ignoring case.
  private static func isTaken(_ name: String, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE)", arguments: [name])
      ?? false
  }
}
