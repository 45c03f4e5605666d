internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import ManagedContext

/// The size and version of a store's file.
public struct StoreFileInfo: Sendable {
  /// The file size, in bytes.
  public let bytes: Int
  /// The log size, in bytes; readers read the log first. 0 without a log.
  public let logBytes: Int
  /// The unused space in the file, in bytes. It is reused before the file grows, and released by
  /// ``SQLiteStore/vacuum()``.
  public let freeBytes: Int
  /// The model version that last created or migrated the file.
  public let version: Int
}

extension SQLiteStore {
  /// Returns the file's size, unused space and version.
  public func info() throws(StoreError) -> StoreFileInfo {
    let file = ReadOnlyFile.resolved(name)
    return try read { db in
      let page = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
      let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
      return StoreFileInfo(
        bytes: FileStatus(path: file)?.size ?? 0, logBytes: FileStatus(path: file + "-wal")?.size ?? 0,
        freeBytes: free * page, version: try Schema.version(in: db))
    }
  }

  /// Checks the whole file for damage (sqlite.org/pragma.html#pragma_integrity_check), which takes as long as
  /// reading it twice.
  ///
  /// - Returns: SQLite's damage descriptions, at most 100; empty if the file is intact.
  public func damage() throws(StoreError) -> [String] {
    try read { db in
      let found = try Self.integrityFindings(in: db)
      // If the file cannot be read completely, the references are not checked.
      guard found.isEmpty else { return found }
      return try Self.brokenReferences(in: db)
    }
  }

  /// Checks the references, and the file for damage, without comparing indexes with their tables
  /// (sqlite.org/pragma.html#pragma_quick_check). This takes as long as reading the file.
  ///
  /// - Returns: SQLite's description of the first damage; nil if the check found none.
  public func quickDamage() throws(StoreError) -> String? {
    try read { db in
      let found = Self.words(try String.fetchAll(db, sql: "PRAGMA quick_check(1)"))
      return try found.first ?? Self.brokenReferences(in: db).first
    }
  }

  private static func brokenReferences(in db: Database) throws -> [String] {
    let rows = try Row.fetchCursor(db, sql: "PRAGMA foreign_key_check")
    var broken: [String] = []
    while broken.count < 100, let row = try rows.next() {
      let (table, key, parent): (String, Int64?, String) = (row[0], row[1], row[2])
      broken.append("row \(key.map(String.init) ?? "?") of \(table) refers to a missing \(parent)")
    }
    return broken
  }

  /// Returns SQLite's findings before an unreadable page, or else that page's error.
  static func integrityFindings(in db: Database) throws -> [String] {
    var lines: [String] = []
    do {
      let rows = try String.fetchCursor(db, sql: "PRAGMA integrity_check(100)")
      while let row = try rows.next() { lines.append(row) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      if lines.isEmpty { throw error }
    }
    return words(lines)
  }

  /// Splits a check result into lines, without SQLite's headings.
  private static func words(_ rows: [String]) -> [String] {
    rows.flatMap { $0.split(separator: "\n") }.filter { $0 != "ok" && !$0.hasPrefix("***") }.map(String.init)
  }

  /// Ends the current operation on the file, such as a copy, with an error. Callable from any thread.
  public func interrupt() {
    reader.interrupt()
  }

  /// Rewrites the file without free pages. Other connections wait until it ends, and the disk needs space for
  /// a second file.
  public func vacuum() throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onWriter { db in
        try db.execute(sql: "VACUUM")
        // Otherwise the space would be released only by the next writer.
        _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }
}
