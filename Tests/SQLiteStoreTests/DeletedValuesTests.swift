import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// The values of deleted objects that the history keeps.
@Suite struct DeletedValuesTests {
  private let file: TableStore
  private let model = DeletedValuesTests.model(1)

  init() throws {
    file = try TableStore()
  }

  /// Entity 0 keeps its titles and groups, in this order, and entity 1 keeps nothing.
  private static func model(_ version: Int, title: String = "title", formerly: String? = nil)
    -> ManagedObjectModel
  {
    var kept = HistoryOptions()
    kept.deletedValues = [title, "group"]
    return ManagedObjectModel(
      version: version,
      entities: [
        EntityDescription(
          "first", class: First.self,
          properties: [
            .attribute(AttributeKey<Int?>(0, "size")),
            .reference(AttributeKey<ManagedObjectID?>(1, "group"), to: "second"),
            .attribute(AttributeKey<String?>(2, title), renamedFrom: formerly),
          ], history: kept),
        EntityDescription(
          "second", class: Second.self, properties: [.attribute(AttributeKey<String>(0, "name"))]),
      ])
  }

  private func row(_ title: AttributeValue, group: Int64?) -> (entity: EntityIndex, values: [AttributeValue])
  {
    (0, [.integer(1), group.map { .reference(file.id(1, $0)) } ?? .null, title])
  }

  private func fill(_ store: SQLiteStore) throws {
    try store.insert([(1, [.text("g")]), (1, [.text("h")])])
    try store.insert([row(.text("a"), group: 1), row(.null, group: nil), row(.text("c\0é"), group: 2)])
  }

  private func deleting(_ ids: [ManagedObjectID], author: String? = nil, version: Int64 = 1) -> ChangeSet {
    var changes = ChangeSet(mergePolicy: .error, author: author)
    changes.deletions = ids.map { .init(id: $0, version: version) }
    return changes
  }

  private func newest(_ store: SQLiteStore) throws -> HistoryTransaction {
    try #require(try store.history(after: nil).last)
  }

  @Test func `a deleted object's values are in the transaction, in the order of the option`() throws {
    let store = try file.open(model)
    try fill(store)
    _ = try store.write([deleting([file.id(0, 1), file.id(0, 2)])])[0].get()
    let transaction = try newest(store)
    #expect(transaction.changes.deleted == [file.id(0, 1), file.id(0, 2)])
    #expect(
      transaction.deletedValues == [
        file.id(0, 1): [.text("a"), .reference(file.id(1, 1))], file.id(0, 2): [.null, .null],
      ])
  }

  @Test func `a batch that deletes keeps the same values`() throws {
    let store = try file.open(model)
    try fill(store)
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.delete(BatchDelete(entity: 0, predicate: .compare(0, .equal, .integer(1))))]
    let result = try store.write([changes])[0].get()
    #expect(result.changes.deleted.count == 3)
    #expect(
      try newest(store).deletedValues == [
        file.id(0, 1): [.text("a"), .reference(file.id(1, 1))], file.id(0, 2): [.null, .null],
        file.id(0, 3): [.text("c\0é"), .reference(file.id(1, 2))],
      ])
  }

  @Test func `an entity without the option keeps nothing, and its transactions have the old format`() throws {
    let store = try file.open(model)
    try fill(store)
    _ = try store.write([deleting([file.id(0, 1), file.id(0, 3)])])[0].get()
    _ = try store.write([deleting([file.id(1, 1)])])[0].get()
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.delete(BatchDelete(entity: 1, predicate: nil))]
    _ = try store.write([changes])[0].get()
    #expect(try store.history(after: nil).map(\.deletedValues.count) == [0, 0, 2, 0, 0])
    #expect(
      try file.ask("SELECT hex(substr(changes, 1, 1)) FROM persistent_history ORDER BY token")
        == ["01", "01", "02", "01", "01"])
  }

  @Test func `each author's transaction has the values of its own deletions`() throws {
    let store = try file.open(model)
    try fill(store)
    let group = [deleting([file.id(0, 1)], author: "x"), deleting([file.id(0, 2)], author: "y")]
    for result in store.write(group) { _ = try result.get() }
    let deleted = try store.history(after: nil).suffix(2).map { Set($0.deletedValues.keys) }
    #expect(deleted == [[file.id(0, 1)], [file.id(0, 2)]])
  }

  @Test func `a deletion of a changed row deletes nothing and keeps nothing`() throws {
    let store = try file.open(model)
    try fill(store)
    #expect(throws: StoreError.self) { try store.write([deleting([file.id(0, 1)], version: 9)])[0].get() }
    #expect(try store.history(after: nil).count == 2)
    #expect(try store.count(StoreQuery(entity: 0)) == 3)
  }

  @Test func `a later model reads the values under the new names`() throws {
    let store = try file.open(model)
    try fill(store)
    _ = try store.write([deleting([file.id(0, 1)])])[0].get()
    let later = try file.open(Self.model(2, title: "caption", formerly: "title"))
    #expect(try newest(later).deletedValues == [file.id(0, 1): [.text("a"), .reference(file.id(1, 1))]])
    let without = try file.open(Self.model(3, title: "headline"))
    #expect(try newest(without).deletedValues == [file.id(0, 1): [.null, .reference(file.id(1, 1))]])
  }

  @Test func `a later model without the entity skips its values`() throws {
    let store = try file.open(model)
    try fill(store)
    _ = try store.write([deleting([file.id(0, 1), file.id(0, 3)])])[0].get()
    _ = try store.write([deleting([file.id(1, 1)])])[0].get()
    let later = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "second", class: Second.self, properties: [.attribute(AttributeKey<String>(0, "name"))])
      ])
    let history = try file.open(later).history(after: nil)
    #expect(history.map(\.changes.deleted) == [[], [], [], [file.id(0, 1)]])
    #expect(!history.contains { !$0.deletedValues.isEmpty })
  }

  @Test func `a store without history keeps no values`() throws {
    var options = SQLiteStoreOptions()
    options.keepsHistory = false
    let store = try SQLiteStore(
      path: file.path, model: model, identity: TableStore.identity, options: options)
    try fill(store)
    #expect(try store.write([deleting([file.id(0, 1)])])[0].get().changes.deleted == [file.id(0, 1)])
  }
}
