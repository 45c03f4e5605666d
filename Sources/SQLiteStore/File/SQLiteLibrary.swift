internal import CSQLite

/// The SQLite library as a whole.
public enum SQLiteLibrary {
  /// The version of the loaded library, such as "3.40.1". It may differ from the version at build time.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// Stops counting the memory that SQLite allocates, which takes a lock for each block (SQLITE_CONFIG_MEMSTATUS,
  /// sqlite.org/c3ref/c_config_covering_index_scan.html). An import takes 5 % less CPU time without it.
  ///
  /// SQLite then ignores limits of its heap. The setting applies to the whole process. It has no effect if any part of the process
  /// has used SQLite before. Not thread-safe.
  public static func stopCountingMemory() {
    _ = csqlite_set_memory_statistics(0)
  }
}
