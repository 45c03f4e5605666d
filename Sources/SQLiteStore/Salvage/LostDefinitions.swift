internal import GRDB
internal import ManagedContext

/// Writes the definitions of tables again that cannot be used in a damaged file.
struct LostDefinitions {
  /// True if none of the definitions can be used.
  private(set) var areAll = false
  /// The names of the tables whose first page is unknown: only their other pages can be searched for.
  private(set) var withoutRoot: Set<String> = []

  /// Writes definitions that are missing, unreadable, without needed columns, or that lead to a wrong page.
  ///
  /// A table begins on the page that its old definition names or, if that page is none of the table's, where it begins in a
  /// new store. Tables of a store that was vacuumed or migrated may begin elsewhere.
  ///
  /// - Parameters:
  ///   - file: A copy of the damaged file, with a valid header.
  ///   - other: A new store of the same model.
  ///   - pages: The pages of the copy.
  ///   - connect: Opens a file, in which definitions may be changed.
  init(
    restoringIn file: String, like other: String, model: ManagedObjectModel, pages: LeafPages,
    connect: (String) throws -> DatabaseQueue
  ) throws {
    let wanted = try connect(other).inDatabase { db in
      try Self.tables(in: db).filter { model.index(named: $0.name) != nil }
    }
    var found: [Table] = []
    do {
      found = try connect(file).inDatabase { try Self.tables(in: $0) }
    } catch is DatabaseError {
      try RawFile.clearFirstPage(of: file, like: other)
    }
    let lost = wanted.filter { table in
      let same = found.first { $0.name == table.name }
      let isShared = found.contains { $0.name != table.name && $0.root == same?.root }
      return !(same.map { $0.columns.isSuperset(of: table.columns) && !isShared } ?? false)
    }
    areAll = lost.count == wanted.count
    for table in found where !pages.isPageOfTable(table.root) { withoutRoot.insert(table.name) }
    guard !lost.isEmpty else { return }
    let queue = try connect(file)
    defer { try? queue.close() }
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      for table in lost {
        try db.execute(sql: "DELETE FROM sqlite_master WHERE tbl_name = ?", arguments: [table.name])
      }
    }
    try queue.close()
    let restored = try connect(file)
    defer { try? restored.close() }
    try restored.inDatabase { db in
      for table in lost {
        try db.execute(sql: table.sql)
        let old = found.first { $0.name == table.name }?.root
        guard let root = Self.root(of: table, old: old, pages) else {
          withoutRoot.insert(table.name)
          continue
        }
        try db.execute(
          sql: "UPDATE sqlite_master SET rootpage = ? WHERE type = 'table' AND name = ?",
          arguments: [root, table.name])
      }
    }
  }

  /// Returns the first page of a table; nil if it is unknown.
  private static func root(of table: Table, old: Int?, _ pages: LeafPages) -> Int? {
    [old, table.root].compactMap(\.self).first { root in
      pages.columns(ofTableAt: root).map { $0 == table.columns.count || $0 == 0 } ?? false
    }
  }

  private struct Table {
    let name: String
    let root: Int
    let sql: String
    /// The names of the columns; empty if the definition is not understood.
    let columns: Set<String>
  }

  private static func tables(in db: Database) throws -> [Table] {
    try Row.fetchAll(db, sql: "SELECT name, rootpage, sql FROM sqlite_master WHERE type = 'table'").compactMap
    {
      row in
      guard let name = String.fromDatabaseValue(row["name"]),
        let root = Int.fromDatabaseValue(row["rootpage"])
      else {
        return nil
      }
      return Table(
        name: name, root: root, sql: String.fromDatabaseValue(row["sql"]) ?? "",
        columns: Set((try? db.columns(in: name).map(\.name)) ?? []))
    }
  }
}
