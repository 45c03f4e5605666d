import Foundation
import GRDB
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

@Suite struct ForeignDatabaseTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("other.db")
    let database = try DatabaseQueue(path: path)
    try database.write { db in
      try db.execute(sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1), (2), (3)")
    }
    try database.close()
  }

  @Test func `the rows of a file that stays as it is are read`() throws {
    let database = try ForeignDatabase(path: path)
    var rows: [[AttributeValue]] = []
    try database.rows("SELECT x FROM a WHERE x > ?", [.integer(1)]) { row in
      rows.append(row)
      return true
    }
    #expect(rows == [[.integer(2)], [.integer(3)]])
  }

  @Test(arguments: ["-wal", "-journal", ""])
  func `a change while the rows are read is reported`(end: String) throws {
    let database = try ForeignDatabase(path: path)
    let (folder, path) = (folder, path)
    #expect(throws: StoreError.busy) {
      try database.rows("SELECT x FROM a") { _ in
        if end.isEmpty {
          let handle = FileHandle(forUpdatingAtPath: path)
          handle?.seekToEndOfFile()
          handle?.write(Data([0]))
        } else {
          _ = try? folder.write("other.db" + end, "log".utf8)
        }
        return true
      }
    }
  }

  @Test func `a file that was replaced is reported`() throws {
    let database = try ForeignDatabase(path: path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path)
    _ = try folder.write("other.db", bytes)
    #expect(throws: StoreError.busy) { try database.rows("SELECT x FROM a") { _ in true } }
  }
}
