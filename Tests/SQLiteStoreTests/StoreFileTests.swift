import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

@Suite struct StoreFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ path: String, version: Int = 3) throws(StoreError) -> SQLiteStore {
    let model = ManagedObjectModel(version: version, entities: Library.model.entities)
    return try SQLiteStore(path: path, model: model, identity: LibraryStack.identity)
  }

  private func header(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `a new store is private, in WAL mode, with pages of 16 KiB`() throws {
    let path = folder.file("deep/er/store.db")
    _ = try open(path)
    #expect(try mode(path) == 0o600)
    #expect(try mode(folder.file("deep/er")) == 0o700)
    let header = try header(path)
    #expect(header[16] == 0x40 && header[17] == 0)
    #expect(header[18] == 2 && header[19] == 2)
    #expect(header[60...63].elementsEqual([0, 0, 0, 3]))
    #expect(header[68...71].elementsEqual([0x4C, 0x49, 0x42, 0x52]))
  }

  @Test func `a new store in a folder that gives files its group can be read by the group`() throws {
    let shared = folder.file("shared")
    try FileManager.default.createDirectory(
      atPath: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o2750])
    let path = "\(shared)/store.db"
    let store = try open(path)
    #expect(try mode(path) == 0o640)
    #expect(try mode(path + "-wal") == 0o640)
    try store.close()
  }

  @Test func `a store opens again with its contents`() throws {
    let path = folder.file("store.db")
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [
      .init(id: ManagedObjectID(entity: 0, store: .none, key: -1), values: [.text("Woolf"), .null])
    ]
    _ = try open(path).write([changes])[0].get()
    #expect(try open(path).count(StoreQuery(entity: 0)) == 1)
  }

  @Test(arguments: [
    "not a database at all, but long enough to have a header of one hundred bytes, if it were one, really",
    "short",
  ])
  func `a file that is not a database is refused and left unchanged`(content: String) throws {
    let path = try folder.write("store.db", content.utf8)
    #expect { try open(path) } throws: { error in
      guard case StoreError.corrupt(let cause) = error else { return false }
      return cause.contains(path)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(content.utf8))
  }

  @Test func `a truncated store is refused and left unchanged`() throws {
    let path = folder.file("store.db")
    _ = try open(path)
    let cut = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(5000)
    try cut.write(to: URL(fileURLWithPath: path))
    #expect { try open(path) } throws: { if case StoreError.corrupt = $0 { true } else { false } }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == cut)
  }

  @Test func `a store of a newer version is refused and left unchanged`() throws {
    let path = folder.file("store.db")
    _ = try open(path, version: 9)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(throws: StoreError.newer(version: 9, known: 3)) { try open(path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `another program's database is refused and left unchanged`() throws {
    let path = folder.file("store.db")
    let model = ManagedObjectModel(version: 3, entities: Library.model.entities)
    _ = try SQLiteStore(path: path, model: model, identity: StoreIdentity(applicationID: 7))
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect { try open(path) } throws: { if case StoreError.foreign = $0 { true } else { false } }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `the error for a folder in place of the file names it`() throws {
    #expect { try open(folder.path) } throws: { error in
      if case StoreError.cannotOpen(let cause) = error { cause.contains("folder") } else { false }
    }
  }

  @Test func `programs that create the same file concurrently use one store`() async throws {
    let path = folder.file("store.db")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { _ = try open(path).count(StoreQuery(entity: 0)) }
      }
      try await group.waitForAll()
    }
    #expect(try open(path).count(StoreQuery(entity: 1)) == 0)
  }
}
