internal import GRDBSQLite

extension SQLiteStore {
  /// The version of SQLite that runs, which need not be the one that this was built with: "3.40.1".
  public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
