import Foundation
import Glibc
import ManagedContext
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Tests that need a server.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerStoreTests: LibrarySchema {
  let schema: TestSchema

  init() throws { schema = try TestSchema() }

  /// Saves an author through a coordinator of its own.
  @discardableResult
  private func add(_ name: String, to store: PostgreSQLStore) throws -> ManagedObjectID {
    try LibraryStore.addAuthor(name, to: PersistentStoreCoordinator(model: Library.model, store: store))
  }

  // MARK: Opening

  @Test func `a store that is only read is not created`() throws {
    let error = #expect(throws: StoreError.self) {
      try PostgreSQLStore(readOnly: schema.address, model: Library.model, application: 7)
    }
    #expect(
      error
        == .cannotOpen(
          "\(schema.address.withoutPassword): there is no store; a command that saves creates it"))
    #expect(
      try run("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace") == ["0"])
  }

  @Test func `processes that create a store at the same time share it`() async throws {
    let numbers = try await withThrowingTaskGroup(of: StoreNumber.self) { group in
      for _ in 0..<8 { group.addTask { try open().number } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(numbers.count == 1)
    #expect(try run("SELECT count(*) FROM persistent_store") == ["1"])
  }

  @Test func `an object's stored ID leads to it in another process, also through a store that is only read`()
    throws
  {
    let first = PersistentStoreCoordinator(model: Library.model, store: try open())
    let id = try LibraryStore.addAuthor("Woolf", to: first)
    let stored = try #require(try first.storedID(of: id))
    #expect(try run("SELECT upper(id::text) FROM persistent_store") == [stored.store.uuidString])
    let second = PersistentStoreCoordinator(model: Library.model)
    second.addReadOnlyStore(
      try PostgreSQLStore(readOnly: schema.address, model: Library.model, application: 7))
    #expect(try second.id(of: stored) == id)
  }

  @Test func `tables of another program are left alone`() throws {
    _ = try run("CREATE TABLE author (name text)")
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains("has a table author of another program; name another schema"))
    #expect(
      try run(
        "SELECT count(*) FROM pg_class WHERE relname = 'persistent_store' AND relnamespace = current_schema()::regnamespace"
      ) == ["0"])
  }

  @Test func `a table with the name of ours and other columns is another program's`() throws {
    _ = try run("CREATE TABLE persistent_store (name text)")
    let error = #expect(throws: StoreError.self) { try open() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("the tables belong to another program"))
  }

  @Test(arguments: ["Press", "my news", "a.b", "say \"so\"", "é"])
  func `a schema may have any name`(start: String) throws {
    let schema = try TestSchema(start)
    let store = try open(schema.address)
    try add("Ada", to: store)
    #expect(try schema.rows("SELECT count(*)::text FROM author") == ["1"])
  }

  @Test func `a store of another program or of a newer version is refused`() throws {
    try open().close()
    _ = try run("UPDATE persistent_store SET version = version + 1")
    let known = Library.model.version
    #expect(throws: StoreError.newer(version: known + 1, known: known)) { try open() }
    _ = try run("UPDATE persistent_store SET application = 8")
    #expect(
      throws: StoreError.foreign(
        "\(schema.address.withoutPassword): the tables belong to another program; name another database, or another schema in search_path"
      )
    ) { try open() }
  }

  @Test func `an older store is refused if it is only read, or if the program migrates none`() throws {
    try open().close()
    _ = try run("UPDATE persistent_store SET version = version - 1")
    let known = Library.model.version
    var options = PostgreSQLStoreOptions()
    options.migrates = false
    #expect(throws: StoreError.older(version: known - 1, known: known)) { try open(nil, options) }
    #expect(throws: StoreError.older(version: known - 1, known: known)) {
      try PostgreSQLStore(readOnly: schema.address, model: Library.model, application: 7)
    }
    try open().close()
    #expect(try run("SELECT version FROM persistent_store") == ["\(known)"])
  }

  @Test func `a save after a migration by a newer program is refused`() throws {
    let store = try open()
    _ = try run("UPDATE persistent_store SET version = version + 1")
    let known = Library.model.version
    #expect(throws: StoreError.newer(version: known + 1, known: known)) { try add("Ada", to: store) }
  }

  // MARK: Text

  @Test func `texts with U+0000 are named with their objects, and the other saves are written`() throws {
    let store = try open()
    let name = try #require(Library.model.index(named: "author"))
    let values = { (text: String) in
      Library.model[name].attributes.map { $0.name == "name" ? AttributeValue.text(text) : $0.defaultValue }
    }
    var bad = ChangeSet(mergePolicy: .error)
    let ids = [-1, -2].map { ManagedObjectID(entity: name, store: .none, key: $0) }
    bad.insertions = ids.map { .init(id: $0, values: values("a\0b")) }
    var good = ChangeSet(mergePolicy: .error)
    good.insertions = [.init(id: ManagedObjectID(entity: name, store: .none, key: -2), values: values("Ada"))]
    let results = store.write([bad, good])
    let broken = ids.map {
      ValidationError(
        entity: "author", attribute: "name", object: $0,
        cause: .rule("contains U+0000, which PostgreSQL cannot keep"))
    }
    #expect(throws: StoreError.validations(broken)) { try results[0].get() }
    #expect(try results[1].get().changes.inserted.count == 1)
    #expect(try run("SELECT name FROM author") == ["Ada"])
  }

  @Test func `bytes that are not UTF-8 become U+FFFD`() throws {
    let store = try open()
    let entity = try #require(Library.model.index(named: "author"))
    let column = try #require(Library.model[entity].attributes.firstIndex { $0.name == "name" })
    var rows = RowBatch(entity: entity, columns: [column], bytes: [0x41, 0xFF, 0x42])
    rows.beginRow()
    rows.append(RowBatch.Cell.text(offset: 0, count: 3))
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.upsert(BatchUpsert(rows))]
    #expect(try store.write([changes])[0].get().changes.inserted.count == 1)
    #expect(try run("SELECT name FROM author") == ["A\u{FFFD}B"])
  }

  // MARK: Life signs

  @Test func `a life sign is seen by others until it ends, and at the latest with its session`() throws {
    var options = PostgreSQLStoreOptions()
    options.signPatience = 0
    let (one, other) = (try open(), try open(nil, options))
    let number: Int64 = 1 << 40 | 5
    #expect(try !other.hasLifeSign(number))
    var sign: LifeSign? = try one.beginLifeSign(number)
    #expect(try other.hasLifeSign(number) && one.hasLifeSign(number))
    #expect(throws: StoreError.self) { try other.beginLifeSign(number) }
    sign = nil
    #expect(try !other.hasLifeSign(number))
    sign = try one.beginLifeSign(number)
    one.close()
    // The server notices the end of a session by itself.
    while try other.hasLifeSign(number) {}
    withExtendedLifetime(sign) {}
  }

  @Test func `a life sign is held again after its session was lost`() throws {
    var options = PostgreSQLStoreOptions()
    options.signPatience = 60
    let (one, other) = (try open(), try open(nil, options))
    let number = Int64.random(in: 1 << 41..<1 << 42)
    let sign = try one.beginLifeSign(number)
    _ = try run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = \(number >> 32) AND objid = \(number & 0xFFFF_FFFF)
      """)
    // Nothing but its own thread opens the session again.
    #expect(try other.hasLifeSign(number))
    #expect(try other.lifeSigns(among: [number, number + 1], isPatient: false) == [number])
    withExtendedLifetime(sign) {}
  }

  @Test func `a process that cannot reach the server knows that others do not see its life sign`() throws {
    let relay = try Relay()
    var options = PostgreSQLStoreOptions()
    options.signPatience = 0.01
    let store = try open(try relay.address(of: schema), options)
    let sign = try store.beginLifeSign(.random(in: 1 << 41..<1 << 42))
    #expect(sign.isHeld)
    relay.stop()
    while sign.isHeld { sched_yield() }
    try relay.start()
    while !sign.isHeld { sched_yield() }
    store.close()
    #expect(!sign.isHeld)
  }

  // MARK: History

  @Test func `the numbers of transactions have no gaps, also among several writers`() async throws {
    let stores = try (0..<4).map { _ in try open() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, store) in stores.enumerated() {
        group.addTask { for count in 0..<10 { try add("\(place)-\(count)", to: store) } }
      }
      try await group.waitForAll()
    }
    #expect(try stores[0].history(after: nil).map(\.token.number) == Array(1...40))
    #expect(try stores[0].history(after: HistoryToken(38)).count == 2)
  }

  @Test func `the commits of other stores are observed, and not those of the store itself`() async throws {
    let (one, other) = (try open(), try open())
    let (stream, continuation) = AsyncStream<[HistoryTransaction]>.makeStream()
    let observation = try other.observeRemoteChanges { continuation.yield($0) }
    try add("Grace", to: other)
    let id = try add("Ada", to: one)
    var iterator = stream.makeAsyncIterator()
    let seen = try #require(await iterator.next())
    #expect(seen.map(\.changes.inserted) == [ManagedObjectIDSet([id])])
    withExtendedLifetime(observation) {}
  }

  @Test func `a commit is followed by a notification, and a save that fails is not`() throws {
    let store = try open()
    let listener = try Connection(schema.address.text)
    try listener.execute("LISTEN \"\(store.channel)\"")
    let isNotified = { () throws in
      // The server sends notifications between two statements.
      for _ in 0..<500 {
        try listener.execute("SELECT 1")
        if try listener.takeNotifications() { return true }
      }
      return false
    }
    try add("Ada", to: store)
    #expect(try isNotified())
    let next = try open()
    #expect(throws: (any Error).self) { try add("Ada", to: next) }
    #expect(try !isNotified())
  }

  @Test func `an observation goes on after a lost connection without a gap`() async throws {
    let (one, other) = (try open(), try open())
    let (stream, continuation) = AsyncStream<[HistoryTransaction]>.makeStream()
    let observation = try other.observeRemoteChanges { continuation.yield($0) }
    try add("Ada", to: one)
    var iterator = stream.makeAsyncIterator()
    _ = try #require(await iterator.next())
    _ = try run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%\(other.channel)%' AND pid <> pg_backend_pid() OR application_name = 'newsimport' AND pid <> pg_backend_pid() AND query LIKE 'SELECT token, date, process%'"
    )
    try add("Grace", to: one)
    let seen = try #require(await iterator.next())
    #expect(seen.count == 1)
    withExtendedLifetime(observation) {}
  }

  @Test func `an observation reports once that it waits for the server`() async throws {
    let relay = try Relay()
    let (waits, waiting) = AsyncStream<Void>.makeStream()
    var options = PostgreSQLStoreOptions()
    options.didWait = { waiting.yield() }
    let (one, other) = (try open(), try open(relay.address(of: schema), options))
    let (stream, continuation) = AsyncStream<[HistoryTransaction]>.makeStream()
    let observation = try other.observeRemoteChanges { continuation.yield($0) }
    relay.stop()
    var reports = waits.makeAsyncIterator()
    _ = await reports.next()
    try relay.start()
    try add("Ada", to: one)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.count == 1)
    waiting.finish()
    #expect(await reports.next() == nil)
    withExtendedLifetime(observation) {}
  }

  @Test func `a consumer's transactions stay until it has acknowledged them`() throws {
    var options = PostgreSQLStoreOptions()
    options.historyRetention = 0
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    options.now = { now }
    let store = try open(nil, options)
    for name in ["a", "b", "c", "d"] { try add(name, to: store) }
    let tokens = try store.history(after: nil).map(\.token)
    let first = try #require(tokens.first)
    try store.acknowledge(first, by: "mail", at: now)
    try store.purgeHistory(before: HistoryToken(.max))
    #expect(try store.history(after: first).count == 3)
    #expect(try store.consumers().map(\.name) == ["mail"])
    try store.removeConsumer(named: "mail")
    try store.purgeHistory(before: HistoryToken(.max))
    #expect(try store.history(after: nil).map(\.token) == [try #require(tokens.last)])
    #expect(throws: StoreError.history(.purged(oldest: tokens.last))) { try store.history(after: first) }
  }

  @Test func `a read on a lost connection is repeated on a new one`() throws {
    let store = try open()
    let id = try add("Ada", to: store)
    let query = StoreQuery(entity: id.entity)
    #expect(try store.count(query) == 1)
    _ = try run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'newsimport' AND query LIKE 'SELECT count%' AND pid <> pg_backend_pid()"
    )
    #expect(try store.count(query) == 1)
  }

  @Test func `a row's text may be longer than an entry of an index`() throws {
    let store = try open()
    let coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    let name = String(repeating: "x", count: 100_000)
    _ = try LibraryStore.addAuthor(name, to: coordinator)
    let context = ManagedObjectContext(parent: coordinator)
    #expect(try context.fetch(FetchRequest(Author.self, where: \.name == name)).count == 1)
  }
}
