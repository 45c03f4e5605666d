import ManagedContext
import TestSupport
import Testing

@Suite struct CoordinatorTests {
  private let store: LibraryStore
  private let coordinator: PersistentStoreCoordinator
  private let archiveNumber: StoreNumber

  init() throws {
    store = try LibraryStore(.sqlite)
    coordinator = store.coordinator
    try store.add("Woolf", books: ["Orlando"])
    let archive = InMemoryStore(model: Library.model, name: "the archive")
    let writer = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: archive))
    let author = writer.insert(Author.self)
    author.name = "Homer"
    writer.insert(Author.self).name = "Hesiod"
    let book = writer.insert(Book.self)
    (book.title, book.author) = ("Odyssey", author)
    try writer.save()
    archiveNumber = coordinator.addReadOnlyStore(archive)
  }

  private func author(_ name: String, in context: ManagedObjectContext) throws -> Author {
    try #require(try context.fetch(FetchRequest(Author.self, where: \.name == name)).first)
  }

  @Test func `one fetch reads all stores, and each object identifies its store`() throws {
    let context = store.context()
    let books = try context.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    #expect(books.map(\.title) == ["Odyssey", "Orlando"])
    #expect(books.map(\.id.store) == [archiveNumber, coordinator.writtenStoreNumber])
    #expect(try context.fetch(FetchRequest(Book.self, sortedBy: [.descending(\.title)], limit: 1)).count == 1)
    #expect(try context.count(FetchRequest(Book.self)) == 2)
  }

  @Test
  func `relationships stay within their store, even if another store has the same row numbers`() throws {
    let context = store.context()
    let (woolf, homer) = (try author("Woolf", in: context), try author("Homer", in: context))
    #expect(woolf.id.key == homer.id.key)
    #expect(woolf.books.map(\.title) == ["Orlando"])
    #expect(homer.books.map(\.title) == ["Odyssey"])
    #expect(homer.books.first?.author === homer)
    let byHomer = FetchRequest(Book.self, where: .to(\.author, where: \.name == "Homer"))
    #expect(try context.fetch(byHomer).map(\.title) == ["Odyssey"])
  }

  @Test func `a read-only store refuses changes with its name, and the context keeps them`()
    throws
  {
    let context = store.context()
    try author("Homer", in: context).city = "Chios"
    #expect(throws: StoreError.readOnly("the archive")) { try context.save() }
    #expect(context.hasChanges)
    context.rollback()
    // A reference inside the read-only store leads to the same store.
    let book = try #require(try author("Homer", in: context).books.first)
    book.author = try author("Hesiod", in: context)
    #expect(throws: StoreError.readOnly("the archive")) { try context.save() }
  }

  @Test func `an object of one store cannot refer to an object of another`() throws {
    let context = store.context()
    let book = try #require(try author("Woolf", in: context).books.first)
    book.author = try author("Homer", in: context)
    let broken = ValidationError(
      entity: "book", attribute: "author_id", object: book.id, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(broken)) { try context.save() }
  }

  @Test(arguments: StoreKind.allCases)
  func `an ID of another store matches nothing, even if a row has its number`(kind: StoreKind) async throws {
    let (here, there) = (try LibraryStore(kind), try LibraryStore(kind))
    try here.add("Austen", books: ["Emma"])
    try there.add("Woolf", books: ["Orlando"])
    let foreign = try #require(try there.context().fetch(FetchRequest(Author.self)).first).id
    let context = here.context()
    let own = try #require(try context.fetch(FetchRequest(Author.self)).first)
    #expect(own.id.key == foreign.key && own.id != foreign)
    #expect(throws: StoreError.notFound(foreign)) {
      _ = try context.existingObject(Author.self, with: foreign)
    }
    #expect(
      try context.fetchIDs(FetchRequest(Book.self, where: .to(\.author, where: .ids([foreign])))).isEmpty)
    try context.deleteAll(Book.self, where: .to(\.author, where: .ids([foreign])))
    try context.updateAll(Author.self, where: .ids([foreign]), set: .set(\.name, to: "Woolf"))
    try context.save()
    #expect(try here.context().count(FetchRequest(Book.self)) == 1)
    #expect(try here.context().fetchValues(FetchRequest(Author.self), \.name) == ["Austen"])
  }

  @Test func `a child sees the targets of its parent's references, also in other stores`() async throws {
    let ids = try store.context().fetchIDs(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    let parent = BackgroundContext(parent: coordinator, name: "parent")
    await parent.perform { context in
      for (place, id) in ids.enumerated() {
        let loan = context.insert(Loan.self)
        (loan.reader, loan.book) = ("\(place)", id)
      }
    }
    let child = ManagedObjectContext(parent: parent)
    let loans = try child.fetch(FetchRequest(Loan.self, sortedBy: [.ascending(\.reader)]))
    #expect(loans.map(\.book) == ids)
  }

  @Test func `a reference to an object of another store is refused in edits and in batches`() throws {
    let other = try LibraryStore(.sqlite)
    try other.add("Homer", books: ["Iliad"])
    let foreign = try #require(try other.context().fetch(FetchRequest(Book.self)).first).id
    let context = store.context()
    let loan = context.insert(Loan.self)
    (loan.reader, loan.book) = ("Vita", foreign)
    let broken = ValidationError(
      entity: "loan", attribute: "book_id", object: loan.id, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(broken)) { try context.save() }
    context.rollback()
    let tagged = context.insert(Book.self)
    tagged.title = "Orlando, again"
    let tags = other.context()
    let tag = tags.insert(Tag.self)
    tag.name = "novel"
    try tags.save()
    tagged.author = try author("Woolf", in: context)
    tagged.tags = [try #require(context.object(Tag.self, with: tag.id))]
    let brokenPair = ValidationError(
      entity: "book", attribute: "tags", object: tagged.id, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(brokenPair)) { try context.save() }
    context.rollback()
    let brokenBatch = ValidationError(
      entity: "loan", attribute: "book_id", object: foreign, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(brokenBatch)) {
      try context.updateAll(Loan.self, set: .set(\.book, to: foreign))
    }
    var rows = try ObjectRows(Loan.self, in: context.model, \.reader, \.book)
    rows.append("Vita", foreign)
    context.insert(BatchUpsert(rows.batch))
    let brokenRow = ValidationError(entity: "loan", attribute: "book_id", cause: .brokenRelationship)
    #expect(throws: StoreError.validation(brokenRow)) { try context.save() }
    #expect(try store.context().count(FetchRequest(Loan.self)) == 0)
  }

  @Test func `after a store is removed, its objects are gone`() throws {
    let context = store.context()
    let homer = try author("Homer", in: context)
    coordinator.removeStore(archiveNumber)
    #expect(try context.fetch(FetchRequest(Author.self)).map(\.name) == ["Woolf"])
    context.refresh(homer, mergeChanges: false)
    #expect(homer.name == "Homer" && homer.isGone)
  }

  @Test func `a second writable store is refused with its name`() {
    #expect {
      try coordinator.addPersistentStore(InMemoryStore(model: Library.model, name: "another"))
    } throws: { error in
      guard case .cannotOpen(let cause) = error as? StoreError else { return false }
      return cause.contains("another")
    }
  }

  @Test func `a coordinator without a writable store refuses saves`() throws {
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model))
    context.insert(Author.self).name = "Woolf"
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try context.fetch(FetchRequest(Author.self)).count == 1)
  }
}
