internal import GRDBSQLite

extension SQLiteStore {
  /// The version of the loaded SQLite library, which may differ from the version at build time: "3.40.1".
  public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
