import Foundation
import ManagedContext
import TestSupport
import Testing
import Threading

@testable import PostgreSQLStore

/// The errors of a server, and what the store makes of them.
@Suite(
  .enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"),
  .timeLimit(.minutes(2)))
struct ServerFaultTests: LibrarySchema {
  let schema: TestSchema

  init() throws { schema = try TestSchema() }

  private func authors(_ names: [String]) -> ChangeSet {
    var rows = RowBatch(entity: Library.author, columns: [0, 1])
    for name in names {
      rows.beginRow()
      rows.append(.text(name))
      rows.append(.text(String(UInt64.random(in: 0 ... .max))))
    }
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.upsert(BatchUpsert(rows, unique: [0], changeMark: 1))]
    return changes
  }

  /// The address of another database or role of the server.
  private func address(_ old: String, _ new: String) throws -> StoreAddress {
    try #require(StoreAddress(schema.address.text.replacingOccurrences(of: old, with: new)))
  }

  @Test func `a database that does not exist is named, and nothing is waited for`() throws {
    let address = try address("/postgres?", "/nosuchdatabase?")
    let began = ContinuousClock.now
    let error = #expect(throws: StoreError.self) { try open(address) }
    guard case .cannotOpen(let cause)? = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(cause.contains("nosuchdatabase") && !cause.contains("3D000"))
    #expect(ContinuousClock.now - began < .seconds(5))
  }

  @Test func `a statement ends on the server when its client is gone`() throws {
    let connection = try Connection(schema.address.text)
    let process = try #require(try connection.texts("SELECT pg_backend_pid()").first)
    let socket = connection.socket
    let thread = try OwnThread(name: "sleeping") { _ = try? connection.execute("SELECT pg_sleep(600)") }
    try wait(until: "EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND state = 'active')")
    // What the server sees of a process that was killed.
    shutdown(socket, Int32(SHUT_RDWR))
    try wait(until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process))")
    #expect(try run("SELECT 1 FROM pg_stat_activity WHERE pid = \(process)").isEmpty)
    thread.join()
  }

  /// Waits on the server for up to 30 s.
  private func wait(until condition: String) throws {
    _ = try run(
      """
      DO $$ BEGIN FOR i IN 1..600 LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN \(condition);
        PERFORM pg_sleep(0.05);
      END LOOP; END $$
      """)
  }

  private func isUnavailable(_ error: StoreError?) -> Bool {
    if case .unavailable? = error { true } else { false }
  }

  @Test func `too many connections are waited for, and then an error`() throws {
    let role = "r" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let name = try #require(try run("SELECT current_schema()").first)
    _ = try run("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA \(name) TO \(role)")
    defer { _ = try? run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let user = try #require(try run("SELECT current_user").first)
    let limited = try address("//\(user)@", "//\(role)@")
    let waits = Locked(0)
    var options = PostgreSQLStoreOptions()
    options.patience = 5
    options.didWait = { waits.withLock { $0 += 1 } }
    let store = try open(limited, options)
    // The connection that writes is the only one of the role.
    #expect(
      isUnavailable(#expect(throws: StoreError.self) { try store.count(StoreQuery(entity: Library.author)) }))
    #expect(waits.withLock { $0 } == 1)
    #expect(isUnavailable(#expect(throws: StoreError.self) { try open(limited, options) }))
    #expect(try store.write([authors(["a"])])[0].get().changes.inserted.count == 1)
    store.close()
    // A busy server takes a while to end the connection.
    options.patience = 60
    #expect(try open(limited, options).write([authors(["b"])])[0].get().changes.inserted.count == 1)
  }

  @Test func `a cancelled statement makes its saves busy, and no later one`() throws {
    let store = try open()
    let blocker = try Connection(schema.address.text)
    try blocker.execute("BEGIN; LOCK TABLE author IN EXCLUSIVE MODE")
    let isDone = Locked(false)
    let canceller = try OwnThread(name: "cancel") {
      let waiting = """
        SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted AND relation = 'author'::regclass
        """
      while !isDone.withLock({ $0 }), (try? run(waiting))?.isEmpty != false {}
    }
    let results = store.write([authors(["a"]), authors(["b"])])
    isDone.withLock { $0 = true }
    canceller.join()
    for result in results { #expect(throws: StoreError.busy) { try result.get() } }
    try blocker.execute("ROLLBACK")
    #expect(try store.write([authors(["a"])])[0].get().changes.inserted.count == 1)
  }

  @Test(arguments: ["53100", "XX001", "42501"])
  func `an error of the server is an error of all saves`(code: String) throws {
    let store = try open()
    _ = try run(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
      RAISE EXCEPTION 'no' USING ERRCODE = '\(code)'; END $$; \
      CREATE TRIGGER refuse BEFORE INSERT ON author FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    for result in store.write([authors(["a"]), authors(["b"])]) {
      switch (code, result) {
      case ("53100", .failure(.full)), ("XX001", .failure(.corrupt)), ("42501", .failure(.readOnly)): break
      default: Issue.record("\(code): \(result)")
      }
    }
    _ = try run("DROP TRIGGER refuse ON author")
    #expect(try store.write([authors(["a"])])[0].get().changes.inserted.count == 1)
  }

  @Test func `a process that is stopped inside a transaction holds others up for a limited time`() throws {
    var options = PostgreSQLStoreOptions()
    options.stallLimit = 0.3
    let (stopped, store) = (try open(nil, options), try open())
    let connection = try stopped.writing.take()
    try connection.execute("BEGIN; UPDATE persistent_store SET history = history")
    #expect(try store.write([authors(["a"])])[0].get().changes.inserted.count == 1)
    // The process goes on, and writes in a new session.
    #expect(throws: ServerError.self) { try connection.execute("COMMIT") }
    stopped.writing.give(connection)
    #expect(try stopped.write([authors(["b"])])[0].get().changes.inserted.count == 1)
  }

  @Test func `the usual limit of a stopped process is 15 seconds`() throws {
    let store = try open()
    for pool in [store.writing, store.reading] {
      let connection = try pool.take()
      #expect(try connection.texts("SHOW idle_in_transaction_session_timeout") == ["15s"])
      pool.give(connection)
    }
  }

  @Test func `sessions that the server ends are replaced`() throws {
    let store = try open()
    _ = store.write([authors(["a"])])
    _ = try store.count(StoreQuery(entity: Library.author))
    for pool in [store.writing, store.reading] {
      let connection = try pool.take()
      let process = try connection.texts("SELECT pg_backend_pid()")[0]
      pool.give(connection)
      _ = try run("SELECT pg_terminate_backend(\(process), 5000)")
    }
    #expect(try store.count(StoreQuery(entity: Library.author)) == 1)
    #expect(try store.write([authors(["b"])])[0].get().changes.inserted.count == 1)
  }

  @Test func `saves of the same rows in other orders do not fail`() async throws {
    let names = (0..<200).map { "n\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for place in 0..<4 {
        let store = try open()
        group.addTask {
          for _ in 0..<10 {
            let own = place % 2 == 0 ? names : names.reversed()
            for result in store.write([authors(own), authors(Array(own.shuffled().prefix(50)))]) {
              _ = try result.get()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try run("SELECT count(*) FROM author") == ["200"])
  }
}

private let poolerAddress = ProcessInfo.processInfo.environment["NEWSIMPORT_TEST_POOLER"]

/// Tests with a pooler that gives each transaction another session.
@Suite(
  .enabled(
    if: poolerAddress != nil,
    "there is no pooler; make test-postgresql starts one if pgbouncer is installed"),
  .timeLimit(.minutes(15)))
struct PoolerTests {
  @Test func `a store is not written through a pooler of transactions, and can be read`() throws {
    let server = try #require(TestServer.address.flatMap(StoreAddress.init))
    try PostgreSQLStore.execute("CREATE SCHEMA pooled", at: server)
    defer {
      _ = try? PostgreSQLStore.execute(
        "SET client_min_messages = error; DROP SCHEMA pooled CASCADE", at: server)
    }
    let direct = try #require(StoreAddress("\(server.text)&options=-csearch_path%3Dpooled"))
    let store = try PostgreSQLStore(direct, model: Library.model, application: 7)
    let author = try LibraryStore.addAuthor(
      "Ada", to: PersistentStoreCoordinator(model: Library.model, store: store))
    let pooled = try #require(poolerAddress.flatMap(StoreAddress.init))
    let error = #expect(throws: StoreError.self) {
      try PostgreSQLStore(pooled, model: Library.model, application: 7)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("the pooler gives each transaction another session"))
    let reader = try PostgreSQLStore(readOnly: pooled, model: Library.model, application: 7)
    for _ in 0..<3 { #expect(try reader.fetch(StoreQuery(entity: author.entity)).ids == [author]) }
    #expect(try reader.history(after: nil).count == 1)
  }
}
