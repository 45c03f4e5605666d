import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing
import Threading

/// The consumers of a history, and the transactions that a purge keeps for them.
@Suite struct HistoryConsumerTests {
  private let file: TableStore
  private let clock = Locked(Date(timeIntervalSince1970: 1_000_000))
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  private func open(_ model: ManagedObjectModel? = nil, path: String? = nil, bytes: Int = 1 << 20)
    throws(StoreError)
    -> SQLiteStore
  {
    var options = SQLiteStoreOptions()
    options.historyRetention = 100
    options.consumerPatience = 1000
    options.historyBytes = bytes
    options.now = { [clock] in clock.withLock { $0 } }
    return try SQLiteStore(
      path: path ?? file.path, model: model ?? self.model, identity: TableStore.identity, options: options)
  }

  private func pass(_ seconds: TimeInterval) {
    clock.withLock { $0 += seconds }
  }

  private var now: Date { clock.withLock { $0 } }

  private func add(_ count: Int, to store: SQLiteStore) throws {
    for number in 0..<count { try store.insert([(0, [.text("\(number)")])]) }
  }

  private func numbers(_ store: SQLiteStore) throws -> [Int64] {
    try store.history(after: nil).map(\.token.number)
  }

  /// Adds two transactions with a store that purges before the second one: a purge does not trust a date before which nothing was
  /// saved.
  private func purge(bytes: Int = 1 << 20) throws {
    try add(1, to: open(bytes: .max))
    try add(1, to: open(bytes: bytes))
  }

