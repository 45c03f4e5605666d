import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

/// An object's ID in a form that another process can use.
@Suite struct StoredObjectIDTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "library.db") throws -> PersistentStoreCoordinator {
    PersistentStoreCoordinator(
      model: Library.model,
      store: try SQLiteStore(path: folder.file(name), model: Library.model, identity: LibraryStack.identity))
  }

  private func openReadOnly(_ name: String = "library.db") throws -> SQLiteStore {
    try SQLiteStore(readOnlyPath: folder.file(name), model: Library.model, identity: LibraryStack.identity)
  }

  @Test func `an ID leads to the same object after the store is opened again, encoded or as a URI`() throws {
    let first = try open()
    let id = try LibraryStore.addAuthor("Woolf", to: first)
    let stored = try #require(try first.storedID(of: id))
    #expect(stored.uri == "x-managed-object://\(stored.store.uuidString)/author/1")
    #expect(StoredObjectID(uri: stored.uri) == stored)
    let data = try JSONEncoder().encode(stored)
    #expect(try JSONDecoder().decode(StoredObjectID.self, from: data) == stored)

    let second = try open()
    let found = try #require(try second.id(of: stored))
    #expect(try ManagedObjectContext(parent: second).existingObject(Author.self, with: found).name == "Woolf")
    #expect(try second.storedID(of: found) == stored)
  }

  @Test func `nothing is found in another store, nor with a temporary ID`() throws {
    let (first, second) = (try open(), try open("other.db"))
    let id = try LibraryStore.addAuthor("Woolf", to: first)
    let stored = try #require(try first.storedID(of: id))
    #expect(try second.id(of: stored) == nil)
    #expect(try second.storedID(of: id) == nil)
    let context = ManagedObjectContext(parent: first)
    #expect(try first.storedID(of: context.insert(Author.self).id) == nil)
    #expect(try first.id(of: StoredObjectID(store: stored.store, entity: "unknown", key: 1)) == nil)
    first.removeStore(id.store)
    #expect(try first.id(of: stored) == nil)
  }

  @Test func `an ID of a store that is only read is resolved, and reading gives no file a UUID`() throws {
    let id = try LibraryStore.addAuthor("Woolf", to: try open())
    let coordinator = PersistentStoreCoordinator(model: Library.model)
    coordinator.addReadOnlyStore(try openReadOnly())
    #expect(try coordinator.storedID(of: id) == nil)
    let stored = try #require(try open().storedID(of: id))
    #expect(try coordinator.id(of: stored) == id)
    #expect(try coordinator.storedID(of: id) == stored)
  }

  @Test func `looking for an ID does not write the store`() throws {
    let coordinator = try open()
    #expect(try coordinator.id(of: StoredObjectID(store: UUID(), entity: "author", key: 1)) == nil)
    #expect(try coordinator.writtenStore?.uuid(isMade: false) == nil)
  }

  @Test func `a backup and a recovered file have the store's UUID`() throws {
    let coordinator = try open()
    let stored = try #require(
      try coordinator.storedID(of: try LibraryStore.addAuthor("Woolf", to: coordinator)))
    let store = try #require(coordinator.writtenStore as? SQLiteStore)
    try store.backup(to: folder.file("backup.db"))
    try store.close()
    _ = try SQLiteStore.recover(
      folder.file("library.db"), to: folder.file("recovered.db"), model: Library.model,
      identity: LibraryStack.identity)
    for name in ["backup.db", "recovered.db"] {
      #expect(try openReadOnly(name).uuid(isMade: false) == stored.store)
    }
  }

  @Test func `an entity that was renamed is found by its former name`() throws {
    let file = try TableStore()
    let key = AttributeKey<String>(0, "title")
    let before = ManagedObjectModel.one(1, [.attribute(key)])
    try file.fill(before, [(0, [.text("Orlando")])])
    let coordinator = PersistentStoreCoordinator(model: before, store: try file.open(before))
    let stored = try #require(try coordinator.storedID(of: file.id(0, 1)))
    let after = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "novel", class: Novel.self, properties: [.attribute(key)], renamedFrom: stored.entity)
      ])
    let migrated = PersistentStoreCoordinator(model: after, store: try file.open(after))
    #expect(try migrated.id(of: stored) == file.id(0, 1))
    #expect(try migrated.storedID(of: file.id(0, 1))?.entity == "novel")
  }

  @Test func `a name with any characters is in the URI`() {
    let stored = StoredObjectID(store: UUID(), entity: "Bücher/100 %", key: 7)
    #expect(stored.uri.hasSuffix("/B%C3%BCcher%2F100%20%25/7"))
    #expect(StoredObjectID(uri: stored.uri) == stored)
  }

  @Test(arguments: [
    "", "x-managed-object://", "x-coredata://UUID/author/1", "x-managed-object://nothing/author/1",
    "x-managed-object://UUID//1", "x-managed-object://UUID/author/", "x-managed-object://UUID/author/+1",
    "x-managed-object://UUID/author/-1", "x-managed-object://UUID/author/1/",
    "x-managed-object://UUID/author/9223372036854775808", "x-managed-object://UUID/%FF/1",
  ])
  func `another text is no ID`(text: String) {
    #expect(StoredObjectID(uri: text.replacing("UUID", with: UUID().uuidString)) == nil)
  }
}

private final class Novel: ManagedObject {
  override class var entityName: String { "novel" }
}
