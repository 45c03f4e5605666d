import Foundation
import ManagedContext
import ManagedContextTesting
import TestSupport
import Testing

@Suite struct TestStoreTests {
  private let store = TestStore(InMemoryStore(model: Library.model))

  private func context() -> ManagedObjectContext {
    ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model, store: store))
  }

  private func save(_ name: String) throws {
    let context = context()
    context.insert(Author.self).name = name
    try context.save()
  }

  @Test(arguments: 1...4) func `only the chosen call of a kind fails`(number: Int) throws {
    store.fail(.write, at: number, with: .full("test"))
    var outcomes: [Bool] = []
    for name in ["a", "b", "c", "d"] {
      _ = try context().count(FetchRequest(Author.self))
      do { try save(name) } catch StoreError.full { outcomes.append(false); continue }
      outcomes.append(true)
    }
    #expect(outcomes == (1...4).map { $0 != number })
    #expect(try context().count(FetchRequest(Author.self)) == 3 && store.writeCount == 4)
    store.fail(.fetch, with: .busy)
    #expect(throws: StoreError.busy) { try context().fetch(FetchRequest(Author.self)) }
    store.fail(.history, with: .busy)
    #expect(throws: StoreError.busy) { try store.currentHistoryToken() }
  }

  @Test(arguments: StoreKind.allCases)
  func `a refused save fails alone, and the others of its transaction keep their results`(
    kind: StoreKind
  ) async throws {
    let library = try LibraryStore(kind)
    var grouping = RootContext.Grouping()
    grouping.delay = 3600
    let root = RootContext(coordinator: library.coordinator, grouping: grouping)
    library.store.refuse { call in
      call.changes?.insertions.first?.values.first == .text("b") ? .full("test") : nil
    }
    let contexts = ["a", "b", "c"].map { BackgroundContext(parent: root, name: $0) }
    var tickets: [SaveTicket?] = []
    for context in contexts {
      let name = context.executor.name
      tickets.append(
        try await context.perform { context in
          context.insert(Author.self).name = name
          return try context.push()
        })
    }
    await root.settleSaves()
    let inserted = tickets.map { try? $0?.outcome?.get().changes.inserted.first }
    #expect(inserted.map { $0 == nil } == [false, true, false])
    let names = try inserted.map { id in
      try id.map { try library.context().existingObject(Author.self, with: $0).name }
    }
    #expect(names == ["a", nil, "c"] && library.store.writeCount == 3)
    root.close()
  }

  @Test func `queries are counted by entity, and rows as they are returned`() throws {
    for name in ["a", "b"] { try save(name) }
    _ = try context().fetch(FetchRequest(Author.self))
    _ = try context().count(FetchRequest(Book.self))
    #expect(store.rowCount == 2 && store.readCount() == 2)
    #expect([Library.author, Library.book].map { store.readCount(of: $0) } == [1, 1])
  }

  @Test func `the store's clock stands still at the time that was set`() {
    let clock = TestClock()
    let store = TestStore(InMemoryStore(model: Library.model), clock: clock)
    #expect(abs(store.now().timeIntervalSinceNow) < 3600)
    clock.set(Date(timeIntervalSince1970: 1))
    #expect(store.now() == Date(timeIntervalSince1970: 1))
  }

  @MainActor
  @Test func `contexts have merged all earlier saves after the wait, whatever the delays are`() async throws {
    let library = try LibraryStore(.memory)
    let id = try library.add("Woolf")
    var grouping = RootContext.Grouping()
    grouping.delay = 3600
    let root = RootContext(coordinator: library.coordinator, grouping: grouping)
    let main = MainContext(parent: root)
    main.mergeInterval = 3600
    let other = BackgroundContext(parent: root, name: "other", mergesChanges: true)
    let author = try main.context.existingObject(Author.self, with: id)
    let read: @Sendable (ManagedObjectContext) throws -> String = { context in
      let known = context.registeredObjects.compactMap { $0 as? Author }
      return try known.first?.name ?? context.existingObject(Author.self, with: id).name
    }
    #expect(try await other.perform(read) == "Woolf")
    let writer = BackgroundContext(parent: root, name: "writer")
    try await writer.perform { context in
      try context.existingObject(Author.self, with: id).name = "Virginia Woolf"
      _ = try context.push()
    }
    try await main.mergeSaves(to: root)
    #expect(author.name == "Virginia Woolf")
    await other.mergeSaves(to: root)
    #expect(try await other.perform(read) == "Virginia Woolf")
    root.close()
  }
}
