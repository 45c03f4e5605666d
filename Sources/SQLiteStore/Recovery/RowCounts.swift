internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// The results of reading a damaged file with SQLite itself.
struct RowCounts {
  /// SQLite's damage descriptions, at most 100; empty if its check finds none.
  private(set) var damage: [String] = []
  /// The row counts of the tables, in model order; nil for a table that cannot be counted.
  private(set) var counts: [Int?]

  init(of model: ManagedObjectModel, inFileAt path: String) {
    counts = model.entities.map { _ in nil }
    // Otherwise one damaged definition would make all tables unreadable
    // (sqlite.org/pragma.html#pragma_writable_schema).
    let error = Self.error(in: path, "PRAGMA writable_schema = ON") { db in
      counts = model.entities.map { Self.count($0, in: db) }
      damage = try SQLiteStore.integrityFindings(in: db)
    }
    // The definitions are not checked then.
    let other = Self.error(in: path, "") { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
    }
    if let cause = error ?? other { damage.insert(cause, at: 0) }
  }

  /// Returns a description of the error that `body` throws.
  private static func error(
    in path: String, _ pragma: String, _ body: (Database) throws -> Void
  ) -> String? {
    var configuration = Configuration()
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA trusted_schema = OFF; \(pragma)") }
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      try queue.inDatabase(body)
      return nil
    } catch {
      return (error as? DatabaseError)?.message ?? "the list of tables cannot be read"
    }
  }

  /// Returns a table's row count: in its own pages or in an index, whichever has more.
  private static func count(_ entity: EntityDescription, in db: Database) -> Int? {
    let indexes = TableShape(of: entity, .sqlite).indexes.map { "INDEXED BY \(quoted($0.name))" }
    // SQLite would take count(*) from any index.
    return (["NOT INDEXED"] + indexes).compactMap { source in
      try? Int.fetchOne(db, sql: "SELECT coalesce(sum(1), 0) FROM \(quoted(entity.name)) \(source)")
    }.max()
  }
}
