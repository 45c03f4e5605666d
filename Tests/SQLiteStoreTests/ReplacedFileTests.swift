import Dispatch
import Foundation
import ManagedContext
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// A store whose file was replaced by another store while it was open.
@Suite struct ReplacedFileTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let context: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    store = try Self.open(folder.file("library.db"), with: "Woolf")
    context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model, store: store))
    try Self.open(folder.file("other.db"), with: "Joyce").close()
  }

  private static func open(_ path: String, with name: String) throws -> SQLiteStore {
    let store = try SQLiteStore(path: path, model: Library.model, identity: LibraryStack.identity)
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: store))
    context.insert(Author.self).name = name
    try context.save()
    return store
  }

  private func move(_ name: String, to other: String) throws {
    for ending in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(atPath: folder.file(name) + ending) {
      try FileManager.default.moveItem(
        atPath: folder.file(name) + ending, toPath: folder.file(other) + ending)
    }
  }

  private func isReplaced(_ error: any Error) -> Bool {
    if case .cannotOpen(let cause) = error as? StoreError { cause.contains(store.name) } else { false }
  }

  @Test func `reads fail like writes, and go on when the file is back`() throws {
    let author = try #require(try context.fetch(FetchRequest(Author.self)).first)
    context.refresh(author, mergeChanges: false)
    try move("library.db", to: "aside.db")
    try move("other.db", to: "library.db")
    #expect { try context.fetch(FetchRequest(Author.self)) } throws: { isReplaced($0) }
    #expect { try context.count(FetchRequest(Author.self)) } throws: { isReplaced($0) }
    #expect { try store.consumers() } throws: { isReplaced($0) }
    #expect(author.name == "" || author.name == "Woolf")
    #expect(context.faultError.map(isReplaced) == true)
    let copy = folder.file("copy.db")
    #expect { try store.backup(to: copy) } throws: { isReplaced($0) }
    #expect(!FileManager.default.fileExists(atPath: copy))
    try move("library.db", to: "other.db")
    try move("aside.db", to: "library.db")
    #expect(try context.fetch(FetchRequest(Author.self)).map(\.name) == ["Woolf"])
  }

  @Test func `no connection that is opened later reads the other file`() throws {
    try move("library.db", to: "aside.db")
    try move("other.db", to: "library.db")
    let found = Mutex<[String]>([])
    let coordinator = PersistentStoreCoordinator(model: Library.model, store: store)
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      let context = ManagedObjectContext(parent: coordinator)
      let names = try? context.fetch(FetchRequest(Author.self)).map(\.name)
      found.withLock { $0 += names ?? [] }
    }
    #expect(found.withLock { $0 }.isEmpty)
  }
}
