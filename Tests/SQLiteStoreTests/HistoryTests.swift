import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing
import Threading

@Suite struct HistoryTests {
  private let file: TableStore
  private let clock = Locked(Date(timeIntervalSince1970: 1_000_000))
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  private func open(
    _ model: ManagedObjectModel? = nil, keepsHistory: Bool = true, retention: TimeInterval = 100
  ) throws(StoreError) -> SQLiteStore {
    var options = SQLiteStoreOptions()
    options.keepsHistory = keepsHistory
    options.historyRetention = retention
    options.now = { [clock] in clock.withLock { $0 } }
    return try SQLiteStore(
      path: file.path, model: model ?? self.model, identity: TableStore.identity, options: options)
  }

  private func pass(_ seconds: TimeInterval) {
    clock.withLock { $0 += seconds }
  }

  private func title(_ text: String) -> [(entity: EntityIndex, values: [AttributeValue])] {
    [(0, [.text(text)])]
  }

  private func inserting(_ text: String, author: String?) -> ChangeSet {
    var changes = ChangeSet(mergePolicy: .error, author: author)
    changes.insertions = [.init(id: ManagedObjectID(entity: 0, store: .none, key: -1), values: [.text(text)])]
    return changes
  }

  private func id(_ key: Int64) -> ManagedObjectID { file.id(0, key) }

  private final class Book: ManagedObject {
    override class var entityName: String { "book" }
  }

  private final class Lock: ManagedObject {
    override class var entityName: String { "lock" }
  }

  @Test func `changes of objects without history are not recorded`() throws {
    var options = HistoryOptions()
    options.isRecorded = false
    let store = try open(
      ManagedObjectModel(
        version: 1,
        entities: [
          EntityDescription(
            "book", class: Book.self, properties: [.attribute(AttributeKey<String>(0, "title"))]),
          EntityDescription(
            "lock", class: Lock.self, properties: [.attribute(AttributeKey<String>(0, "title"))],
            history: options),
        ]))
    try store.insert([(1, [.text("a")])], author: nil)
    #expect(try store.history(after: nil).isEmpty)
    try store.insert([(0, [.text("a")]), (1, [.text("b")])], author: nil)
    #expect(try store.history(after: nil).map(\.changes.inserted) == [[id(1)]])
  }

