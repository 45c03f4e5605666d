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

  @Test func `the beginning of a long text is read without the rest`() throws {
    let writer = try DatabaseQueue(path: path)
    try writer.write { db in
      try db.execute(
        sql: "CREATE TABLE b (x TEXT); INSERT INTO b VALUES (?), ('short'), (NULL)",
        arguments: [String(repeating: "word ", count: 100_000)])
    }
    try writer.close()
    let database = try ForeignDatabase(path: path)
    var texts: [String?] = []
    try database.rows("SELECT rowid FROM b ORDER BY rowid", []) { row, long in
      guard case .integer(let number) = row[0] else { return false }
      let bytes = long.beginning(of: "x", in: "b", row: number, upTo: 9)
      texts.append(bytes.map { String(decoding: $0, as: UTF8.self) })
      return true
    }
    #expect(texts == ["word word", "short", nil])
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
