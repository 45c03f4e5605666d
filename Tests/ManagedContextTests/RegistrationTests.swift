import ManagedContext
import TestSupport
import Testing

@Suite struct RegistrationTests {
  private let store: LibraryStore

  init() throws {
    store = try LibraryStore(.memory)
  }

  @Test func `objects that nobody holds are forgotten, held and edited ones are not`() throws {
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

  @Test func `an object outlives its context, and reads as last known`() throws {
    let id = try store.add("Woolf", city: "London")
    var context: ManagedObjectContext? = store.context()
    let author = try #require(try context?.existingObject(Author.self, with: id))
    let fault = try #require(context?.object(Author.self, with: try store.add("Joyce")))
    context = nil
    #expect(author.context == nil && author.name == "Woolf")
    #expect(fault.name == "")
    author.name = "edited"
    #expect(author.books.isEmpty)
  }

  @Test func `a reset context has no objects, and its old ones touch it no more`() throws {
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

  @Test func `an object of a row that was read before asks the store nothing`() throws {
    let counting = CountingStore(model: Library.model)
    let coordinator = PersistentStoreCoordinator(model: Library.model, store: counting)
    let root = RootContext(coordinator: coordinator)
    let writer = ManagedObjectContext(parent: root)
    for name in ["Woolf", "Joyce"] { writer.insert(Author.self).name = name }
    try writer.save()
    let columns = Array(Library.model[0].attributes.indices)
    let rows = try writer.rows(FetchRequest(Author.self, sortedBy: [.ascending(\.name)]), columns: columns)

    let asked = counting.fetchCount
    for batch in [rows, rows.withoutEmptyColumns()] {
      let context = ManagedObjectContext(parent: root)
      let author = try #require(context.object(Author.self, of: batch, row: 1))
      #expect(author.name == "Woolf" && author.city == nil && !author.isFault)
      #expect(context.object(Author.self, of: batch, row: 1) === author)
      #expect(context.object(Book.self, of: batch, row: 0) == nil)
    }
    #expect(counting.fetchCount == asked)
    #expect(rows.withoutEmptyColumns().columns.count < rows.columns.count)
  }

  @Test func `a save of an object whose row was read too long ago is a conflict`() throws {
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