  @Test func `each transaction has its time, its author and its changes`() throws {
    let store = try open()
    #expect(try store.currentHistoryToken() == nil)
    try store.insert(title("a"), author: "import")
    pass(5)
    var changes = ChangeSet(mergePolicy: .error)
    changes.updates = [.init(id: id(1), edited: [0], values: [.text("b")], base: [.text("a")], version: 1)]
    _ = try store.write([changes])[0].get()
    changes = ChangeSet(mergePolicy: .error, author: "cleaner")
    changes.deletions = [.init(id: id(1), version: 2)]
    _ = try store.write([changes])[0].get()

    let history = try store.history(after: nil)
    #expect(history.map(\.token.number) == [1, 2, 3])
    #expect(history.map(\.author) == ["import", nil, "cleaner"])
    #expect(history.map(\.date.timeIntervalSince1970) == [1_000_000, 1_000_005, 1_000_005])
    #expect(
      history.map(\.changes) == [
        ContextChanges(inserted: [id(1)]), ContextChanges(updated: [id(1): AttributeSet(index: 0)]),
        ContextChanges(deleted: [id(1)]),
      ])
    #expect(try store.currentHistoryToken()?.number == 3)
    #expect(try store.history(after: HistoryToken(2)).map(\.token.number) == [3])
  }

  @Test func `saves of one transaction share a history row if they have the same author`() throws {
    let store = try open()
    let group = [("a", "x"), ("b", "x"), ("c", "y"), ("d", nil), ("e", "x")].map { inserting($0, author: $1) }
    for result in store.write(group) { _ = try result.get() }
    let history = try store.history(after: nil)
    #expect(history.map(\.author) == ["x", "y", nil, "x"])
    #expect(history.map(\.changes.inserted) == [[id(1), id(2)], [id(3)], [id(4)], [id(5)]])
  }

  @Test func `a save that fails or changes nothing adds no history row`() throws {
    let store = try open()
    var failing = inserting("a", author: nil)
    failing.updates = [.init(id: id(9), edited: [0], values: [.text("")], base: [.text("")], version: 1)]
    #expect(throws: StoreError.self) { try store.write([failing])[0].get() }
    _ = try store.write([ChangeSet(mergePolicy: .error)])[0].get()
    #expect(try store.history(after: nil).isEmpty)
  }

  @Test func `purged transactions are gone, except the newest, and their numbers are not reused`() throws {
    let store = try open()
    for text in ["a", "b", "c"] { try store.insert(title(text)) }
    try store.purgeHistory(before: HistoryToken(3))
    #expect(try store.history(after: nil).map(\.token.number) == [3])
    try store.purgeHistory(before: HistoryToken(.max))
    #expect(try store.history(after: nil).map(\.token.number) == [3])
    #expect(try store.currentHistoryToken()?.number == 3)
    try store.insert(title("d"))
    #expect(try store.history(after: HistoryToken(3)).map(\.token.number) == [4])
  }

  @Test func `the first write and later ones purge old transactions except the last one`() throws {
    let first = try open()
    try first.insert(title("a"))
    pass(99)
    try first.insert(title("b"))
    pass(2)
    let second = try open()
    #expect(try second.history(after: nil).count == 2)
    try second.insert(title("c"))
    #expect(try second.history(after: nil).map(\.token.number) == [1, 2, 3])
    pass(99)
    try second.insert(title("d"))
    #expect(try second.history(after: nil).map(\.token.number) == [1, 2, 3, 4])
    pass(1)
    try second.insert(title("e"))
    #expect(try second.history(after: nil).map(\.token.number) == [2, 3, 4, 5])
  }

  @Test func `after a failed first write the next one purges`() throws {
    try open().insert(title("a"))
    try open().insert(title("b"))
    pass(1000)
    try open(retention: 10_000).insert(title("of now"))
    let store = try open()
    var failing = ChangeSet(mergePolicy: .error)
    failing.updates = [.init(id: id(9), edited: [0], values: [.text("")], base: [.text("")], version: 1)]
    #expect(throws: StoreError.self) { try store.write([failing])[0].get() }
    #expect(try store.history(after: nil).count == 3)
    try store.insert(title("c"))
    #expect(try store.history(after: nil).map(\.token.number) == [2, 3, 4])
  }

  @Test func `a store can be configured without history`() throws {
    let store = try open(keepsHistory: false)
    try store.insert(title("a"))
    #expect(try store.history(after: nil).isEmpty)
    #expect(try store.currentHistoryToken() == nil)
    try store.purgeHistory(before: HistoryToken(1))
    #expect(try file.ask("SELECT name FROM sqlite_master WHERE name = 'persistent_history'").isEmpty)
  }

  @Test func `a file from before the history gets one`() throws {
    try open(keepsHistory: false).insert(title("a"))
    let store = try open()
    try store.insert(title("b"))
    #expect(try store.history(after: nil).map(\.changes) == [ContextChanges(inserted: [id(2)])])
  }

  @Test func `the history survives a migration`() throws {
    try open().insert(title("a"))
    let renamed = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "second", class: Second.self, properties: [.attribute(AttributeKey<Int?>(0, "other"))]),
        EntityDescription(
          "third", class: Third.self, properties: [.attribute(AttributeKey<String>(0, "title"))],
          renamedFrom: "first"),
      ])
    let inserted = try open(renamed).history(after: nil).map(\.changes.inserted)
    #expect(inserted == [[file.id(1, 1)]])
  }

  @Test func `a damaged transaction causes an error that names it`() throws {
    let store = try open()
    try store.insert(title("a"))
    try file.run("UPDATE persistent_history SET changes = x'01FFFF'")
    #expect { try store.history(after: nil) } throws: { error in
      if case StoreError.corrupt(let cause) = error { cause.contains("transaction 1") } else { false }
    }
  }
}