  @Test func `a consumer is created and moved by its acknowledgements`() throws {
    let store = try open()
    #expect(try store.consumers().isEmpty)
    try add(3, to: store)
    let tokens = try store.history(after: nil).map(\.token)
    try store.acknowledge(HistoryToken(0), by: "a", at: now)
    try store.acknowledge(tokens[1], position: 4, by: "b", at: now)
    #expect(
      try store.consumers() == [
        HistoryConsumer(name: "a", token: HistoryToken(0), position: 0, seen: now),
        HistoryConsumer(name: "b", token: tokens[1], position: 4, seen: now),
      ])
    pass(7)
    // The store adds the checksum of a bare number.
    let moved = try store.acknowledge(HistoryToken(1), by: "a", at: now)
    #expect(moved == HistoryConsumer(name: "a", token: tokens[0], position: 0, seen: now))
    #expect(try store.consumers().first == moved)
    try store.removeConsumer(named: "a")
    try store.removeConsumer(named: "unknown")
    #expect(try store.consumers().map(\.name) == ["b"])
  }

  @Test func `a consumer moves back only by force`() throws {
    let store = try open()
    try add(3, to: store)
    let tokens = try store.history(after: nil).map(\.token)
    try store.acknowledge(tokens[1], position: 4, by: "a", at: now)
    pass(1)
    for (token, position) in [(tokens[0], 9), (tokens[1], 3), (HistoryToken(0), 0)] {
      let kept = try store.acknowledge(token, position: position, by: "a", at: now)
      #expect(kept == HistoryConsumer(name: "a", token: tokens[1], position: 4, seen: now))
    }
    let moved = try store.acknowledge(tokens[0], position: 2, by: "a", at: now, force: true)
    #expect(moved == HistoryConsumer(name: "a", token: tokens[0], position: 2, seen: now))
    #expect(try store.consumers() == [moved])
  }

  @Test func `an acknowledgement of a transaction that the store does not have is refused`() throws {
    let store = try open()
    try add(3, to: store)
    let tokens = try store.history(after: nil).map(\.token)
    try store.acknowledge(tokens[1], by: "a", at: now)
    for token in [HistoryToken(2, check: 1), HistoryToken(4), HistoryToken(-1)] {
      #expect(throws: StoreError.history(.foreign(oldest: tokens[0]))) {
        try store.acknowledge(token, position: 0, by: "a", at: now, force: true)
      }
    }
    try store.purgeHistory(before: tokens[1])
    for token in [tokens[0], HistoryToken(1)] {
      #expect(throws: StoreError.history(.purged(oldest: tokens[1]))) {
        try store.acknowledge(token, by: "b", at: now)
      }
    }
    #expect(try store.consumers().map(\.token) == [tokens[1]])
  }

  @Test func `consumers survive closing, vacuum, a backup and a migration`() throws {
    let store = try open()
    try add(2, to: store)
    let consumer = try store.acknowledge(HistoryToken(1), position: 1, by: "é'\"", at: now)
    try store.vacuum()
    let copy = file.folder.file("copy.db")
    try store.backup(to: copy)
    try store.close()
    #expect(try open(path: copy).consumers() == [consumer])
    let newer = ManagedObjectModel.one(
      2, [.attribute(AttributeKey<String>(0, "title")), .attribute(AttributeKey<Int?>(1, "size"))])
    #expect(try open(newer).consumers() == [consumer])
    let reader = try SQLiteStore(readOnlyPath: file.path, model: newer, identity: TableStore.identity)
    #expect(try reader.consumers() == [consumer])
    #expect(throws: StoreError.readOnly(file.path)) {
      try reader.acknowledge(HistoryToken(2), by: "a", at: now)
    }
  }

  @Test func `a store without consumers has no table for them`() throws {
    let store = try open()
    try add(1, to: store)
    try store.touchConsumer(named: "a", at: now)
    #expect(try file.ask("SELECT name FROM sqlite_master WHERE name = 'persistent_consumer'").isEmpty)
    #expect(try InMemoryStore(model: model).consumers().isEmpty)
    #expect(throws: StoreError.self) {
      try InMemoryStore(model: model).acknowledge(HistoryToken(0), by: "a", at: now)
    }
  }

  @Test func `a purge keeps what the slowest consumer has not acknowledged`() throws {
    let store = try open()
    try add(5, to: store)
    try store.acknowledge(HistoryToken(4), by: "fast", at: now)
    try store.acknowledge(HistoryToken(2), by: "slow", at: now)
    pass(500)
    try purge()
    #expect(try numbers(store) == [2, 3, 4, 5, 6, 7])
    // A program cannot delete them either.
    try store.purgeHistory(before: HistoryToken(6))
    #expect(try numbers(store) == [2, 3, 4, 5, 6, 7])
    let slow = try #require(try store.consumers().last)
    #expect(try store.history(after: slow.token).map(\.token.number) == [3, 4, 5, 6, 7])
    try store.acknowledge(HistoryToken(5), by: "slow", at: now)
    try store.purgeHistory(before: HistoryToken(6))
    #expect(try numbers(store) == [4, 5, 6, 7])
  }

  @Test func `one save with a clock that is ahead purges nothing that readers need`() throws {
    let store = try open()
    try add(5, to: store)
    try store.acknowledge(HistoryToken(2), by: "a", at: now)
    pass(50)
    try add(1, to: store)
    pass(100_000)
    try add(2, to: open())
    #expect(try numbers(store) == Array(1...8))
    pass(-100_000)
    try add(1, to: open())
    #expect(try numbers(store) == Array(1...9))
  }

  @Test func `after a long pause, the first save purges nothing that a consumer needs`() throws {
    let store = try open()
    try add(5, to: store)
    try store.acknowledge(HistoryToken(2), by: "a", at: now)
    pass(5000)
    try add(1, to: open())
    #expect(try numbers(store) == Array(1...6))
    // The consumer is seen after that save, as a hook is.
    try store.touchConsumer(named: "a", at: now)
    try add(1, to: open())
    #expect(try numbers(store) == Array(2...7))
  }

  @Test func `a consumer that was not seen for long is not waited for`() throws {
    let store = try open()
    try add(5, to: store)
    try store.acknowledge(HistoryToken(2), by: "a", at: now)
    try store.acknowledge(HistoryToken(0), by: "new", at: now)
    pass(800)
    try purge()
    #expect(try numbers(store).first == 1)
    try store.touchConsumer(named: "a", at: now)
    pass(300)
    try purge()
    #expect(try numbers(store).first == 2)
    pass(701)
    try purge()
    #expect(try numbers(store) == [9, 10, 11])
    let oldest = try store.history(after: nil)[0].token
    for consumer in try store.consumers() {
      #expect(throws: StoreError.history(.purged(oldest: oldest)), "\(consumer)") {
        try store.followedHistory(after: consumer.token, limit: 1)
      }
    }
  }

  @Test func `beyond the limit in bytes the oldest transactions are deleted`() throws {
    let store = try open()
    try add(5, to: store)
    let consumer = try store.acknowledge(HistoryToken(1), by: "a", at: now)
    try store.acknowledge(HistoryToken(0), by: "new", at: now)
    let sizes = try file.ask("SELECT length(changes) FROM persistent_history").compactMap {
      $0.flatMap { Int($0) }
    }
    #expect(Set(sizes).count == 1)
    pass(500)
    try purge(bytes: sizes[0] * 3 + 1)
    #expect(try numbers(store) == [4, 5, 6, 7])
    let oldest = try store.history(after: nil)[0].token
    for consumer in try store.consumers() + [consumer] {
      #expect(throws: StoreError.history(.purged(oldest: oldest)), "\(consumer)") {
        try store.history(after: consumer.token)
      }
    }
    // Only the newest transaction before the retention period is left, which readers without a name need.
    pass(500)
    try purge(bytes: 0)
    #expect(try numbers(store) == [7, 8, 9])
  }

  @Test func `the limit in bytes deletes nothing within the retention period`() throws {
    let store = try open(bytes: 0)
    try add(3, to: store)
    try store.acknowledge(HistoryToken(0), by: "a", at: now)
    pass(50)
    try purge(bytes: 0)
    #expect(try numbers(store) == [1, 2, 3, 4, 5])
  }

  @Test func `wrong values in the table of consumers are no crash`() throws {
    let store = try open()
    try add(2, to: store)
    try store.acknowledge(HistoryToken(1), by: "a", at: now)
    try file.run("UPDATE persistent_consumer SET token = 'x', checksum = 'y', position = x'00', seen = 'z'")
    #expect(try store.consumers().map(\.token.number) == [0])
    try file.run("UPDATE persistent_consumer SET token = 9223372036854775807, checksum = -1, seen = 9e999")
    #expect(try store.consumers().map(\.token) == [HistoryToken(.max)])
    pass(500)
    try purge(bytes: 0)
    #expect(try numbers(store) == [2, 3, 4])
  }
}
