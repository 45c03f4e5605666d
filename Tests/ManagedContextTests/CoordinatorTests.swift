import ManagedContext
import TestSupport
import Testing

@Suite struct CoordinatorTests {
  private let store: LibraryStore
  private let coordinator: PersistentStoreCoordinator
  private let place: UInt16

  init() throws {
    store = try LibraryStore(.sqlite)
    coordinator = store.coordinator
    try store.add("Woolf", books: ["Orlando"])
    let archive = InMemoryStore(model: Library.model, name: "the archive")
    let writer = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Library.model, store: archive))
    let author = writer.insert(Author.self)
    author.name = "Homer"
    let book = writer.insert(Book.self)
    (book.title, book.author) = ("Odyssey", author)
    try writer.save()
    place = coordinator.addReadOnlyStore(archive)
  }

  private func author(_ name: String, in context: ManagedObjectContext) throws -> Author {
    try #require(try context.fetch(FetchRequest(Author.self, where: \.name == name)).first)
  }

  @Test func `one fetch reads all stores, and objects know theirs`() throws {
    let context = store.context()
    let books = try context.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    #expect(books.map(\.title) == ["Odyssey", "Orlando"])
    #expect(books.map(\.id.store) == [place, 0])
    #expect(try context.fetch(FetchRequest(Book.self, sortedBy: [.descending(\.title)], limit: 1)).count == 1)
    #expect(try context.count(FetchRequest(Book.self)) == 2)
  }

  @Test func `relationships stay in their store, where the same numbers mean other rows`() throws {
    let context = store.context()
    let (woolf, homer) = (try author("Woolf", in: context), try author("Homer", in: context))
    #expect(woolf.id.key == homer.id.key)
    #expect(woolf.books.map(\.title) == ["Orlando"])
    #expect(homer.books.map(\.title) == ["Odyssey"])
    #expect(homer.books.first?.author === homer)
    let byHomer = FetchRequest(Book.self, where: .to(\.author, where: \.name == "Homer"))
    #expect(try context.fetch(byHomer).map(\.title) == ["Odyssey"])
  }

  @Test func `a store that was added read-only refuses changes by name, and keeps them in the context`()
    throws
  {
    let context = store.context()
    try author("Homer", in: context).city = "Chios"
    #expect(throws: StoreError.readOnly("the archive")) { try context.save() }
    #expect(context.hasChanges)
  }

  @Test func `an object of one store cannot lead to one of another`() throws {
    let context = store.context()
    let book = try #require(try author("Woolf", in: context).books.first)
    book.author = try author("Homer", in: context)
    let broken = ValidationError(
      entity: "book", attribute: "author_id", object: book.id, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(broken)) { try context.save() }
  }

  @Test func `the objects of a removed store are gone`() throws {
    let context = store.context()
    let homer = try author("Homer", in: context)
    coordinator.removeStore(at: place)
    #expect(try context.fetch(FetchRequest(Author.self)).map(\.name) == ["Woolf"])
    context.refresh(homer, mergeChanges: false)
    #expect(homer.name == "Homer" && homer.isGone)
  }

  @Test func `a second store to be written is refused by name`() {
    #expect {
      try coordinator.addPersistentStore(InMemoryStore(model: Library.model, name: "another"))
    } throws: { error in
      guard case .cannotOpen(let cause) = error as? StoreError else { return false }
      return cause.contains("another")
    }
  }

  @Test func `a coordinator without a store that is written refuses saves`() throws {
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Library.model))
    context.insert(Author.self).name = "Woolf"
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try context.fetch(FetchRequest(Author.self)).count == 1)
  }
}
