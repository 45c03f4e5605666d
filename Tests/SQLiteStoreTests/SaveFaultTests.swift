import Foundation
import GRDB
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// Failures to write the store: the error has a type, the changes are kept, and a later save succeeds.
@Suite struct SaveFaultTests {
  private let folder: TemporaryFolder
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = PersistentStoreCoordinator(model: Library.model, store: try Self.open(folder))
    context = ManagedObjectContext(parent: coordinator)
    context.insert(Author.self).name = "Woolf"
    try context.save()
    context.insert(Author.self).name = "Joyce"
  }

  private static func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
    var options = SQLiteStoreOptions()
    options.busyTimeout = 0
    return try SQLiteStore(
      path: folder.file("library.db"), model: Library.model, identity: LibraryStack.identity, options: options
    )
  }

  private func expectFailure(_ isExpected: (StoreError) -> Bool) throws {
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError).map(isExpected) ?? false
    }
    #expect(context.insertedObjects.count == 1)
  }

  private func expectSuccess() throws {
    #expect(try context.save().inserted.count == 1)
    let reader = ManagedObjectContext(parent: coordinator)
    #expect(try reader.fetch(FetchRequest(Author.self)).map(\.name) == ["Woolf", "Joyce"])
  }

  @Test func `a store that another process is writing is busy`() throws {
    let other = try DatabaseQueue(path: folder.file("library.db"))
    try other.inDatabase { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      try expectFailure { $0 == .busy }
      try db.execute(sql: "ROLLBACK")
    }
    try expectSuccess()
  }

  private func removeStore() {
    coordinator.removeStore(coordinator.writtenStoreNumber)
  }

  @Test func `a store whose file was removed refuses writes`() throws {
    let path = folder.file("library.db")
    let aside = folder.file("aside.db")
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    try expectFailure { if case .cannotOpen(let cause) = $0 { cause.contains(path) } else { false } }
    try FileManager.default.moveItem(atPath: aside, toPath: path)
    try expectSuccess()
  }

  @Test func `a store that disappeared can be replaced, and accepts the changes then`() throws {
    for ending in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.file("library.db") + ending)
    }
    try expectFailure { if case .cannotOpen = $0 { true } else { false } }
    removeStore()
    try coordinator.addPersistentStore(try Self.open(folder))
    #expect(try context.save().inserted.count == 1)
  }

  @Test func `the error names a corrupt store, which stays unchanged for a repair`() throws {
    let path = folder.file("library.db")
    removeStore()
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    var bad = good
    for place in 16_384..<bad.count { bad[place] = 0xEE }
    try bad.write(to: URL(fileURLWithPath: path))
    removeStore()
    try coordinator.addPersistentStore(try Self.open(folder))
    try expectFailure { if case .corrupt(let cause) = $0 { cause.contains(path) } else { false } }
    removeStore()
    try good.write(to: URL(fileURLWithPath: path))
    try coordinator.addPersistentStore(try Self.open(folder))
    try expectSuccess()
  }

  @Test func `a read-only store refuses saves with its name`() throws {
    let path = folder.file("library.db")
    removeStore()
    try coordinator.addPersistentStore(
      try SQLiteStore(readOnlyPath: path, model: Library.model, identity: LibraryStack.identity))
    try expectFailure { $0 == .readOnly(path) }
    removeStore()
    try coordinator.addPersistentStore(try Self.open(folder))
    try expectSuccess()
  }
}
