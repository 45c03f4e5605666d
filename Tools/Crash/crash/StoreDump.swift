import GRDB

/// A store as SQL statements.
enum StoreDump {
  /// Runs the statements of a dump on a new file.
  static func load(_ dump: String, into path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: dump)
    }
    try queue.close()
  }
}
