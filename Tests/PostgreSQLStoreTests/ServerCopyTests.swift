import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing
import Threading

@testable import PostgreSQLStore

/// Copies of stores that fail.
@Suite(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
struct ServerCopyTests {
  private let schema: TestSchema
  private let folder: TemporaryFolder

  init() throws {
    schema = try TestSchema()
    folder = try TemporaryFolder()
  }

  private func rows(_ title: String, author: Int64 = 1) -> RowBatch {
    var rows = RowBatch(entity: Library.author, columns: [0, 1])
    rows.beginRow(key: author, version: 1)
    rows.append(text: title)
    rows.append(RowBatch.Cell.null)
    return rows
  }

  @Test func `nothing is there of a copy that was not completed`() throws {
    #expect(throws: StoreError.busy) {
      try PostgreSQLStore.make(schema.address, model: Library.model, application: 7, views: { [] }) {
        (target) throws(StoreError) in
        try target.add(rows("one"))
        throw .busy
      }
    }
    #expect(
      try schema.rows("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
        == ["0"])
    let file = folder.file("copy.db")
    #expect(throws: StoreError.busy) {
      try SQLiteStore.make(file, model: Library.model, identity: LibraryStack.identity) {
        (target) throws(StoreError) in
        try target.add(rows("one"))
        throw .busy
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `of two copies to one place at the same time, the second one finds a store`() throws {
    let second = Locked<Result<Void, StoreError>?>(nil)
    let thread = Locked<OwnThread?>(nil)
    let address = schema.address
    try PostgreSQLStore.make(address, model: Library.model, application: 7, views: { [] }) {
      (target) throws(StoreError) in
      try target.add(rows("one"))
      let started = try? OwnThread(name: "copy") {
        let result = Result { () throws(StoreError) in
          try PostgreSQLStore.make(address, model: Library.model, application: 7, views: { [] }) { _ in }
        }
        second.withLock { $0 = result }
      }
      thread.withLock { $0 = started }
      // The second one waits for the first one's lock.
      let waits =
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = (hashtext(current_schema())::bigint & 4294967295)"
      while (try? schema.rows(waits))?.isEmpty ?? false { sched_yield() }
    }
    thread.withLock { $0 }?.join()
    guard case .failure(.cannotOpen(let cause)) = second.withLock({ $0 }) else {
      Issue.record("the second copy did not fail")
      return
    }
    #expect(cause.contains("there is a store already"))
  }

  @Test(arguments: Relay.Cut.allCases)
  func `a copy whose last answer is lost is reported as what it is`(cut: Relay.Cut) throws {
    let relay = try Relay()
    func copy(to schema: TestSchema) throws {
      try PostgreSQLStore.make(
        relay.address(of: schema), model: Library.model, application: 7, views: { [] }
      ) { (target) throws(StoreError) in try target.add(rows("one")) }
    }
    try copy(to: try TestSchema())
    relay.cut(atRequest: relay.roundTrips, cut)
    switch cut {
    case .before: #expect(throws: StoreError.self) { try copy(to: schema) }
    case .after: try copy(to: schema)
    }
    #expect(relay.cuts == 1)
    let tables = try schema.rows(
      "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = 'author'"
    )
    #expect(tables == (cut == .after ? ["author"] : []))
  }

  @Test func `a part of a copy ends after some bytes, and has at least one row`() throws {
    let server = try PostgreSQLStore(schema.address, model: Library.model, application: 7)
    let file = try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity)
    let stores: [any PersistentStore] = [server, file]
    for store in stores {
      let context = ManagedObjectContext(
        parent: PersistentStoreCoordinator(model: Library.model, store: store))
      for name in ["a", "b", "c"] {
        context.insert(Author.self).name = String(repeating: name, count: 1000)
        try context.save()
      }
    }
    func parts(_ source: any StoreCopySource) throws(StoreError) -> [Int] {
      var (counts, key) = ([Int](), Int64.min)
      while true {
        let rows = try source.rows(of: Library.author, after: key, limit: 200, bytes: 1500)
        guard let last = rows.keys.last else { return counts }
        counts.append(rows.count)
        key = last
      }
    }
    #expect(try server.withCopySource { (source) throws(StoreError) in try parts(source) } == [2, 1])
    #expect(try file.withCopySource { (source) throws(StoreError) in try parts(source) } == [2, 1])
  }

  @Test func `a text that a server cannot keep is named`() throws {
    let error = #expect(throws: StoreError.self) {
      try PostgreSQLStore.make(schema.address, model: Library.model, application: 7, views: { [] }) {
        (target) throws(StoreError) in
        try target.add(rows("a\u{0}b"))
      }
    }
    #expect(
      error?.violations.map { "\($0)" } == [
        "author.name of object 1: contains U+0000, which PostgreSQL cannot keep"
      ])
  }

  @Test(arguments: [
    (true, ["one", "two", "a\u{0}b", "four"]), (true, ["one", "two", "one", "two"]),
    (false, ["one", "two", "one", "two"]),
  ])
  func `a row that cannot be written is named, and nothing is there`(onServer: Bool, names: [String]) throws {
    let write = { (target: any StoreCopyTarget) throws(StoreError) in
      var copy = StoreCopy(Library.model, of: "STORE") { (_) throws(StoreError) in }
      _ = try copy.run(from: AuthorSource(names: names.map { .text($0) }), to: target)
    }
    let error = #expect(throws: StoreError.self) {
      if onServer {
        try PostgreSQLStore.make(
          schema.address, model: Library.model, application: 7, views: { [] }, write)
      } else {
        try SQLiteStore.make(
          folder.file("copy.db"), model: Library.model, identity: LibraryStack.identity, write)
      }
    }
    guard case .invalid(let cause)? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "")")
      return
    }
    #expect(cause.hasPrefix("STORE: row 3 of author cannot be copied: "), "\(cause)")
    #expect(
      try schema.rows("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
        == ["0"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `the keys of a copy follow its rows if the source has given greater ones than it knows`() throws
  {
    try PostgreSQLStore.make(schema.address, model: Library.model, application: 7, views: { [] }) {
      (target) throws(StoreError) in
      var copy = StoreCopy(Library.model, of: "STORE") { (_) throws(StoreError) in }
      _ = try copy.run(from: AuthorSource(names: [.text("one"), .text("two")]), to: target)
    }
    #expect(try schema.rows("SELECT nextval(pg_get_serial_sequence('author', 'id'))") == ["3"])
  }

  @Test func `a value of another type is not lost without an error`() throws {
    let error = #expect(throws: StoreError.self) {
      try PostgreSQLStore.make(schema.address, model: Library.model, application: 7, views: { [] }) {
        (target) throws(StoreError) in
        var copy = StoreCopy(Library.model, of: "STORE") { (_) throws(StoreError) in }
        _ = try copy.run(from: AuthorSource(names: [.integer(2)]), to: target)
      }
    }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains(
        "STORE: row 1 of author cannot be copied: the value of name has the wrong type"))
  }
}

/// A source with authors of some names.
private struct AuthorSource: StoreCopySource {
  let names: [AttributeValue]

  func rows(
    of entity: EntityIndex, after key: Int64, limit: Int, bytes: Int
  ) throws(StoreError) -> RowBatch {
    var rows = RowBatch(entity: entity, columns: [0, 1])
    guard entity == Library.author, key < 1 else { return rows }
    for (place, name) in names.enumerated() {
      rows.beginRow(key: Int64(place) + 1, version: 1)
      rows.append(name)
      rows.append(RowBatch.Cell.null)
    }
    return rows
  }

  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64 { 0 }
  func transactions(after number: Int64, limit: Int) throws(StoreError) -> [StoredTransaction] { [] }
  func lastTransaction() throws(StoreError) -> Int64 { 0 }
  func allConsumers() throws(StoreError) -> [HistoryConsumer] { [] }
}
