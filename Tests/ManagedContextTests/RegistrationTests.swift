import ManagedContext
import ManagedContextTesting
import TestSupport
import Testing

@Suite struct RegistrationTests {
  private let store: LibraryStore

  init() throws {
    store = try LibraryStore(.memory)
  }

  @Test func `unchanged objects without other references are forgotten`() throws {
    let author = try store.add("Woolf")
    let writer = store.context()
    writer.insert(.books((0..<30_000).map { ("Book \($0)", 1) }, by: author))
    try writer.save()

    let context = store.context()
    let held = try context.fetch(FetchRequest(Book.self, limit: 100))
    try context.fetch(FetchRequest(Book.self, offset: 100, limit: 1)).first?.title = "edited"
    let ids = try context.fetchIDs(FetchRequest(Book.self))
    for id in ids { _ = context.object(Book.self, with: id)?.isFault }
    #expect(context.registeredObjects.count < 25_000)
    for book in held { #expect(context.registeredObject(for: book.id) === book) }
    #expect((context.updatedObjects.first as? Book)?.title == "edited")
    #expect(try context.save().updated.count == 1)
  }

  @Test func `an object outlives its context and keeps its last known values`() throws {
    let id = try store.add("Woolf", city: "London")
    var context: ManagedObjectContext? = store.context()
    let author = try #require(try context?.existingObject(Author.self, with: id))
    context = nil
    #expect(author.context == nil && author.name == "Woolf")
    author.name = "edited"
    #expect(author.name == "edited")
  }

  @Test func `a reset context has no objects, and its former objects no longer affect it`() throws {
    let id = try store.add("Woolf")
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    author.city = "London"
    context.reset()
    #expect(!context.hasChanges && author.context == nil)
    author.city = "Rodmell"
    #expect(!context.hasChanges)
    #expect(try context.existingObject(Author.self, with: id) !== author)
  }

  @Test func `creating an object from a row that was read before needs no query`() throws {
    let counting = TestStore(InMemoryStore(model: Library.model))
    let coordinator = PersistentStoreCoordinator(model: Library.model, store: counting)
    let root = RootContext(coordinator: coordinator)
    let writer = ManagedObjectContext(parent: root)
    for name in ["Woolf", "Joyce"] { writer.insert(Author.self).name = name }
    try writer.save()
    let columns = Array(Library.model[0].attributes.indices)
    let rows = try writer.rows(FetchRequest(Author.self, sortedBy: [.ascending(\.name)]), columns: columns)

    let asked = counting.readCount()
    for batch in [rows, rows.withoutEmptyColumns()] {
      let context = ManagedObjectContext(parent: root)
      let author = try #require(context.object(Author.self, of: batch, row: 1))
      #expect(author.name == "Woolf" && author.city == nil && !author.isFault)
      #expect(context.object(Author.self, of: batch, row: 1) === author)
      #expect(context.object(Book.self, of: batch, row: 0) == nil)
    }
    #expect(counting.readCount() == asked)
    #expect(rows.withoutEmptyColumns().columns.count < rows.columns.count)
  }

  @Test func `saving an object from an outdated row is a conflict`() throws {
    let id = try store.add("Woolf")
    let reader = store.context()
    let columns = Array(reader.model[id.entity].attributes.indices)
    let rows = try reader.rows(FetchRequest(Author.self), columns: columns).withoutEmptyColumns()
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "London"
    try other.save()

    let context = store.context()
    let author = try #require(context.object(Author.self, of: rows, row: 0))
    author.city = "Rodmell"
    #expect { try context.save() } throws: { error in
      guard case .conflict(let conflicts)? = error as? StoreError else { return false }
      return conflicts.map(\.object) == [id]
    }
  }
}

/// The rule that a row has exactly one object in a context.
@Suite struct OneObjectForARowTests {
  @Test(arguments: StoreKind.allCases)
  func `a new object is the object of its row if its parent saves it meanwhile`(kind: StoreKind)
    async throws
  {
    let store = try LibraryStore(kind)
    let parent = BackgroundContext(parent: store.coordinator, name: "parent")
    let child = BackgroundContext(parent: parent, name: "child")
    let grandchild = BackgroundContext(parent: child, name: "grandchild")
    try await grandchild.perform { context in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      try context.save()
      _ = try child.performAndWait { (context) throws(StoreError) in try context.save() }
      _ = try parent.performAndWait { (context) throws(StoreError) in try context.save() }
      let found = try context.fetch(FetchRequest(Author.self, where: \.name == "Woolf"))
      #expect(found.count == 1 && found.first === author && !author.id.isTemporary)
      author.city = "Rodmell"
      #expect(context.hasChanges)
    }
    for context in [grandchild, child, parent] { #expect(try await context.save().updated.count == 1) }
    #expect(try store.context().fetch(FetchRequest(Author.self))[0].city == "Rodmell")
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a new object with the unique value of a row becomes that row, also if the row has an object`(
    kind: StoreKind, isKnown: Bool
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London", books: ["Orlando"])
    let context = store.context(.objectTrumps)
    let known = isKnown ? try context.fetch(FetchRequest(Author.self)) : []
    let new = context.insert(Author.self)
    new.name = "Woolf"
    let book = context.insert(Book.self)
    (book.title, book.author) = ("Flush", new)
    try context.save()
    #expect(new.id == id && new.city == "London" && !new.isGone && new.context === context)
    #expect(Set(new.books.map(\.title)) == ["Orlando", "Flush"])
    #expect(try context.fetch(FetchRequest(Author.self)) === [new])
    new.city = "Rodmell"
    #expect(new.hasChanges && context.hasChanges)
    if let old = known.first {
      // The earlier object forwards to the new one.
      #expect(old.id == id && old.city == "Rodmell" && old.hasChanges && old.books === new.books)
      old.city = "Sussex"
      #expect(new.city == "Sussex" && old.city == "Sussex" && old.changedAttributes == [1])
    }
    #expect(try context.save().updated.count == 1)
    #expect(try store.context().existingObject(Author.self, with: id).city == new.city)
    if let old = known.first {
      context.delete(old)
      #expect(new.isDeleted && old.isDeleted)
      try context.save()
      #expect(new.isGone && old.city == "Sussex" && old.isGone)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `edits of both objects of a row are kept when they are joined`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let root = RootContext(coordinator: store.coordinator)
    let context = ManagedObjectContext(parent: root)
    context.mergePolicy = .storeTrumps
    let known = try context.existingObject(Author.self, with: id)
    let new = context.insert(Author.self)
    new.name = "Woolf"
    let ticket = try #require(try context.push())
    known.city = "Rodmell"
    new.name = "Virginia"
    root.flush()
    context.finish(ticket, outcome: .success(try await ticket.committed()))
    #expect(new.id == id && [new.name, new.city] == ["Virginia", "Rodmell"])
    #expect([known.name, known.city] == ["Virginia", "Rodmell"] && new.changedAttributes == [0, 1])
    try context.save()
    let read = try store.context().existingObject(Author.self, with: id)
    #expect([read.name, read.city] == ["Virginia", "Rodmell"])
    root.close()
  }
}
