import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// The part of the history that contains changes of followed entities.
@Suite struct FollowedHistoryTests {
  private let file: TableStore
  private let model = FollowedHistoryTests.model(1)

  init() throws {
    file = try TableStore()
  }

  /// Entity 0 is followed, entity 1 is not.
  private static func model(_ version: Int) -> ManagedObjectModel {
    var followed = HistoryOptions()
    followed.isFollowed = true
    return ManagedObjectModel(
      version: version,
      entities: [
        EntityDescription(
          "first", class: First.self, properties: [.attribute(AttributeKey<String>(0, "title"))],
          history: followed),
        EntityDescription(
          "second", class: Second.self, properties: [.attribute(AttributeKey<String>(0, "title"))]),
      ])
  }

  private func add(_ entities: [EntityIndex], to store: SQLiteStore) throws {
    for entity in entities { try store.insert([(entity, [.text("a")])]) }
  }

  private func numbers(_ part: HistoryPart) -> [Int64] { part.transactions.map(\.token.number) }

  @Test func `a part contains the followed transactions and continues after all others`() throws {
    let store = try file.open(model)
    #expect(try store.followedHistory(after: nil, limit: 10).end == nil)
    try add([1, 0, 1, 1, 0, 0, 1], to: store)
    let all = try store.history(after: nil)
    #expect(all.map(\.isFollowed) == [false, true, false, false, true, true, false])
    let first = try store.followedHistory(after: nil, limit: 2)
    #expect(numbers(first) == [2, 5])
    #expect(first.end == all[4].token)
    let second = try store.followedHistory(after: first.end, limit: 2)
    #expect(numbers(second) == [6])
    #expect(second.end == all[6].token)
    let third = try store.followedHistory(after: second.end, limit: 2)
    #expect(numbers(third) == [] && third.end == all[6].token)
    #expect(throws: StoreError.history(.foreign(oldest: all[0].token))) {
      try store.followedHistory(after: HistoryToken(7, check: 7), limit: 1)
    }
  }

  @Test func `updates and deletions of followed entities are followed`() throws {
    let store = try file.open(model)
    try add([0, 1], to: store)
    for entity: EntityIndex in [0, 1] {
      var changes = ChangeSet(mergePolicy: .error)
      let id = file.id(entity, 1)
      changes.updates = [.init(id: id, edited: [0], values: [.text("b")], base: [.text("a")], version: 1)]
      _ = try store.write([changes])[0].get()
      changes = ChangeSet(mergePolicy: .error)
      changes.deletions = [.init(id: id, version: 2)]
      _ = try store.write([changes])[0].get()
    }
    #expect(numbers(try store.followedHistory(after: nil, limit: 10)) == [1, 3, 4])
  }

  @Test func `transactions that are not followed are not decoded`() throws {
    let store = try file.open(model)
    try add([1, 0, 1], to: store)
    try file.run("UPDATE persistent_history SET changes = x'FF' WHERE token <> 2")
    #expect(numbers(try store.followedHistory(after: nil, limit: 10)) == [2])
  }

  @Test func `the followed transactions are found by an index`() throws {
    let store = try file.open(model)
    try add([1, 0], to: store)
    let plan = try file.plan(
      "SELECT changes FROM persistent_history WHERE token > 0 AND followed <> 0 ORDER BY token")
    #expect(plan.contains { $0.contains("persistent_history_followed") }, "\(plan)")
  }

  @Test func `all transactions of an earlier version count as followed`() throws {
    try add([1, 0], to: try file.open(model))
    let before = try file.open(model).history(after: nil).map(\.token)
    try file.run(
      """
      CREATE TABLE old AS SELECT * FROM persistent_history;
      DROP TABLE persistent_history;
      CREATE TABLE persistent_history (token INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL, author TEXT, \
      process INTEGER NOT NULL, changes BLOB NOT NULL);
      INSERT INTO persistent_history SELECT token, date, author, process, changes FROM old;
      DROP TABLE old;
      """)
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(numbers(try reader.followedHistory(after: nil, limit: 10)) == [1, 2])
    try reader.close()
    let store = try file.open(model)
    try add([1, 0], to: store)
    // The statement of an earlier version.
    try file.run("INSERT INTO persistent_history (date, process, changes) VALUES (1, 1, x'01')")
    #expect(numbers(try store.followedHistory(after: before[0], limit: 10)) == [2, 4, 5])
    #expect(try store.history(after: nil).map(\.token.number) == [1, 2, 3, 4, 5])
  }

  @Test func `the flag survives a migration, a backup and vacuum`() throws {
    let store = try file.open(model)
    try add([1, 0], to: store)
    try store.vacuum()
    let copy = file.folder.file("copy.db")
    try store.backup(to: copy)
    let restored = try SQLiteStore(path: copy, model: Self.model(2), identity: TableStore.identity)
    #expect(numbers(try restored.followedHistory(after: nil, limit: 10)) == [2])
  }

  @Test func `a store without a method of its own filters its whole history`() throws {
    let store = FilteringStore()
    let part = try store.followedHistory(after: nil, limit: 2)
    #expect(numbers(part) == [2, 4] && part.end == HistoryToken(4))
    let rest = try store.followedHistory(after: part.end, limit: 2)
    #expect(numbers(rest) == [6] && rest.end == HistoryToken(7))
    #expect(try store.followedHistory(after: rest.end, limit: 2).end == rest.end)
  }
}

/// A store with seven transactions, of which those with even numbers are followed.
private final class FilteringStore: PersistentStore {
  let name = "filtering"
  let number = StoreNumber.unique()

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    RowBatch(entity: query.entity, columns: [])
  }
  func count(_ query: StoreQuery) throws(StoreError) -> Int { 0 }
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] { [] }

  func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    (1...7).filter { $0 > token?.number ?? 0 }.map { number in
      HistoryTransaction(
        token: HistoryToken(number), date: Date(timeIntervalSince1970: 0), author: nil,
        changes: ContextChanges(),
        isFollowed: number.isMultiple(of: 2))
    }
  }
}
