internal import CSQLite

/// The SQLite library as a whole.
public enum SQLiteLibrary {
  /// The version of the loaded library, such as "3.40.1". It may differ from the version at build time.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// Changes two settings for the whole process, so that imports need less CPU time and memory.
  ///
  /// SQLite does not count the memory that it allocates (SQLITE_CONFIG_MEMSTATUS), which would take a lock
  /// for each block. Its heap limits then have no effect. SQLite also sorts with less memory: at least 250
  /// pages of rows (SQLITE_CONFIG_PMASZ), which are 4 MB with 16 KiB pages
  /// (sqlite.org/c3ref/c_config_covering_index_scan.html).
  ///
  /// Call it before any part of the process uses SQLite; later calls have no effect. Not thread-safe.
  public static func configureForImports() {
    _ = csqlite_set_memory_statistics(0)
    _ = csqlite_set_sorter_pages(sorterPages)
  }

  private static let sorterPages: UInt32 = 64
}
