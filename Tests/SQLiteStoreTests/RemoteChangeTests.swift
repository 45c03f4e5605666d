import Foundation
import ManagedContext
import TestSupport
import Testing
import Threading

@testable import SQLiteStore

@Suite(.timeLimit(.minutes(15))) struct RemoteChangeTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])
  private let here: SQLiteStore
  private let there: SQLiteStore

  init() throws {
    file = try TableStore()
    // The interval is so long that only an event can wake the observer.
    var options = SQLiteStoreOptions()
    options.pollInterval = 86_400
    here = try SQLiteStore(
      path: file.path, model: model, identity: TableStore.identity, options: options)
    there = try file.open(model)
  }

  private func title(_ text: String) -> [(entity: EntityIndex, values: [AttributeValue])] {
    [(0, [.text(text)])]
  }

  /// The transactions that a store reports, as a sequence that ends with the observation.
  private func observe(
    _ store: SQLiteStore
  ) throws -> (AsyncStream<HistoryTransaction>, ChangeObservation) {
    let (stream, continuation) = AsyncStream.makeStream(of: HistoryTransaction.self)
    let observation = try #require(
      try store.observeRemoteChanges { for transaction in $0 { continuation.yield(transaction) } })
    return (stream, observation)
  }

  @Test func `commits of other processes are reported, own commits are not`() async throws {
    try there.insert(title("before"))
    let (transactions, observation) = try observe(here)
    try here.insert(title("ours"))
    try there.insert(title("theirs"), author: "another")
    var iterator = transactions.makeAsyncIterator()
    let told = try #require(await iterator.next())
    #expect(told.author == "another")
    #expect(told.changes.inserted == [file.id(0, 3)])
    #expect(told.token.number == 3)
    observation.cancel()
  }

  @Test func `every transaction is reported once, in order`() async throws {
    let (transactions, observation) = try observe(here)
    let count = 200
    async let written: Void = {
      for number in 0..<count { try there.insert(title("\(number)")) }
    }()
    var tokens: [Int64] = []
    for await transaction in transactions {
      tokens.append(transaction.token.number)
      if tokens.count == count { break }
    }
    try await written
    #expect(tokens == Array(1...Int64(count)))
    observation.cancel()
  }

  @Test func `stores that observe each other receive only each other's commits`() async throws {
    let (fromThere, first) = try observe(here)
    let (fromHere, second) = try observe(there)
    try here.insert(title("a"), author: "here")
    try there.insert(title("b"), author: "there")
    var (one, other) = (fromThere.makeAsyncIterator(), fromHere.makeAsyncIterator())
    #expect(await one.next()?.author == "there")
    #expect(await other.next()?.author == "here")
    first.cancel()
    second.cancel()
  }

  @Test func `a read-only store is notified as well`() async throws {
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    let (transactions, observation) = try observe(reader)
    try there.insert(title("a"))
    var iterator = transactions.makeAsyncIterator()
    #expect(await iterator.next()?.changes.inserted.count == 1)
    observation.cancel()
  }

  @Test func `without file events the store checks at intervals`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let watcher = try RemoteChangeWatcher(
      file: ReadOnlyFile(path: file.path, isImmutable: false), model: model, store: .none, process: nil,
      pollInterval: 0.01,
      usesEvents: false
    ) { continuation.yield($0.count) }
    let observation = try watcher.start()
    try there.insert(title("a"))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    observation.cancel()
  }

  @Test func `a commit of another program is reported without a transaction`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    try there.insert(title("a"))
    let observation = try here.observeRemoteChanges { continuation.yield($0.count) }
    try file.run("UPDATE first SET title = 'b'")
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    observation?.cancel()
  }

  @Test func `an observation can be released in its own callback`() async throws {
    let kept = Locked<ChangeObservation?>(nil)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let observation = try here.observeRemoteChanges { transactions in
      let observation = kept.withLock { kept in
        defer { kept = nil }
        return kept
      }
      observation?.cancel()
      continuation.yield(transactions.count)
    }
    kept.withLock { $0 = observation }
    try there.insert(title("a"))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(kept.withLock { $0 == nil })
  }

  @Test func `no transaction is reported after an observation has ended`() throws {
    let told = Locked(0)
    let observation = try here.observeRemoteChanges { transactions in
      told.withLock { $0 += transactions.count }
    }
    observation?.cancel()
    try there.insert(title("a"))
    #expect(told.withLock { $0 } == 0)
  }

  @Test func `a file that disappears does not end the observation`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let watcher = try RemoteChangeWatcher(
      file: ReadOnlyFile(path: file.path, isImmutable: false), model: model, store: .none, process: nil,
      pollInterval: 0.01
    ) { continuation.yield($0.count) }
    let observation = try watcher.start()
    let names = ["store.db", "store.db-wal", "store.db-shm"].map(file.folder.file)
    for name in names { try FileManager.default.moveItem(atPath: name, toPath: name + ".aside") }
    #expect(throws: StoreError.self) { try there.insert(title("lost")) }
    for name in names { try FileManager.default.moveItem(atPath: name + ".aside", toPath: name) }
    try there.insert(title("a"))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    observation.cancel()
  }

  @Test func `a coordinator notifies its contexts of other processes' saves`() async throws {
    let coordinator = PersistentStoreCoordinator(model: model, store: here)
    let (stream, continuation) = AsyncStream.makeStream(of: ContextChanges.self)
    let observer = coordinator.didSave.observe { continuation.yield($0) }
    try coordinator.mergeRemoteChanges()
    try there.insert(title("a"))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.inserted == [file.id(0, 1)])
    observer.cancel()
  }

  @Test func `a transaction of another real process is reported`() async throws {
    let news = try NewsStore()
    let (stream, continuation) = AsyncStream.makeStream(of: HistoryTransaction.self)
    let observation = try news.store.observeRemoteChanges {
      for transaction in $0 { continuation.yield(transaction) }
    }
    let run = try await Command.run(
      Command.builtProducts + "/newsimport",
      ["region", "add", "world", "https://example.org/feed", "--store", news.path])
    #expect(run.status == 0, "\(run.err)")
    var iterator = stream.makeAsyncIterator()
    let told = await iterator.next()
    #expect(told?.changes.inserted.isEmpty == false)
    observation?.cancel()
  }
}
