import Foundation
import ManagedContext
import TestSupport
import Testing
import Threading

@Suite struct DidSaveTests {
  private let stack: LibraryStack

  init() throws {
    stack = try LibraryStack()
  }

  @Test func `a did-save names the objects inserted, updated (with attributes) and deleted`() async throws {
    let (edited, gone) = (try await stack.addAuthor("Woolf"), try await stack.addAuthor("Joyce"))
    let context = stack.background()
    let seen = Locked<[ContextChanges]>([])
    let observation = context.didSave.observe { changes in seen.withLock { $0.append(changes) } }
    let temporary = try await context.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: edited).city = "Rodmell"
      context.delete(try context.existingObject(Author.self, with: gone))
      let new = context.insert(Author.self)
      new.name = "Proust"
      return new.id
    }
    let changes = try await context.save()
    #expect(seen.withLock { $0 } == [changes])
    #expect(changes.updated[edited]?.contains(Author.schema.city) == true)
    #expect(changes.updated[edited]?.contains(Author.schema.name) == false)
    #expect(changes.deleted == [gone])
    #expect(changes.inserted.first == changes.permanentIDs[temporary])
    observation.cancel()
    await context.perform { context in context.insert(Author.self).name = "Mann" }
    try await context.save()
    #expect(seen.withLock { $0.count } == 1)
  }

  @Test func `releasing an observation ends it`() async throws {
    let context = stack.background()
    let counter = Counter()
    _ = context.didSave.observe { _ in counter.increment() }
    await context.perform { context in context.insert(Author.self).name = "Woolf" }
    try await context.save()
    #expect(counter.value == 0)
  }

  @Test func `a context is notified only of its own saves, the coordinator of all saves`() async throws {
    let (first, second) = (stack.background("first"), stack.background("second"))
    let (own, all) = (Counter(), Counter())
    let observations = [
      first.didSave.observe { _ in own.increment() },
      stack.coordinator.didSave.observe { _ in all.increment() },
    ]
    for (number, context) in [first, second].enumerated() {
      await context.perform { context in context.insert(Author.self).name = "Author \(number)" }
      try await context.save()
    }
    #expect((own.value, all.value) == (1, 2))
    observations.forEach { $0.cancel() }
  }

  @Test func `a task can iterate the saves and misses none while it is busy`() async throws {
    let context = stack.background()
    let iterating = context.didSave.changes.makeAsyncIterator()
    for number in 0..<20 {
      await context.perform { context in context.insert(Author.self).name = "Author \(number)" }
      try await context.save()
    }
    var iterator = iterating
    var inserted: Set<ManagedObjectID> = []
    var elements = 0
    while inserted.count < 20, let changes = await iterator.next() {
      inserted.formUnion(changes.inserted)
      elements += 1
    }
    #expect(inserted.count == 20)
    #expect(elements < 20, "saves during other work are one element")
  }

  @Test func `cancelling the task ends the iteration`() async throws {
    let context = stack.background()
    let task = Task {
      var count = 0
      for await _ in context.didSave.changes { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test func `a save whose task is cancelled waits and returns what the store has written`() async throws {
    let store = SlowStore()
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: Library.model, store: store))
    let context = BackgroundContext(parent: root, name: "saving")
    await context.perform { context in context.insert(Author.self).name = "Woolf" }
    let save = Task { try await context.save() }
    store.waitUntilWritten()
    save.cancel()
    store.finish()
    #expect(try await save.value.inserted.count == 1)
    #expect(await context.perform { !$0.hasChanges })
  }

  @Test func `a task that is already cancelled edits and saves, and can see that it is cancelled`()
    async throws
  {
    let context = stack.background()
    let save = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let isCancelled = await context.perform { context in
        context.insert(Author.self).name = "Woolf"
        return Task.isCancelled
      }
      #expect(isCancelled)
      #expect(!context.performAndWait { _ in Task.isCancelled }, "the closure runs outside the task")
      return try await context.save()
    }
    #expect(try await save.value.inserted.count == 1)
  }

  @Test func `a fetch during a save shows each object once`() async throws {
    let store = SlowStore()
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: Library.model, store: store))
    let context = BackgroundContext(parent: root, name: "saving")
    await context.perform { context in context.insert(Author.self).name = "Woolf" }
    try await context.perform { (context) throws(StoreError) in _ = try context.push() }
    root.flush()
    store.waitUntilWritten()
    let names = Task {
      try await context.perform { (context) throws(StoreError) in
        try context.fetch(FetchRequest(Author.self)).map { ($0.name, $0.id.isTemporary) }.map { "\($0)" }
      }
    }
    store.finish()
    #expect(try await names.value == ["(\"Woolf\", false)"])
  }

  @Test func `objects can be edited and saved again while a save of them is running`() async throws {
    let store = SlowStore()
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: Library.model, store: store))
    let context = BackgroundContext(parent: root, name: "saving")
    try await context.perform { (context) throws(StoreError) in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      _ = try context.push()
      author.city = "London"
    }
    root.flush()
    store.finish()
    try await context.save()
    let rows = try root.fetch(StoreQuery(entity: Library.author))
    #expect(rows.count == 1)
    #expect(rows.value(row: 0, column: 1, model: Library.model) == .text("London"))
  }

  @Test func `a failed save keeps later edits of its objects`() async throws {
    let store = GatedStore()
    store.refuse { _ in .full("disk") }
    store.closeGate()
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: Library.model, store: store))
    let context = BackgroundContext(parent: root, name: "saving")
    try await context.perform { (context) throws(StoreError) in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      _ = try context.push()
      author.city = "London"
    }
    store.openGate()
    await #expect(throws: StoreError.full("disk")) {
      try await context.perform { (context) throws(StoreError) in try context.save() }
    }
    store.refuse { _ in nil }
    let cities = await context.perform { context in
      context.insertedObjects.compactMap { ($0 as? Author)?.city }
    }
    #expect(cities == ["London"])
    #expect(try await context.save().inserted.count == 1)
  }

  @Test func `after a failed save the next save contains its edits and the later ones`()
    async throws
  {
    let stack = try LibraryStack()
    let id = try await stack.addAuthor("Woolf")
    let (context, other) = (stack.background("one"), stack.background("other"))
    _ = try await context.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).name
    }
    await other.perform { context in context.object(Author.self, with: id)?.city = "Dublin" }
    try await other.save()
    try await context.perform { (context) throws(StoreError) in
      let author = try context.existingObject(Author.self, with: id)
      author.name = "Joyce"
      _ = try context.push()
      author.city = "London"
    }
    await #expect(throws: StoreError.self) { try await context.save() }
    await context.perform { context in context.mergePolicy = .objectTrumps }
    try await context.save()
    let rows = try stack.root.fetch(StoreQuery(entity: Library.author))
    #expect(rows.value(row: 0, column: 0, model: Library.model) == .text("Joyce"))
    #expect(rows.value(row: 0, column: 1, model: Library.model) == .text("London"))
  }
}

/// A store in memory whose writes make their rows readable at once and end when the test allows it.
private final class SlowStore: PersistentStore {
  let name = "the slow store"
  var number: StoreNumber { inner.number }
  private let inner = InMemoryStore(model: Library.model)
  private let state = Monitor((isWritten: false, mayFinish: false))

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch { try inner.fetch(query) }
  func count(_ query: StoreQuery) throws(StoreError) -> Int { try inner.count(query) }

  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    let results = inner.write(group)
    state.update { $0.isWritten = true }
    state.wait { $0.mayFinish ? () : nil }
    return results
  }

  func waitUntilWritten() { state.wait { $0.isWritten ? () : nil } }

  func finish() { state.update { $0.mayFinish = true } }
}
