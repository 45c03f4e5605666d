import Foundation
import GRDB
import ManagedContext
import SQLStatements
@testable import SQLiteStore
import TestSupport
import Testing

@Suite struct ReadingIndexTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(
    1, [.attribute(AttributeKey<String>(0, "title")), .attribute(AttributeKey<Int>(1, "pages"))],
    uniqueness: [["title"]], indexes: [["pages", "title"], ["title"]])

  init() throws {
    file = try TableStore()
  }

  private func indexes() throws -> [String?] {
    try file.ask("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'first' ORDER BY name")
  }

  private static let all = ["first_index0", "first_index1", "first_unique0"]

  private func books(_ titles: String...) -> [(entity: EntityIndex, values: [AttributeValue])] {
    titles.enumerated().map { (0, [.text($0.element), .integer(Int64($0.offset))]) }
  }

  @Test func `an empty table is loaded without the indexes for queries, which are added afterwards`()
    throws
  {
    let store = try file.open(model)
    #expect(try indexes() == Self.all)
    store.beginBulkLoad()
    try store.insert(books("Orlando", "Flush"))
    #expect(try indexes() == ["first_unique0"])
    store.endBulkLoad()
    #expect(try indexes() == Self.all)
    try store.close()
    #expect(try file.ask("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a table with rows keeps its indexes during a load`() throws {
    try file.fill(model, books("Orlando"))
    let store = try file.open(model)
    store.beginBulkLoad()
    #expect(try indexes() == Self.all)
    store.endBulkLoad()
  }

  @Test func `an interrupted store can be read, and gets its indexes from the next program that writes`()
    throws
  {
    try file.fill(model, books("Orlando", "Flush"))
    try file.run("DROP INDEX first_index0; DROP INDEX first_index1")
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.count(StoreQuery(entity: 0)) == 2)
    try reader.close()
    #expect(try indexes() == ["first_unique0"])
    let store = try file.open(model)
    #expect(try store.count(StoreQuery(entity: 0)) == 2)
    #expect(try indexes() == ["first_unique0"], "opening is not delayed")
    try store.close()
    #expect(try indexes() == Self.all)
  }

  @Test func `a store is checked while another process adds its indexes`() throws {
    try file.fill(model, books("Orlando"))
    try file.run("DROP INDEX first_index0; DROP INDEX first_index1")
    let other = try DatabaseQueue(path: file.path)
    let model = model
    try DatabaseQueue(path: file.path).inDatabase { db in
      db.trace { event in
        // The check has read the indexes, and asks now whether the names of missing ones are free.
        guard event.description.contains("SELECT EXISTS") else { return }
        try? other.writeWithoutTransaction { db in try ReadingIndexes.makeMissing(model, in: db) }
      }
      try Schema.check(model, path: file.path, in: db)
    }
    #expect(try indexes() == Self.all)
  }

  @Test func `creating an index waits for no writer and no reader`() throws {
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert(books("Orlando"))
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: file.path, configuration: configuration)
    // A reader prevents a change of the journal mode.
    try other.inDatabase { db in try db.execute(sql: "BEGIN; SELECT * FROM first") }
    store.endBulkLoad()
    #expect(try indexes() == ["first_unique0"])
    try other.inDatabase { db in try db.execute(sql: "COMMIT; BEGIN IMMEDIATE") }
    try store.close()
    try other.inDatabase { db in try db.execute(sql: "COMMIT") }
    #expect(try indexes() == ["first_unique0"])
    try file.open(model).close()
    #expect(try indexes() == Self.all)
  }

  @Test(arguments: [
    ("DROP INDEX first_unique0", "a rule is missing"),
    ("DROP INDEX first_index0; CREATE INDEX first_index0 ON first(pages)", "it is another one"),
    ("DROP INDEX first_index0; CREATE INDEX First_Index0 ON first(pages)", "in another case"),
    ("DROP INDEX first_index0; CREATE VIEW first_index0 AS SELECT 1", "it is no index"),
  ]) func `an index that a load does not leave out is not added later`(change: String, why: String) throws {
    try file.fill(model, books("Orlando"))
    try file.run(change)
    #expect(throws: StoreError.self, "\(why)") { try file.open(model) }
  }

  @Test func `indexes for finding referring rows stay`() {
    let entity = EntityDescription(
      "visit", class: Visit.self,
      properties: [
        .attribute(AttributeKey<Int>(0, "day")),
        .reference(AttributeKey<ManagedObjectID>(1, "place"), to: "first"),
      ], indexes: [["place", "day"], ["day", "place"]])
    #expect(ReadingIndexes.of(entity).map(\.name) == ["visit_index1"])
  }
}
