import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

/// A store file that a test opens with several models in turn.
struct TableStore {
  static let identity = StoreIdentity(applicationID: 0x5441_424C)

  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.db")
  }

  func open(
    _ model: ManagedObjectModel, views: [String] = [], formerViews: [String] = []
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
      path: path, model: model,
      identity: StoreIdentity(
        applicationID: Self.identity.applicationID, views: views, formerViews: formerViews))
  }

  /// The ID of an existing row of the file.
  func id(_ entity: EntityIndex, _ key: Int64) -> ManagedObjectID {
    ManagedObjectID(entity: entity, store: FileStatus(path: path)?.identity.storeNumber ?? .none, key: key)
  }

  /// Opens the file with a model, adds rows to an entity, and closes it.
  func fill(
    _ model: ManagedObjectModel, _ rows: [(entity: EntityIndex, values: [AttributeValue])],
    author: String? = nil
  ) throws {
    _ = try open(model).insert(rows, author: author)
  }

  /// Returns SQLite's own result of a query, as text.
  func ask(_ sql: String) throws -> [String?] {
    try DatabaseQueue(path: path).read { db in try String?.fetchAll(db, sql: sql) }
  }

  /// Returns SQLite's plan of a query.
  func plan(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] }
    }
  }

  /// Runs statements that a store would never run.
  func run(_ sql: String) throws {
    try DatabaseQueue(path: path).write { db in try db.execute(sql: sql) }
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}

extension SQLiteStore {
  /// Inserts rows in one save.
  ///
  /// - Returns: Their keys, ascending.
  @discardableResult
  func insert(
    _ rows: [(entity: EntityIndex, values: [AttributeValue])], author: String? = nil
  ) throws -> [Int64] {
    var changes = ChangeSet(mergePolicy: .error, author: author)
    for (number, row) in rows.enumerated() {
      let id = ManagedObjectID(entity: row.entity, store: .none, key: -Int64(number) - 1)
      changes.insertions.append(.init(id: id, values: row.values))
    }
    return try write([changes])[0].get().changes.inserted.map(\.key).sorted()
  }

  /// Returns all rows of an entity, by key.
  func rows(_ entity: EntityIndex, _ model: ManagedObjectModel) throws -> [StoredRow] {
    let batch = try fetch(StoreQuery(entity: entity))
    return (0..<batch.count).map { row in
      StoredRow(
        key: batch.keys[row], version: batch.versions[row],
        values: batch.columns.indices.map { batch.value(row: row, column: $0, model: model) })
    }
  }
}

/// A row as a store returns it.
struct StoredRow: Equatable {
  let key: Int64
  let version: Int64
  let values: [AttributeValue]
}

/// Classes for the entities of a test's model.
final class First: ManagedObject {
  override class var entityName: String { "first" }
}

final class Second: ManagedObject {
  override class var entityName: String { "second" }
}

final class Third: ManagedObject {
  override class var entityName: String { "third" }
}

final class Before: ManagedObject {
  override class var entityName: String { "before" }
}

final class Gone: ManagedObject {
  override class var entityName: String { "gone" }
}

final class Visit: ManagedObject {
  override class var entityName: String { "visit" }
}

extension ManagedObjectModel {
  /// A model of one entity, `first`.
  static func one(
    _ version: Int, _ properties: [PropertyDescription], uniqueness: [[String]] = [], indexes: [[String]] = []
  ) -> ManagedObjectModel {
    ManagedObjectModel(
      version: version,
      entities: [
        EntityDescription(
          "first", class: First.self, properties: properties, uniqueness: uniqueness, indexes: indexes)
      ])
  }
}
