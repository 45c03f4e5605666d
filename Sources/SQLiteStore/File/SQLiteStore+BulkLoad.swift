internal import Foundation
internal import GRDB
internal import ManagedContext

/// Writing a great many rows into a file that is small and that nobody else has open.
///
/// In WAL mode each page is written twice and read once: into the log, and from there into the file. A rollback
/// journal holds only what pages were before, so that pages which are new are written once
/// (sqlite.org/lockingv3.html, sqlite.org/wal.html): a first import takes half the system's time that way. The journal is
/// cut and kept, which spares the folder's changes, and a transaction has room in memory: pages that are written before
/// its end want the journal on the disk each time, and are written again. ``ReadingIndexes`` are made when all is there.
extension SQLiteStore {
  /// About the pages of a transaction; with 6000 an import of 20,000 feeds takes 5 MB more.
  private static let loadingCacheKiB = 4000
  /// How long the end of a load waits for readers, in seconds: everything is saved, and who ran it waits, too.
  private static let longestEnd: TimeInterval = 1

  public func beginBulkLoad() {
    guard let writer else { return }
    writer.invalidateReadOnlyConnections()
    for patience in [patience, readersPatience] { patience.setLoading(true) }
    // A crash leaves the file as whole in one mode as in the other, so a change that is refused is no error.
    try? writer.writeWithoutTransaction { db in
      // Without a log, NORMAL would risk the file at a power failure, and not the last commits alone.
      try db.execute(sql: "PRAGMA synchronous = FULL")
      // A connection of somebody else keeps the file in WAL mode. It is not waited for: who opens the file between the
      // two steps of the change would be in the way until the time is over.
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
    // Where a reader stays in the way or the disk is full, who opens the file for writing later does it.
    try? writer.writeWithoutTransaction { db in
      // What the pages took is what the rows of an index are sorted in.
      try db.execute(sql: "PRAGMA cache_size = -2000; PRAGMA shrink_memory")
      try patience.waiting(atMost: Self.longestEnd) {
        // Else the journal would stay there, empty.
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else { return }
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
        // In this mode no reader is in the way.
        try ReadingIndexes.makeMissing(model, in: db)
      }
    }
  }

  public func stopWaiting() {
    for patience in [patience, readersPatience] { patience.end() }
  }
}
