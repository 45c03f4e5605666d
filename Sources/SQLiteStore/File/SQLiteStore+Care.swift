internal import Foundation
internal import GRDB
public import ManagedContext

/// What a store's file is like.
public struct StoreFileInfo: Sendable {
  /// The bytes of the file.
  public let bytes: Int
  /// The bytes of the log beside it, which readers read first; 0 without one.
  public let logBytes: Int
  /// The bytes in the file that nothing uses: they are written again before the file grows, and go by
  /// ``SQLiteStore/vacuum()``.
  public let freeBytes: Int
  /// The version of the model that it was made for.
  public let version: Int
}

extension SQLiteStore {
  /// How large the file is, and what is free in it.
  public func info() throws(StoreError) -> StoreFileInfo {
    let file = ReadOnlyFile.resolved(name)
    return try read { db in
      let page = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
      let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
      return StoreFileInfo(
        bytes: StoreFile.size(of: file), logBytes: StoreFile.size(of: file + "-wal"), freeBytes: free * page,
        version: try Schema.version(in: db))
    }
  }

  /// Looks through the whole file for damage (sqlite.org/pragma.html#pragma_integrity_check), which takes as long as
  /// reading it twice.
  ///
  /// - Returns: What is wrong in SQLite's words, at most a hundred of them; empty where all is well.
  public func damage() throws(StoreError) -> [String] {
    try read { db in
      let found = Self.words(try String.fetchAll(db, sql: "PRAGMA integrity_check(100)"))
      // Of a file that cannot be read throughout more is not known.
      guard found.isEmpty else { return found }
      return try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(100).map { row in
        let (table, key, parent): (String, Int64?, String) = (row[0], row[1], row[2])
        return "row \(key.map(String.init) ?? "?") of \(table) refers to a \(parent) that is not there"
      }
    }
  }

  /// Looks through the file for damage that shows without comparing indexes with their tables
  /// (sqlite.org/pragma.html#pragma_quick_check), which takes as long as reading it.
  ///
  /// - Returns: What is wrong first, in SQLite's words; nil where all is well.
  public func quickDamage() throws(StoreError) -> String? {
    Self.words(try read { db in try String.fetchAll(db, sql: "PRAGMA quick_check(1)") }).first
  }

  /// What a check found, a line each, without SQLite's headings.
  private static func words(_ rows: [String]) -> [String] {
    rows.flatMap { $0.split(separator: "\n") }.filter { $0 != "ok" && !$0.hasPrefix("***") }.map(String.init)
  }

  /// Ends what is being done to the file just now, such as a copy, with an error; from any thread.
  public func interrupt() {
    reader.interrupt()
  }

  /// Writes the file anew without free pages; others wait meanwhile. Needs room for a second file.
  public func vacuum() throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try writing { db in
        try db.execute(sql: "VACUUM")
        // Or the space would come free with the next writer only.
        _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }

  private func writing(_ body: (Database) throws -> Void) throws {
    guard let writer else { throw StoreError.readOnly(name) }
    try writer.writeWithoutTransaction(body)
  }
}
