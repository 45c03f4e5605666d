import Foundation
import ManagedContext
import TestSupport
import Testing

@MainActor
@Suite struct MergingTests {
  private let stack: LibraryStack
  private let main: MainContext

  init() throws {
    stack = try LibraryStack()
    main = MainContext(parent: stack.root)
    main.mergeInterval = 3600
  }

  private func rename(_ id: ManagedObjectID, to name: String) async throws {
    let context = stack.background("rename")
    await context.perform { context in context.object(Author.self, with: id)?.name = name }
    try await context.save()
  }

  @Test func `the main context sees another context's save after its merge`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let author = try main.context.existingObject(Author.self, with: id)
    try await rename(id, to: "Virginia Woolf")
    #expect(author.name == "Woolf")
    try main.flush()
    #expect(author.name == "Virginia Woolf")
  }

  @Test func `merging keeps unsaved edits of the same and of other attributes`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let author = try main.context.existingObject(Author.self, with: id)
    author.city = "Rodmell"
    try await rename(id, to: "Virginia Woolf")
    try main.flush()
    #expect(author.name == "Virginia Woolf")
    #expect(author.city == "Rodmell")
    try await main.save()
    #expect(
      try stack.root.fetch(StoreQuery(entity: 0)).value(row: 0, column: 1, model: Library.model)
        == .text("Rodmell"))
  }

  @Test func `a second merge of the same changes has no effect`() async throws {
    let id = try await stack.addAuthor("Woolf")
    _ = try main.context.existingObject(Author.self, with: id)
    try await rename(id, to: "Virginia Woolf")
    let changes = ContextChanges(updatedObjects: [id])
    #expect(try main.context.mergeChanges(from: changes).count == 1)
    #expect(try main.context.mergeChanges(from: changes).isEmpty)
  }

  @Test func `an object is refreshed among thousands that are not registered`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let author = try main.context.existingObject(Author.self, with: id)
    try await rename(id, to: "Virginia Woolf")
    var changes = ContextChanges(updatedObjects: [id])
    for key in 1000..<5000 {
      changes.inserted.insert(ManagedObjectID(entity: Library.author, store: id.store, key: Int64(key)))
    }
    #expect(try main.context.mergeChanges(from: changes).map(\.id) == [id])
    #expect(author.name == "Virginia Woolf")
    #expect(main.context.registeredObjects.count == 1)
  }

  @Test(arguments: [[1, 1500, 1, 1500], [1500, 1500, 700], [3000, 1, 1]])
  func `an ID passed on before the save finds its object afterwards, regardless of the number of saves`(
    sizes: [Int]
  )
    async throws
  {
    let worker = stack.background("worker")
    var temporary: [ManagedObjectID] = []
    for size in sizes {
      let offset = temporary.count
      temporary += await worker.perform { context in
        (0..<size).map { number in
          let author = context.insert(Author.self)
          author.name = "\(offset + number)"
          return author.id
        }
      }
      try await worker.save()
      try main.flush()
    }
    let names = temporary.map { main.context.object(Author.self, with: $0)?.name }
    #expect(names == temporary.indices.map { "\($0)" })
  }

  @Test func `an object that another context deleted stays readable and reports it`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let author = try main.context.existingObject(Author.self, with: id)
    let other = stack.background("delete")
    await other.perform { context in
      if let author = context.object(Author.self, with: id) { context.delete(author) }
    }
    try await other.save()
    try main.flush()
    #expect(author.isGone)
    #expect(author.name == "Woolf")
    #expect(throws: StoreError.notFound(id)) { _ = try main.context.existingObject(Author.self, with: id) }
  }

  @Test func `a fault whose row is gone reads as null and reports it`() async throws {
    let id = try #require(main.context.id(Author.self, row: 4711))
    let author = try #require(main.context.object(Author.self, with: id))
    #expect(author.isFault)
    #expect(author.name == "")
    #expect(author.isGone)
  }

  @Test func `a reverted deletion shows the values that another context saved meanwhile`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let author = try main.context.existingObject(Author.self, with: id)
    main.context.delete(author)
    try await rename(id, to: "Virginia Woolf")
    try main.flush()
    main.context.rollback()
    #expect(author.name == "Virginia Woolf")
    #expect(!author.hasChanges)
  }

  @Test func `a merge during a save takes effect if that save fails`() async throws {
    let id = try await stack.addAuthor("Woolf")
    var grouping = RootContext.Grouping()
    grouping.delay = 3600
    let root = RootContext(coordinator: stack.coordinator, grouping: grouping)
    let context = BackgroundContext(parent: root, name: "saving")
    try await context.perform { (context) throws(StoreError) in
      try context.existingObject(Author.self, with: id).city = "London"
    }
    try await rename(id, to: "Virginia Woolf")
    let changes = ContextChanges(updatedObjects: [id])
    let ticket = try await context.perform { (context) throws(StoreError) in
      let ticket = try context.push()
      try context.mergeChanges(from: changes)
      return ticket
    }
    root.flush()
    await #expect(throws: StoreError.self) { _ = try await ticket?.committed() }
    try await context.perform { (context) throws(StoreError) in
      _ = try context.fetch(FetchRequest(Author.self))
      try context.save()
    }
    let author = try main.context.existingObject(Author.self, with: id)
    #expect([author.name, author.city] == ["Virginia Woolf", "London"])
  }

  @Test func `many saves are merged together`() async throws {
    let id = try await stack.addAuthor("Woolf")
    _ = try main.context.existingObject(Author.self, with: id)
    var merges: [ContextChanges] = []
    main.didMerge = { merges.append($0) }
    for number in 1...20 { try await rename(id, to: "Woolf \(number)") }
    try main.flush()
    #expect(merges.count == 1)
    #expect(merges.first?.updated.keys.first == id || merges.first?.inserted == [id])
  }

  @Test func `a context has one object per ID`() async throws {
    let id = try await stack.addAuthor("Woolf")
    let fetched = try main.context.fetch(FetchRequest(Author.self)).first
    #expect(fetched === main.context.object(Author.self, with: id))
    #expect(fetched === main.context.registeredObject(for: id))
  }
}

