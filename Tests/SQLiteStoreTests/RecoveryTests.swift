import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct RecoveryTests {
  private let file: TableStore
  private let model = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        "first", class: First.self, properties: [.attribute(AttributeKey<String>(0, "name"))],
        uniqueness: [["name"]]),
      EntityDescription(
        "second", class: Second.self,
        properties: [
          .attribute(AttributeKey<String>(0, "title")), .attribute(AttributeKey<Int?>(1, "pages")),
          .attribute(AttributeKey<String?>(2, "text")),
          .reference(AttributeKey<ManagedObjectID>(3, "first"), to: "first"),
        ], uniqueness: [["title"]], indexes: [["pages"]]),
    ])
  private var copy: String { file.folder.file("copy.db") }
  private static let pageBytes = 16384

  init() throws {
    file = try TableStore()
    try file.fill(model, [(0, [.text("first")]), (0, [.text("second")])])
    try file.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO second (version, title, pages, text, first)
      SELECT 1, 'Book ' || i, i, hex(zeroblob(CASE i % 500 WHEN 0 THEN 20000 ELSE 50 END)), 1 + i % 2 FROM n
      """)
    try SQLiteStore.detachLog(ofFileAt: file.path)
  }

  /// Recovers what can be read, and checks that the file is the same afterwards.
  private func recover(
    replacement: (String, Int64) -> [String: String]? = { _, _ in nil }
  ) throws -> RecoveryReport {
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    defer {
      #expect((try? Data(contentsOf: URL(fileURLWithPath: file.path))) == before)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: file.folder.path)) ?? []
      #expect(Set(names).isSubset(of: ["store.db", "copy.db"]))
    }
    return try SQLiteStore.recover(
      file.path, to: copy, model: model, identity: TableStore.identity, replacement: replacement)
  }

  private func ask(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: copy).read { db in try String.fetchAll(db, sql: sql) }
  }

  /// Overwrites bytes of the file.
  private func write(_ bytes: [UInt8], at offset: Int) throws {
    let handle = try #require(FileHandle(forWritingAtPath: file.path))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  private func expectIntact() throws {
    #expect(try ask("PRAGMA integrity_check") == ["ok"])
    #expect(try ask("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
    let store = try SQLiteStore(path: copy, model: model, identity: TableStore.identity)
    #expect(try store.findings().damage == [])
    try store.close()
  }

  /// Each commit takes a frame of its own, or more, after a header of 32 bytes.
  @Test(arguments: [(nil, 2003), (1, 2001), (2, 2002), (0, 2000)] as [(Int?, Int)])
  func `pages of the log that are not read are reported`(place: Int?, rows: Int) throws {
    let queue = try DatabaseQueue(path: file.path)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    let damaged = file.folder.file("damaged.db")
    var ends: [Int] = []
    for number in 1...3 {
      let log = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int
      ends.append(log ?? 0)
      try queue.write { db in
        try db.execute(
          sql: "INSERT INTO second (version, title, pages, first) VALUES (1, ?, 1, 1)",
          arguments: ["\(number)"])
      }
    }
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: damaged + ending)
    }
    try queue.close()
    if let place {
      let handle = try #require(FileHandle(forUpdatingAtPath: damaged + "-wal"))
      // The header, or the page of a commit's first frame.
      try handle.seek(toOffset: UInt64(place == 0 ? 16 : ends[place] + 100))
      try handle.write(contentsOf: [0x55, 0x55])
      try handle.close()
    }
    let report = try SQLiteStore.recover(damaged, to: copy, model: model, identity: TableStore.identity)
    #expect((report.unreadLogPages > 0) == (place != nil))
    #expect(report.tables.map(\.copied) == [2, rows])
    try expectIntact()
  }

  @Test func `an intact store is copied whole`() throws {
    let report = try recover()
    #expect(report.damage == [] && report.strayRows == 0 && report.isHistoryWhole)
    #expect(report.tables.map(\.copied) == [2, 2000] && report.tables.map(\.before) == [2, 2000])
    #expect(try ask("SELECT sum(pages) || ' ' || max(length(text)) FROM second") == ["2001000 40000"])
    try expectIntact()
  }

  @Test(arguments: 1..<20) func `around a lost page everything is copied`(page: Int) throws {
    let count = try file.ask("PRAGMA page_count").compactMap(\.self).compactMap(Int.init).first ?? 0
    try #require(count > 20)
    try write([UInt8](repeating: 0, count: Self.pageBytes), at: page * Self.pageBytes)
    let report = try recover { entity, key in entity == "first" ? ["name": "lost \(key)"] : nil }
    let books = report.tables[1]
    // Damage in a part of a long text is not seen.
    #expect(books.before == 2000 && (report.damage != [] || books.copied == 2000))
    #expect(books.copied >= 1700 && books.copied + (books.unreadable ?? 0) + books.refused == 2000)
    #expect(report.tables[0].copied + report.tables[0].replaced == 2)
    try expectIntact()
  }

  @Test(arguments: 15..<25) func `a file without its end is copied up to there`(pages: Int) throws {
    try #require(FileStatus(path: file.path)?.size ?? 0 > 30 * Self.pageBytes)
    try #require(truncate(file.path, off_t(pages * Self.pageBytes + 777)) == 0)
    let books = try recover().tables[1]
    #expect(books.copied > 100 && books.copied <= 2000)
    try expectIntact()
  }

  @Test func `a tree that leads back to an earlier page is read to its end`() throws {
    let root = try #require(
      try file.ask("SELECT rootpage FROM sqlite_master WHERE name = 'second'").compactMap(\.self).first
        .flatMap { Int($0) })
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let page = Array(bytes[(root - 1) * Self.pageBytes..<root * Self.pageBytes])
    // The places of the numbers of the first four pages of rows.
    let cells = (0..<4).map { Int(page[12 + 2 * $0]) << 8 | Int(page[13 + 2 * $0]) }
    let children = cells.map { page[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
    // The third page is the first one, and the fourth is lost: rows were read again and again up to there.
    try write(Array(page[cells[0]..<cells[0] + 4]), at: (root - 1) * Self.pageBytes + cells[2])
    try write([UInt8](repeating: 0, count: Self.pageBytes), at: (children[3] - 1) * Self.pageBytes)
    let books = try recover().tables[1]
    #expect(books.copied > 1000 && books.copied <= 2000)
    try expectIntact()
  }

  @Test(arguments: [0, 3, 31]) func `rows are counted where a sector of a page is lost`(sector: Int) throws {
    let root = try #require(
      try file.ask("SELECT rootpage FROM sqlite_master WHERE name = 'second'").compactMap(\.self).first
        .flatMap { Int($0) })
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let page = Array(bytes[(root - 1) * Self.pageBytes..<root * Self.pageBytes])
    let cell = Int(page[12]) << 8 | Int(page[13])
    let child = page[cell..<cell + 4].reduce(0) { $0 << 8 | Int($1) }
    try write([UInt8](repeating: 0, count: 512), at: (child - 1) * Self.pageBytes + sector * 512)
    let report = try recover()
    let books = report.tables[1]
    #expect(report.damage != [] && books.before == 2000 && books.copied < 2000 && books.copied > 1700)
    try expectIntact()
  }

  @Test func `a definition without a type, name or table is left out`() throws {
    try file.run(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (NULL, 1, 8, 0, '18'), ('view', NULL, NULL, 0, NULL)
      """)
    let report = try recover()
    #expect(report.tables.map(\.copied) == [2, 2000] && report.damage != [])
    try expectIntact()
  }

  @Test func `statements in the list of definitions write no other file`() throws {
    let other = file.folder.file("other.db")
    try file.run(
      """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES
        ('view', 'a', 'a', 0, 'ATTACH "\(other)" AS other'),
        ('view', 'b', 'b', 0, 'CREATE TABLE other.t (a)'), ('view', 'c', 'c', 0, 'VACUUM INTO "\(other)"')
      """)
    #expect(try recover().tables.map(\.copied) == [2, 2000])
    #expect(FileStatus(path: other) == nil)
  }

  @Test func `a damaged store of an older version is migrated`() throws {
    let newer = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "first", class: First.self,
          properties: [
            .attribute(AttributeKey<String>(0, "name")), .attribute(AttributeKey<String?>(1, "note")),
          ], uniqueness: [["name"]]),
        model.entities[1],
      ])
    try write([UInt8](repeating: 0, count: Self.pageBytes), at: 9 * Self.pageBytes)
    let report = try SQLiteStore.recover(file.path, to: copy, model: newer, identity: TableStore.identity)
    #expect(report.tables[0].copied == 2 && report.tables[1].copied > 1700)
    #expect(try ask("SELECT count(*) FROM first WHERE note IS NULL") == ["2"])
  }

  @Test func `texts that are not UTF-8 are damage`() throws {
    try file.run("UPDATE second SET text = CAST(x'61AAAA62' AS TEXT) WHERE id = 7")
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let damage = ["row 7 of second: text is not UTF-8, so its bytes are damaged"]
    let store = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try store.findings().damage == damage)
    try store.close()
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let report = try recover()
    #expect(report.damage == damage && report.tables.map(\.copied) == [2, 2000])
    #expect(try ask("SELECT text FROM second WHERE id = 7") == ["a\u{FFFD}\u{FFFD}b"])
    try expectIntact()
  }

  @Test func `keys of deleted rows are not given again`() throws {
    try file.run("DELETE FROM second WHERE id > 1990")
    try SQLiteStore.detachLog(ofFileAt: file.path)
    #expect(try recover().tables.map(\.copied) == [2, 1990])
    #expect(try ask("SELECT seq FROM sqlite_sequence WHERE name = 'second'") == ["2000"])
  }

  @Test func `a store without its header is copied whole`() throws {
    try write([UInt8](repeating: 0, count: 100), at: 0)
    #expect(try recover().tables.map(\.copied) == [2, 2000])
    try expectIntact()
  }

  @Test(arguments: [1024, 4096, 16384]) func `a store without its first page is copied whole`(bytes: Int)
    throws
  {
    var random = SeededGenerator(seed: 1)
    try write((0..<bytes).map { _ in .random(in: 0...255, using: &random) }, at: 0)
    let report = try recover()
    #expect(report.tables.map(\.copied) == [2, 2000])
    try expectIntact()
  }

  @Test func `rows of a table that began elsewhere are found without the first page`() throws {
    try file.run("DROP INDEX first_unique0")
    try DatabaseQueue(path: file.path).vacuum()
    try SQLiteStore.detachLog(ofFileAt: file.path)
    try write([UInt8](repeating: 7, count: Self.pageBytes), at: 0)
    let report = try recover { entity, key in entity == "first" ? ["name": "lost \(key)"] : nil }
    #expect(report.tables[1].copied == 2000)
    try expectIntact()
  }

  @Test(
    arguments: [
      (28, [0, 0, 0, 2]), (18, [7, 7]), (56, [0, 0, 0, 2]), (44, [0, 0, 0, 9]), (20, [9]),
    ] as [(Int, [UInt8])])
  func `a store with a damaged value in its header is copied whole`(offset: Int, bytes: [UInt8]) throws {
    try write(bytes, at: offset)
    let report = try recover()
    #expect(report.tables.map(\.copied) == [2, 2000])
    try expectIntact()
  }

  @Test(arguments: [
    "DROP TABLE second",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE second (garbage' WHERE name = 'second'",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE second (id INTEGER PRIMARY KEY, version)' WHERE name = 'second'",
  ])
  func `a damaged definition of one table keeps no other from being copied`(sql: String) throws {
    try file.run("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; \(sql)")
    let report = try recover()
    #expect(report.tables[0].copied == 2 && report.tables[1].copied == (sql.hasPrefix("DROP") ? 0 : 2000))
    try expectIntact()
  }

  @Test func `rows are found although their table's definition leads to another table`() throws {
    try file.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'first') WHERE name = 'second'
      """)
    let report = try recover()
    #expect(report.tables.map(\.copied) == [2, 2000])
    try expectIntact()
  }

  @Test func `a table without its definition is copied`() throws {
    try file.run("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE tbl_name = 'second'")
    try SQLiteStore.detachLog(ofFileAt: file.path)
    #expect(try recover().tables.map(\.copied) == [2, 2000])
    try expectIntact()
  }

  @Test func `rows that refer to a lost one are left out if nothing replaces it`() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: file.path, configuration: configuration).write { db in
      try db.execute(sql: "DELETE FROM first WHERE id = 2")
    }
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let report = try recover()
    #expect(report.tables[1].copied == 1000 && report.tables[1].refused == 1000)
    try expectIntact()
  }

  @Test func `values of a wrong type are left out, and rows that need them`() throws {
    try file.run("UPDATE second SET pages = x'01' WHERE id = 3; UPDATE second SET title = x'02' WHERE id = 4")
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let store = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(
      try store.findings().damage == [
        "row 3 of second: pages is of type blob instead of integer",
        "row 4 of second: title is of type blob instead of text",
      ])
    try store.close()
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let report = try recover()
    #expect(report.tables[1].emptied == 1 && report.tables[1].refused == 1 && report.tables[1].copied == 1999)
    #expect(try ask("SELECT title FROM second WHERE pages IS NULL") == ["Book 3"])
    try expectIntact()
  }

  @Test(arguments: ["", "no database", String(repeating: "no database ", count: 5000)])
  func `a file in which nothing can be read is refused, and leaves no copy`(text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(throws: StoreError.self) { try recover() }
    #expect(FileStatus(path: copy) == nil)
  }

  @Test func `an existing file is not replaced`() throws {
    try Data("mine".utf8).write(to: URL(fileURLWithPath: copy))
    #expect(throws: StoreError.cannotOpen("\(copy) already exists")) { try recover() }
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
  }

  @Test func `missing indexes are found, which are no damage`() throws {
    try file.run("DROP INDEX second_index0")
    let store = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    let findings = try store.findings()
    #expect(findings.damage == [] && findings.missingIndexes == ["second_index0"])
    try file.run("DROP INDEX second_unique0")
    #expect(try store.findings().damage == ["the index second_unique0 is missing"])
  }
}
