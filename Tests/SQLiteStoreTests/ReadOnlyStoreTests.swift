import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

@Suite struct ReadOnlyStoreTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(2, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
    try file.fill(model, [(0, [.text("Orlando")])])
  }

  private func read(
    version: Int = 2, verifies: Bool = false, identity: StoreIdentity = TableStore.identity
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
      readOnlyPath: file.path, model: ManagedObjectModel(version: version, entities: model.entities),
      identity: identity, verifies: verifies)
  }

  @Test func `a read-only store reads committed rows, including later commits`() throws {
    let store = try read(verifies: true)
    #expect(try store.rows(0, model).map(\.values) == [[.text("Orlando")]])
    try file.fill(model, [(0, [.text("Flush")])])
    #expect(try store.count(StoreQuery(entity: 0)) == 2)
    #expect(try store.history(after: nil).count == 2)
  }

  @Test func `the error of a refused save names the path`() throws {
    let store = try read()
    let results = store.write([ChangeSet(mergePolicy: .error), ChangeSet(mergePolicy: .overwrite)])
    #expect(results.count == 2)
    for result in results { #expect(throws: StoreError.readOnly(file.path)) { try result.get() } }
    #expect(throws: StoreError.readOnly(file.path)) { try store.purgeHistory(before: HistoryToken(9)) }
  }

  @Test func `reading leaves the file unchanged`() throws {
    let before = try file.bytes()
    #expect(try read(verifies: true).count(StoreQuery(entity: 0)) == 1)
    #expect(try file.bytes() == before)
  }

  @Test(arguments: [
    "CREATE VIEW first AS SELECT * FROM hidden",
    "CREATE VIRTUAL TABLE first USING fts5(id, version, title)",
    "CREATE TABLE first (id INTEGER PRIMARY KEY, version INTEGER)",
  ])
  func `a file with an object of another kind in place of a table is refused`(definition: String) throws {
    try file.run("ALTER TABLE first RENAME TO hidden; \(definition)")
    #expect { try read() } throws: {
      if case StoreError.corrupt(let cause) = $0 { cause.contains("first") } else { false }
    }
  }

  @Test func `a missing file is refused and not created`() throws {
    let path = file.folder.file("nothing.db")
    #expect { try SQLiteStore(readOnlyPath: path, model: model, identity: TableStore.identity) } throws: {
      if case StoreError.cannotOpen(let cause) = $0 { cause.contains(path) } else { false }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `files of other versions are refused`() throws {
    #expect(throws: StoreError.older(version: 2, known: 3)) { try read(version: 3) }
    #expect(throws: StoreError.newer(version: 2, known: 1)) { try read(version: 1) }
  }

  @Test func `a file of another program is refused`() {
    #expect { try read(identity: StoreIdentity(applicationID: 1)) } throws: {
      if case StoreError.foreign = $0 { true } else { false }
    }
  }

  @Test(arguments: [[], Array("no database".utf8)])
  func `a file that is not a database is refused`(content: [UInt8]) throws {
    let path = try file.folder.write("other.db", content)
    #expect { try SQLiteStore(readOnlyPath: path, model: model, identity: TableStore.identity) } throws: {
      if case StoreError.corrupt = $0 { true } else { false }
    }
  }

  @Test func `damage inside the file is detected if verification is requested`() throws {
    let rows = (0..<2000).map {
      (EntityIndex(0), [AttributeValue.text("title \($0) \(String(repeating: "x", count: 50))")])
    }
    try file.fill(model, rows)
    var bytes = try file.bytes()
    for place in bytes.count - 3 * 16_384..<bytes.count - 16_384 { bytes[place] = 0xAA }
    try bytes.write(to: URL(fileURLWithPath: file.path))
    _ = try read()
    #expect { try read(verifies: true) } throws: {
      if case StoreError.corrupt = $0 { true } else { false }
    }
  }

  @Test(.enabled(if: isUnprivileged, "root may write everywhere"))
  func `a folder without write permission stays unchanged`() throws {
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: file.folder.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.folder.path) }
    #expect(try read(verifies: true).count(StoreQuery(entity: 0)) == 1)
    #expect(try manager.contentsOfDirectory(atPath: file.folder.path) == ["store.db"])
  }

  private static let isUnprivileged = geteuid() != 0
}