/// Changes that a merge must not miss.
@Suite struct ThoroughMergingTests {
  @Test(arguments: StoreKind.allCases)
  func `a pair that another context removed is no longer shown`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    let book = try context.fetch(FetchRequest(Book.self))[0]
    let tag = context.insert(Tag.self)
    tag.name = "novel"
    book.tags = [tag]
    try context.save()
    #expect(book.tags === [tag] && tag.books === [book])
    let other = store.context()
    try other.existingObject(Book.self, with: book.id).tags = []
    try context.mergeChanges(from: try other.save())
    #expect(book.tags.isEmpty && tag.books.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship follows an unregistered object that changed its owner`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let (woolf, wells) = (try store.add("Woolf", books: ["Orlando"]), try store.add("Wells"))
    let context = store.context()
    let author = try context.existingObject(Author.self, with: woolf)
    #expect(context.relatedCount(author) == 1)
    let other = store.context()
    try other.fetch(FetchRequest(Book.self))[0].author = try other.existingObject(Author.self, with: wells)
    try context.mergeChanges(from: try other.save())
    #expect(context.relatedCount(author) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `an object deleted and inserted again has its new values`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let (remover, editor, shown) = (store.context(), store.context(.objectTrumps), store.context())
    let removed = try remover.existingObject(Author.self, with: id)
    for city in ["1", "2"] {
      removed.city = city
      try remover.save()
    }
    let held = try shown.existingObject(Author.self, with: id)
    let unaware = store.context()
    let copy = try unaware.existingObject(Author.self, with: id)
    try editor.existingObject(Author.self, with: id).city = "London"
    remover.delete(removed)
    try shown.mergeChanges(from: try remover.save())
    #expect(held.isGone)
    try shown.mergeChanges(from: try editor.save())
    #expect(!held.isGone && held.city == "London")
    // A context that was not notified does not take the new row for the old one.
    copy.name = "Virginia"
    #expect(throws: StoreError.self) { try unaware.save() }
    _ = try unaware.fetch(FetchRequest(Author.self))
    unaware.rollback()
    _ = try unaware.fetch(FetchRequest(Author.self))
    #expect(copy.city == "London")
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion that conflicted with an edit succeeds after a merge`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let (context, other) = (store.context(), store.context())
    context.delete(try context.existingObject(Author.self, with: id))
    try other.existingObject(Author.self, with: id).city = "London"
    let changes = try other.save()
    #expect(throws: StoreError.self) { try context.save() }
    try context.mergeChanges(from: changes)
    try context.save()
    #expect(try store.context().count(FetchRequest(Author.self)) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `a pair added by both a child and its parent exists once`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    context.insert(Tag.self).name = "novel"
    try context.save()
    let parent = BackgroundContext(parent: store.coordinator, name: "parent")
    let child = BackgroundContext(parent: parent, name: "child")
    let link: @Sendable (ManagedObjectContext) throws -> Void = { context in
      try context.fetch(FetchRequest(Book.self))[0].tags = try context.fetch(FetchRequest(Tag.self))
    }
    try await child.perform(link)
    try await parent.perform(link)
    let words: @Sendable (ManagedObjectContext) throws -> [String] = { context in
      try context.fetch(FetchRequest(Book.self, prefetching: [\Book.tags]))[0].tags.map(\.name)
    }
    #expect(try await BackgroundContext(parent: child, name: "grandchild").perform(words) == ["novel"])
    try await child.save()
    #expect(try await parent.perform(words) == ["novel"])
    #expect(try await child.perform(words) == ["novel"])
    try await child.perform { try $0.fetch(FetchRequest(Book.self))[0].tags = [] }
    try await child.save()
    #expect(try await parent.perform(words).isEmpty)
    try await parent.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchRequest(Book.self))[0].tags.isEmpty)
  }
}

extension ManagedObjectContext {
  fileprivate func relatedCount(_ author: Author) -> Int { author.books.count }
}
