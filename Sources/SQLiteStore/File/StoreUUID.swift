public import struct Foundation.UUID
internal import GRDB
public import ManagedContext

/// The table with a file's UUID, which is created when the UUID is first needed. Backups contain it.
enum StoreUUID {
  /// The table's name, which no entity may have.
  static let table = "persistent_store"

  /// Returns the file's UUID; nil if it has none yet.
  static func find(in db: Database) throws -> UUID? {
    guard try FileConnection(db: db).hasTable(table) else { return nil }
    return try String.fetchOne(db, sql: "SELECT uuid FROM \(table)").flatMap { UUID(uuidString: $0) }
  }

  /// Writes a UUID, unless the file has one.
  static func write(_ uuid: UUID, in db: Database) throws {
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(table) (uuid TEXT NOT NULL)")
    guard try find(in: db) == nil else { return }
    try db.execute(sql: "DELETE FROM \(table)")
    try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [uuid.uuidString])
  }
}

extension SQLiteStore {
  /// - Returns: Nil in a file that is only read and has no UUID yet.
  public func uuid(isMade: Bool) throws(StoreError) -> UUID? {
    let known = try read { db in try StoreUUID.find(in: db) }
    if known != nil || !isMade || writer == nil { return known }
    return try inTransaction { db in
      try StoreUUID.write(UUID(), in: db)
      return try StoreUUID.find(in: db)
    }
  }
}
