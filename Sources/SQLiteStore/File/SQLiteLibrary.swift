internal import CSQLite

/// The SQLite library as a whole.
public enum SQLiteLibrary {
  /// The version of the loaded library, such as "3.40.1". It may differ from the version at build time.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// Changes two settings of the whole process, for imports with less CPU time and less memory.
  ///
  /// SQLite does not count the memory that it allocates (SQLITE_CONFIG_MEMSTATUS), which takes a lock for each block; limits of
  /// its heap have no effect then. It sorts with less memory: it keeps at least 250 pages of rows (SQLITE_CONFIG_PMASZ), which
  /// are 4 MB in a file with pages of 16 KiB (sqlite.org/c3ref/c_config_covering_index_scan.html).
  ///
  /// Call it before any part of the process uses SQLite; later calls have no effect. Not thread-safe.
  public static func configureForImports() {
    _ = csqlite_set_memory_statistics(0)
    _ = csqlite_set_sorter_pages(sorterPages)
  }

  private static let sorterPages: UInt32 = 64
}
