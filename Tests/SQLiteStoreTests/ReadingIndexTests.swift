import Foundation
import GRDB
import ManagedContext
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
    try file.ask("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name")
  }

  private static let all = ["first_index0", "first_index1", "first_unique0"]

  private func books(_ titles: String...) -> [(entity: EntityIndex, values: [AttributeValue])] {
    titles.enumerated().map { (0, [.text($0.element), .integer(Int64($0.offset))]) }
  }

  @Test func `an empty table is loaded without the indexes that only readers need, and has them afterwards`()
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

  @Test func `a table with rows keeps its indexes while more are loaded`() throws {
    try file.fill(model, books("Orlando"))
    let store = try file.open(model)
    store.beginBulkLoad()
    #expect(try indexes() == Self.all)
    store.endBulkLoad()
  }

  @Test
  func `a store whose load was cut is read as it is, and has its indexes once it is opened for writing`()
    throws
  {
    try file.fill(model, books("Orlando", "Flush"))
    try file.run("DROP INDEX first_index0; DROP INDEX first_index1")
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.count(StoreQuery(entity: 0)) == 2)
    #expect(try indexes() == ["first_unique0"])
    #expect(try file.open(model).count(StoreQuery(entity: 0)) == 2)
    #expect(try indexes() == Self.all)
  }

  @Test(arguments: [
    ("DROP INDEX first_unique0", "a rule is missing"),
    ("DROP INDEX first_index0; CREATE INDEX first_index0 ON first(pages)", "it is another one"),
  ]) func `an index that no load leaves out is not made up for`(change: String, why: String) throws {
    try file.fill(model, books("Orlando"))
    try file.run(change)
    #expect(throws: StoreError.self, "\(why)") { try file.open(model) }
  }

  @Test func `indexes by which referring rows are found stay`() {
    let entity = EntityDescription(
      "visit", class: First.self,
      properties: [
        .attribute(AttributeKey<Int>(0, "day")),
        .reference(AttributeKey<ManagedObjectID>(1, "place"), to: "first"),
      ], indexes: [["place", "day"], ["day", "place"]])
    #expect(ReadingIndexes.of(entity).map(\.name) == ["visit_index1"])
  }
}
