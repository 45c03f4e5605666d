import Foundation
import Glibc
import ManagedContext
import TestSupport
import Testing
import Threading

@testable import PostgreSQLStore

/// Groups of saves on a server, also through connections that are lost.
@Suite(
  .enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"),
  .timeLimit(.minutes(2)))
struct GroupWritingTests: LibrarySchema {
  let schema: TestSchema

  init() throws { schema = try TestSchema() }

  /// A save that inserts an author with books as objects.
  private func author(_ name: String, _ key: Int64 = 1, books: [String] = []) -> ChangeSet {
    let author = ManagedObjectID(entity: Library.author, store: .none, key: -key)
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [.init(id: author, values: [.text(name), .null])]
    for (place, title) in books.enumerated() {
      let id = ManagedObjectID(entity: Library.book, store: .none, key: -key - Int64(place) - 1)
      var values = Library.model[Library.book].attributes.map(\.defaultValue)
      (values[0], values[1]) = (.reference(author), .text(title))
      changes.insertions.append(.init(id: id, values: values))
    }
    return changes
  }

  /// A save that inserts or updates authors by name.
  private func authors(_ names: [String], city: String? = nil) -> ChangeSet {
    var rows = RowBatch(entity: Library.author, columns: [0, 1])
    for name in names {
      rows.beginRow()
      rows.append(.text(name))
      rows.append(city.map { .text($0) } ?? .null)
    }
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.upsert(BatchUpsert(rows, unique: [0], changeMark: 1))]
    return changes
  }

  /// A save that inserts authors by name, and leaves existing ones as they are.
  private func newAuthors(_ names: [String]) -> ChangeSet {
    var changes = authors(names)
    guard case .upsert(var batch) = changes.batches[0] else { return changes }
    batch.changeMark = 0
    changes.batches = [.upsert(batch)]
    return changes
  }

  private func keys(_ result: Result<CommitResult, StoreError>) throws -> [Int64] {
    var keys: [Int64] = []
    let inserted = try result.get().changes.inserted
    for id in inserted { keys.append(id.key) }
    return keys
  }

  // MARK: Round trips

  @Test func `a group of saves takes at most four round trips`() throws {
    let relay = try Relay()
    let store = try open(relay.address(of: schema))
    _ = store.write([author("first")])
    let before = relay.roundTrips
    let group =
      (0..<30).map { author("a\($0)", books: ["x", "y"]) }
      + (0..<30).map { authors(["b\($0)", "c\($0)"], city: "Ulm") }
    let results = store.write(group)
    #expect(relay.roundTrips - before <= 4)
    #expect(try results.reduce(0) { try $0 + $1.get().changes.inserted.count } == 150)
    let repeated = relay.roundTrips
    let again = store.write((0..<30).map { authors(["b\($0)", "c\($0)"], city: "Bonn") })
    #expect(relay.roundTrips - repeated <= 4)
    #expect(try again.allSatisfy { try $0.get().changes.updated.count == 2 })
    #expect(try run("SELECT count(*) FROM author WHERE city = 'Bonn' AND version = 2") == ["60"])
    #expect(try run("SELECT count(*) FROM book JOIN author ON author.id = author_id") == ["60"])
  }

  @Test func `a save with a conflict fails alone, and the others keep their order`() throws {
    let store = try open()
    let ada = try #require(try store.write([author("Ada")])[0].get().changes.inserted.first)
    var stale = ChangeSet(mergePolicy: .error)
    let (base, new) = ([AttributeValue.text("Ada"), .null], [AttributeValue.text("Ada"), .text("Rome")])
    stale.updates = [.init(id: ada, edited: [1], values: new, base: base, version: 7)]
    let results = store.write([
      author("a"), author("b"), stale, author("Ada"), author("c"), authors(["a"], city: "Ulm"),
    ])
    #expect(throws: StoreError.self) { try results[2].get() }
    #expect(throws: StoreError.self) { try results[3].get() }
    #expect(try [0, 1, 4].map { try keys(results[$0]).count } == [1, 1, 1])
    #expect(try results[5].get().changes.updated.count == 1)
    #expect(try run("SELECT string_agg(name, ' ' ORDER BY id) FROM author") == ["Ada a b c"])
  }

  @Test func `a later save of a group sees the rows of an earlier one`() throws {
    let store = try open()
    let results = store.write([authors(["a", "b"], city: "Ulm"), authors(["b", "c", "b"], city: "Bonn")])
    #expect(try results.map { try $0.get().changes.inserted.count } == [2, 1])
    #expect(try results[1].get().changes.updated.count == 1)
    #expect(
      try run("SELECT string_agg(name || city || version, ' ' ORDER BY id) FROM author") == [
        "aUlm1 bBonn2 cBonn1"
      ])
  }

  @Test func `a group with a reference to a deleted row is written without the save that has it`() throws {
    let store = try open()
    var broken = author("b", books: ["x"])
    let gone = ManagedObjectID(entity: Library.author, store: store.number, key: 99)
    broken.insertions[1] = .init(
      id: broken.insertions[1].id, values: [.reference(gone)] + broken.insertions[1].values.dropFirst())
    let results = store.write([author("a"), broken, author("c")])
    #expect(throws: StoreError.self) { try results[1].get() }
    #expect(try run("SELECT string_agg(name, ' ' ORDER BY id) FROM author") == ["a c"])
  }

  // MARK: Keys

  @Test func `the keys of a save follow each other while other processes insert rows, too`() async throws {
    let stores = try (0..<4).map { _ in try open() }
    let all = try await withThrowingTaskGroup(of: [[Int64]].self) { group in
      for (place, store) in stores.enumerated() {
        group.addTask {
          try (0..<12).map { count in
            try keys(store.write([authors((0..<300).map { "\(place)-\(count)-\($0)" })])[0])
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(all.joined()).count == 4 * 12 * 300)
    let isOneRun = all.map { keys in (keys.last ?? 0) - (keys.first ?? 0) == 299 }
    // The first saves of a process take their keys one by one.
    #expect(isOneRun.filter { $0 }.count >= 4 * 4)
  }

  @Test func `a process that inserts few rows leaves no gaps between keys`() throws {
    for place in 0..<3 {
      let store = try open()
      _ = store.write([authors(["a\(place)", "b\(place)"]), authors(["a0"])])
      store.close()
    }
    #expect(try run("SELECT string_agg(id::text, ' ' ORDER BY id) FROM author") == ["1 2 3 4 5 6"])
  }

  @Test func `a row of another program with a key of this process does not prevent saves`() throws {
    let store = try open()
    for round in 0..<5 { _ = store.write([authors((0..<500).map { "\(round)-\($0)" })]) }
    let next = try #require(try run("SELECT max(id) + 1 FROM author").first)
    _ = try run("INSERT INTO author (id, version, name) VALUES (\(next), 1, 'other')")
    let results = store.write([authors(["x", "y"])])
    #expect(try keys(results[0]).count == 2)
  }

  @Test func `rows that another writer inserts at the same time are left to it`() throws {
    let store = try open()
    _ = store.write([newAuthors(["first"])])
    let other = try Connection(schema.text)
    try other.execute("BEGIN; INSERT INTO author (id, version, name) VALUES (9000, 1, 'b')")
    let names = ["c", "b", "first", "a"]
    let save = newAuthors(names)
    let inserted = Locked(0)
    // A thread of its own: one that other tests need must not wait for this test.
    let writer = try OwnThread(name: "writer") {
      let results = store.write([save])
      inserted.withLock { $0 = (try? results[0].get().changes.inserted.count) ?? -1 }
    }
    let waits =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) = ARRAY[pg_backend_pid()]"
    while try other.texts(waits) == ["0"] { sched_yield() }
    // The order of insertions is the same in all processes, so that this does not wait for the store.
    try other.execute(
      "SET lock_timeout = 1; INSERT INTO author (id, version, name) VALUES (9001, 1, 'c'); COMMIT")
    writer.join()
    #expect(inserted.withLock { $0 } == 1)
    #expect(try keys(store.write([newAuthors(names + ["d", "e"])])[0]).count == 2)
    #expect(
      try run("SELECT string_agg(name, ' ' ORDER BY name) FROM author") == ["a b c d e first"])
  }

  // MARK: Lost connections

  @Test(arguments: 1...5, Relay.Cut.allCases)
  func `a save whose connection is lost is there once`(request: Int, cut: Relay.Cut) throws {
    let relay = try Relay()
    let store = try open(relay.address(of: schema))
    _ = store.write([author("first")])
    relay.cut(atRequest: request, cut)
    for count in 0..<4 {
      let results = store.write([author("a\(count)", books: ["x"]), authors(["b\(count)"])])
      #expect(try results.map { try $0.get().changes.inserted.count } == [2, 1])
    }
    #expect(relay.cuts == 1)
    #expect(try run("SELECT count(*) FROM author") == ["9"])
    #expect(try run("SELECT count(*) FROM book") == ["4"])
    #expect(
      try run("SELECT string_agg(token::text, ' ' ORDER BY token) FROM persistent_history") == ["1 2 3 4 5"])
  }

  @Test func `a server that is away for a while is waited for`() async throws {
    let relay = try Relay()
    let reports = Locked(0)
    var options = PostgreSQLStoreOptions()
    options.didWait = {
      reports.withLock { $0 += 1 }
      try? relay.start()
    }
    let store = try open(relay.address(of: schema), options)
    _ = store.write([author("a")])
    relay.stop()
    #expect(try keys(store.write([author("b")])[0]).count == 1)
    #expect(try store.count(StoreQuery(entity: Library.author)) == 2)
    #expect(reports.withLock { $0 } == 1)
  }

  @Test func `a server that stays away is an error, at once after the end of all waits`() throws {
    let relay = try Relay()
    var options = PostgreSQLStoreOptions()
    options.patience = 0.1
    let store = try open(relay.address(of: schema), options)
    relay.stop()
    let results = store.write([author("a"), author("b")])
    for result in results {
      guard case .failure(.unavailable(let cause)) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(cause.utf8.starts(with: store.name.utf8))
    }
    store.stopWaiting()
    #expect(throws: StoreError.self) { try store.count(StoreQuery(entity: Library.author)) }
  }

  @Test func `a server that hangs is given up some time after the end of all waits`() async throws {
    let relay = try Relay()
    defer { relay.stop() }
    var options = PostgreSQLStoreOptions()
    options.endPatience = 0.1
    let store = try open(relay.address(of: schema), options)
    relay.beginSilence()
    async let writes = store.write([author("a")])
    async let count = Result { try store.count(StoreQuery(entity: Library.author)) }
    store.stopWaiting()
    guard case .failure(.unavailable) = await writes[0] else {
      Issue.record("the write did not fail")
      return
    }
    guard case .failure(StoreError.unavailable) = await count else {
      Issue.record("the read did not fail")
      return
    }
  }
}
