import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing
import Threading

/// The verification of tokens by the store that they come from.
@Suite struct HistoryTokenCheckTests {
  private let file: TableStore
  private let clock = Locked(Date(timeIntervalSince1970: 1_000_000))
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  private func open(_ model: ManagedObjectModel? = nil, path: String? = nil) throws(StoreError) -> SQLiteStore
  {
    var options = SQLiteStoreOptions()
    options.historyRetention = 100
    options.now = { [clock] in clock.withLock { $0 } }
    return try SQLiteStore(
      path: path ?? file.path, model: model ?? self.model, identity: TableStore.identity, options: options)
  }

  private func add(_ count: Int, to store: SQLiteStore) throws {
    for number in 0..<count { try store.insert([(0, [.text("\(number)")])]) }
  }

  private func tokens(_ store: SQLiteStore) throws -> [HistoryToken] {
    try store.history(after: nil).map(\.token)
  }

  @Test func `each transaction has another checksum, which every reader of the file computes`() throws {
    let store = try open()
    try add(3, to: store)
    let tokens = try tokens(store)
    #expect(Set(tokens.map(\.check)).count == 3 && !tokens.contains { $0.check == nil })
    #expect(try store.currentHistoryToken() == tokens[2])
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try self.tokens(reader) == tokens)
    #expect(try reader.history(after: tokens[1]).map(\.token) == [tokens[2]])
  }

  @Test func `a token stays valid after closing, vacuum and a migration, and in a backup`() throws {
    let store = try open()
    try add(3, to: store)
    let tokens = try tokens(store)
    let copy = file.folder.file("copy.db")
    try store.backup(to: copy)
    try store.vacuum()
    #expect(try store.history(after: tokens[0]).map(\.token) == Array(tokens[1...]))
    try store.close()
    #expect(try open(path: copy).history(after: tokens[0]).map(\.token) == Array(tokens[1...]))
    let newer = ManagedObjectModel.one(
      2, [.attribute(AttributeKey<String>(0, "title")), .attribute(AttributeKey<Int?>(1, "size"))])
    #expect(try open(newer).history(after: tokens[0]).map(\.token) == Array(tokens[1...]))
  }

  @Test func `a token of another store is found out`() throws {
    let (store, other) = (try open(), try open(path: file.folder.file("other.db")))
    try add(3, to: store)
    try add(2, to: other)
    let (tokens, others) = (try tokens(store), try tokens(other))
    for token in [others[1], HistoryToken(4, check: 1), HistoryToken(-1, check: 1)] {
      #expect(throws: StoreError.history(.foreign(oldest: tokens[0]))) { try store.history(after: token) }
    }
    let empty = try open(path: file.folder.file("empty.db"))
    #expect(throws: StoreError.history(.foreign(oldest: nil))) { try empty.history(after: tokens[0]) }
  }

  @Test func `a token that is newer than a restored backup is found out`() throws {
    let store = try open()
    try add(2, to: store)
    let copy = file.folder.file("copy.db")
    try store.backup(to: copy)
    try add(1, to: store)
    let tokens = try tokens(store)
    let restored = try open(path: copy)
    #expect(throws: StoreError.history(.foreign(oldest: tokens[0]))) {
      try restored.history(after: tokens[2])
    }
    try add(2, to: restored)
    #expect(throws: StoreError.history(.foreign(oldest: tokens[0]))) {
      try restored.history(after: tokens[2])
    }
    #expect(try restored.history(after: tokens[1]).map(\.token.number) == [3, 4])
  }

  @Test func `a purged token is found out, and the oldest valid one is named`() throws {
    let store = try open()
    try add(4, to: store)
    let tokens = try tokens(store)
    try store.purgeHistory(before: tokens[2])
    #expect(throws: StoreError.history(.purged(oldest: tokens[2]))) { try store.history(after: tokens[1]) }
    #expect(try store.history(after: tokens[2]).map(\.token) == [tokens[3]])
    #expect(try store.history(after: HistoryToken(0)).map(\.token) == Array(tokens[2...]))
    // Without a checksum nothing is verified.
    #expect(try store.history(after: HistoryToken(1)).map(\.token) == Array(tokens[2...]))
  }

  @Test func `a token that was the newest one within the retention stays valid`() throws {
    let store = try open()
    try add(2, to: store)
    let newest = try #require(try store.currentHistoryToken())
    clock.withLock { $0 += 1000 }
    try add(1, to: open())
    #expect(try store.history(after: newest).map(\.token.number) == [3])
    clock.withLock { $0 += 50 }
    try add(1, to: open())
    #expect(try store.history(after: newest).map(\.token.number) == [3, 4])
    clock.withLock { $0 += 51 }
    for _ in 0..<2 { try add(1, to: open()) }
    #expect(throws: StoreError.self) { try store.history(after: newest) }
    #expect(try tokens(store).map(\.number) == [3, 4, 5, 6])
  }

  @Test func `a store whose history was purged completely has a token without a checksum`() throws {
    let store = try open()
    try add(2, to: store)
    let tokens = try tokens(store)
    try file.run("DELETE FROM persistent_history")
    #expect(try store.currentHistoryToken() == HistoryToken(2))
    #expect(throws: StoreError.history(.purged(oldest: nil))) { try store.history(after: tokens[1]) }
    #expect(try store.history(after: HistoryToken(2)).isEmpty)
  }

  @Test func `values of wrong types in the history are no crash`() throws {
    let store = try open()
    try add(2, to: store)
    let tokens = try tokens(store)
    try file.run("UPDATE persistent_history SET process = 'x', date = x'00' WHERE token = 1")
    #expect(throws: StoreError.self) { try store.history(after: tokens[0]) }
    #expect(try self.tokens(store).count == 2)
  }
}
