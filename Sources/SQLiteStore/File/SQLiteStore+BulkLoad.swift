internal import Foundation
internal import GRDB
internal import ManagedContext

/// Bulk loads: writing many rows into a file that is small and that no other process has open.
///
/// In WAL mode each page is written twice and read once: into the log, and from there into the file. A
/// rollback journal contains only the old content of changed pages, so that new pages are written once
/// (sqlite.org/lockingv3.html, sqlite.org/wal.html). A first import then takes half the system time.
///
/// The journal is truncated and not deleted, so that the folder does not change. A transaction is larger than the page
/// cache: its new pages are written once, and readers wait from the first of them to the commit.
/// ``ReadingIndexes`` are created at the end of the load.
extension SQLiteStore {
  /// Enough for the index pages that a transaction changes again and again. With 6000 KiB, an import of 20,000 feeds
  /// would take 5 MB more.
  private static let loadingCacheKiB = 4000
  /// The maximum wait for readers at the end of a load, in seconds. All rows are saved by then, and the user
  /// is waiting.
  private static let longestEnd: TimeInterval = 1

  public func beginBulkLoad() {
    guard let writer else { return }
    writer.invalidateReadOnlyConnections()
    for patience in [patience, readersPatience] { patience.setLoading(true) }
    // A crash is equally safe in both modes, so a refused mode change is not an error.
    try? writer.writeWithoutTransaction { db in
      // In rollback mode, NORMAL could corrupt the file after a power failure, and not only lose the last
      // commits.
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // If another connection keeps the file in WAL mode, the load does not wait for it. A connection opened
      // between the two steps of the change would block it until the timeout.
      let mode = try? patience.withoutWaiting {
        try String.fetchOne(db, sql: "PRAGMA journal_mode = TRUNCATE")
      }
      try db.execute(sql: "PRAGMA cache_size = -\(Self.loadingCacheKiB)")
      guard mode == "truncate" else { return try db.execute(sql: "PRAGMA synchronous = NORMAL") }
      try ReadingIndexes.remove(model, in: db)
    }
  }

  public func endBulkLoad() {
    guard let writer else { return }
    writer.invalidateReadOnlyConnections()
    for patience in [patience, readersPatience] { patience.setLoading(false) }
    // If a reader blocks the change or the disk is full, the next process that opens the file for writing
    // completes it.
    try? writer.writeWithoutTransaction { db in
      // Sorting the rows for an index needs the page cache's memory.
      try db.execute(sql: "PRAGMA cache_size = -2000; PRAGMA shrink_memory")
      try patience.waiting(atMost: Self.longestEnd) {
        // Otherwise an empty journal would remain.
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else { return }
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
        // Readers do not block writers in WAL mode.
        try ReadingIndexes.makeMissing(model, in: db)
      }
    }
  }

  public func stopWaiting() {
    for patience in [patience, readersPatience] { patience.end() }
  }
}
