internal import Foundation
internal import GRDB
internal import ManagedContext

/// The indexes that nobody needs but who reads: those that are no rule and begin with no reference, by which rows are
/// found that go with another one.
///
/// Rows that come in another order than an index has change most of its pages in each transaction, and each of these is
/// written twice (journal and file). A bulk load into an empty table does without them and makes them at its end, from
/// rows that are sorted once. Where it does not come to that (it is killed, a reader is in the way, the disk is full), the
/// store is only slower to read, until somebody opens it for writing while nobody else writes.
enum ReadingIndexes {
  /// Those of an entity's table.
  static func of(_ entity: EntityDescription) -> [TableShape.Index] {
    let references = Set(entity.attributes.filter { $0.destination != nil }.map(\.name))
    return TableShape(of: entity).indexes.filter { index in
      !index.isUnique && !index.columns.prefix(1).contains(where: references.contains)
    }
  }

  /// Whether a table with these indexes lacks none, or only such ones.
  static func canComplete(
    _ indexes: [TableShape.Index], of entity: EntityDescription, in db: Database
  ) throws -> Bool {
    let missing = Set(TableShape(of: entity).indexes).subtracting(indexes)
    guard missing.isSubset(of: of(entity)) else { return false }
    // Another thing under the name of ours is somebody's work.
    return try !missing.contains { try isTaken($0.name, in: db) }
  }

  /// Whether nobody seems to write a file: a load that goes on would have to keep up the indexes that are made now.
  static func isAtRest(_ path: String, at now: Date) -> Bool {
    let path = ReadOnlyFile.resolved(path)
    return ["", "-wal", "-journal"].allSatisfy { ending in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + ending)
      guard let changed = attributes?[.modificationDate] as? Date else { return true }
      // A clock that was wrong is no sign of life.
      return !(0..<restTime).contains(now.timeIntervalSince(changed))
    }
  }

  /// In seconds; transactions of a load are much closer to each other.
  private static let restTime: TimeInterval = 60

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
      for index in of(entity) where try !isTaken(index.name, in: db) {
        try db.inTransaction(.immediate) {
          // Of several processes that open the file one does it.
          if try !isTaken(index.name, in: db) {
            try db.execute(sql: Schema.createIndex(index, on: entity.name))
          }
          return .commit
        }
      }
    }
  }

  /// Whether something in the file has a name, in any case.
  private static func isTaken(_ name: String, in db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE)", arguments: [name])
      ?? false
  }
}