/// Eight libraries that are read together.
@Suite struct SeveralStoresTests {
  private let folder: TemporaryFolder
  private let coordinator: PersistentStoreCoordinator
  private let numbers: [StoreNumber]

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    coordinator = PersistentStoreCoordinator(model: Library.model)
    var numbers: [StoreNumber] = []
    for number in 0..<8 {
      let path = folder.file("\(number).db")
      try Self.fill(path, number)
      numbers.append(try coordinator.addReadOnlySQLiteStore(at: path, identity: LibraryStack.identity))
    }
    self.numbers = numbers
  }

  private static func fill(_ path: String, _ number: Int) throws {
    let store = try SQLiteStore(path: path, model: Library.model, identity: LibraryStack.identity)
    let author = AttributeValue.reference(ManagedObjectID(entity: 0, store: .none, key: -1))
    try store.insert([
      (0, [.text("author \(number)"), .null]),
      (1, [author, .text("early \(number)"), .null, .integer(Int64(number)), .integer(0)]),
      (1, [author, .text("late \(number)"), .null, .integer(Int64(100 + number)), .integer(0)]),
    ])
  }

  @Test func `each file has one number, however it is opened`() throws {
    #expect(Set(numbers).count == 8)
    let again = try SQLiteStore(
      readOnlyPath: folder.file("3.db"), model: Library.model, identity: LibraryStack.identity)
    #expect(again.number == numbers[3])
  }

  @Test func `a request sorts, skips and limits over all stores`() async throws {
    let context = BackgroundContext(parent: coordinator, name: "test")
    let titles = try await context.perform { (context) throws(StoreError) in
      let request = FetchRequest(Book.self, sortedBy: [.descending(\.mark)], offset: 6, limit: 4)
      return try context.fetch(request).map(\.title)
    }
    #expect(titles == ["late 1", "late 0", "early 7", "early 6"])
    #expect(try coordinator.count(StoreQuery(entity: 1)) == 16)
    #expect(try coordinator.count(StoreQuery(entity: 1, offset: 10, limit: 10)) == 6)
  }

  @Test func `a reference leads to an object of the same store`() async throws {
    let context = BackgroundContext(parent: coordinator, name: "test")
    let pairs = try await context.perform { [numbers] (context) throws(StoreError) in
      try context.fetch(FetchRequest(Book.self, where: \.mark < 100, sortedBy: [.ascending(\.mark)])).map {
        "\($0.title): \($0.author?.name ?? "-") of \(numbers.firstIndex(of: $0.author?.id.store ?? .none) ?? -1)"
      }
    }
    #expect(pairs == (0..<8).map { "early \($0): author \($0) of \($0)" })
  }

  @Test func `a fetch by ID queries only the ID's store`() throws {
    let author = ManagedObjectID(entity: 0, store: numbers[2], key: 1)
    let byReference = StoreQuery(
      entity: 1, predicate: .compare(Book.schema.author.index, .equal, .reference(author)))
    #expect(try Set(coordinator.fetch(byReference).ids.map(\.store)) == [numbers[2]])
    #expect(try coordinator.fetch(StoreQuery(entity: 0, predicate: .ids([author]))).ids == [author])
  }

  @Test func `a written store can be read together with read-only stores`() throws {
    try coordinator.addSQLiteStore(at: folder.file("written.db"), identity: LibraryStack.identity)
    #expect(try coordinator.count(StoreQuery(entity: 0)) == 8)
    #expect {
      try coordinator.addSQLiteStore(at: folder.file("2.db"), identity: LibraryStack.identity)
    } throws: {
      if case StoreError.cannotOpen = $0 { true } else { false }
    }
  }
}
