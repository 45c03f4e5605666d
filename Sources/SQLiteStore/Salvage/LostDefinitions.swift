internal import GRDB
internal import ManagedContext

/// The definitions of tables that are lost in a damaged file, because its first page or another page of definitions is.
struct LostDefinitions {
  /// True if none of the definitions can be read.
  let areAll: Bool
  /// The names of the tables whose first page is unknown: only their other pages can be searched for.
  private(set) var withoutRoot: Set<String> = []

  /// Writes lost definitions into a file again.
  ///
  /// A table is assumed to begin where it begins in a new store, if a table with as many columns begins there. Tables of
  /// a store that was vacuumed or migrated may begin elsewhere.
  ///
  /// - Parameters:
  ///   - file: A copy of the damaged file, with a valid header.
  ///   - other: A new store of the same model.
  ///   - connect: Opens a file, in which definitions may be changed.
  init(
    restoringIn file: String, like other: String, model: ManagedObjectModel,
    connect: (String) throws -> DatabaseQueue
  ) throws {
    let names = try? connect(file).inDatabase { try Self.tables(in: $0).map(\.name) }
    areAll = names?.isEmpty ?? true
    if names == nil { try RawFile.clearFirstPage(of: file, like: other) }
    let lost = try connect(other).inDatabase { try Self.tables(in: $0) }.filter { table in
      !(names ?? []).contains(table.name) && model.index(named: table.name) != nil
    }
    guard !lost.isEmpty else { return }
    let pages = try LeafPages(path: file)
    let queue = try connect(file)
    defer { try? queue.close() }
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      for table in lost {
        let columns = try connect(other).inDatabase { try $0.columns(in: table.name).count }
        let found = try pages.columns(ofTableAt: table.root)
        try db.execute(sql: table.sql)
        guard let found, found == columns || found == 0 else {
          withoutRoot.insert(table.name)
          continue
        }
        try db.execute(
          sql: "UPDATE sqlite_master SET rootpage = ? WHERE type = 'table' AND name = ?",
          arguments: [table.root, table.name])
      }
    }
  }

  private struct Table {
    let name: String
    let root: Int
    let sql: String
  }

  private static func tables(in db: Database) throws -> [Table] {
    try Row.fetchAll(db, sql: "SELECT name, rootpage, sql FROM sqlite_master WHERE type = 'table'").map {
      Table(name: $0["name"], root: $0["rootpage"], sql: $0["sql"])
    }
  }
}
