internal import GRDB
internal import ManagedContext

/// Queries for broken references, which refer to a row that does not exist.
enum ForeignKeys {
  /// Returns the first broken reference by scanning all tables (sqlite.org/pragma.html#pragma_foreign_key_check). Call
  /// this only if a reference may be broken.
  static func firstBroken(
    in db: Database, _ model: ManagedObjectModel, _ store: StoreNumber
  ) throws -> ValidationError? {
    for entity in model.entities where entity.attributes.contains(where: { $0.destination != nil }) {
      guard let broken = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check(\(quoted(entity.name)))") else {
        continue
      }
      let keys = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(quoted(entity.name)))")
      let key: Int? = broken["fkid"]
      let column: String? = keys.first { $0["id"] == key }?["from"]
      let row: Int64? = broken["rowid"]
      guard let place = model.index(named: entity.name), let row,
        let attribute = entity.attributes.firstIndex(where: { $0.name == column })
      else { continue }
      let id = ManagedObjectID(entity: place, store: store, key: row)
      return try model.brokenReference(of: id, attribute: attribute) { attribute in
        let end = entity.attributes[attribute]
        let key = try Int64.fetchOne(
          db, sql: "SELECT \(quoted(end.name)) FROM \(quoted(entity.name)) WHERE id = ?", arguments: [row])
        guard let key, let destination = end.destination.flatMap(model.index(named:)) else { return nil }
        return ManagedObjectID(entity: destination, store: store, key: key)
      }
    }
    return nil
  }
}
