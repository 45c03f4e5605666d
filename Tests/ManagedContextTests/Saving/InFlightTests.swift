import ManagedContext
import TestSupport
import Testing

/// Queries and changes during a save to the store, or just after its commit.
@Suite struct InFlightTests {
  /// A root that commits only when the test flushes it.
  private static func root(_ store: LibraryStore) -> RootContext {
    var grouping = RootContext.Grouping()
    (grouping.rows, grouping.bytes, grouping.delay) = (.max, .max, 1000)
    return RootContext(coordinator: store.coordinator, grouping: grouping)
  }

  @Test(arguments: StoreKind.allCases)
  func `a reference to a new object during its save leads to its row afterwards`(
    kind: StoreKind
  ) async throws {
    let store = try LibraryStore(kind)
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = context.insert(Author.self)
    author.name = "Woolf"
    let ticket = try #require(try context.push())
    let book = context.insert(Book.self)
    (book.title, book.author) = ("Flush", author)
    #expect(author.books === [book])
    root.flush()
    context.finish(ticket, outcome: .success(try await ticket.committed()))
    #expect(!author.id.isTemporary && book.id(Book.schema.author) == author.id && author.books === [book])
    #expect(try context.fetch(FetchRequest(Book.self, where: \Book.author == author.id)) === [book])
    context.delete(author)  // cascades
    root.flush()
    _ = try await context.push()?.committed()
    #expect(try store.context().count(FetchRequest(Book.self)) == 0)
    root.close()
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `the next query sees a save that was committed just before`(
    kind: StoreKind, deletes: Bool
  ) async throws {
    let store = try LibraryStore(kind)
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = context.insert(Author.self)
    author.name = "Woolf"
    let (book, other) = (context.insert(Book.self), context.insert(Book.self))
    (book.title, book.author, other.title, other.author) = ("Orlando", author, "Flush", author)
    let ticket = try #require(try context.push())
    root.flush()
    _ = try await ticket.committed()
    // The context was not notified yet.
    if deletes {
      context.delete(author)
      root.flush()
      _ = try await context.push()?.committed()
      #expect(try store.context().count(FetchRequest(Book.self)) == 0)
    } else {
      context.delete(other)  // invalidates the cached relationships to books
      #expect(author.books === [book])
      #expect(author.books === [book] && !author.id.isTemporary)
    }
    root.close()
  }

  @Test(arguments: StoreKind.allCases)
  func `a rollback discards the changes of a save that was just refused`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = try context.existingObject(Author.self, with: id)
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "Rodmell"
    try other.save()
    author.city = "Richmond"
    let ticket = try #require(try context.push())
    root.flush()
    await #expect(throws: StoreError.self) { try await ticket.committed() }
    // The context was not notified yet.
    context.rollback()
    #expect(author.city == "London" && !context.hasChanges)
    #expect(try context.push() == nil)
    root.close()
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a new object that is deleted while its save is refused is not saved later`(
    kind: StoreKind, isPushed: Bool
  ) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "London")
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = try context.existingObject(Author.self, with: id)
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "Rodmell"
    try other.save()
    author.city = "Richmond"
    let new = context.insert(Author.self)
    new.name = "Joyce"
    var tickets = [try #require(try context.push())]
    context.delete(new)
    if isPushed, let second = try context.push() { tickets.append(second) }
    root.flush()
    for ticket in tickets { context.finish(ticket, outcome: ticket.wait()) }
    context.refreshAllObjects()
    #expect(context.hasChanges && context.deletedObjects.isEmpty && context.insertedObjects.isEmpty)
    try context.save()
    #expect(try store.context().fetch(FetchRequest(Author.self)).map(\.city) == ["Richmond"])
    root.close()
  }

  @Test func `a context that is reset after each save does not keep the saves that have ended`() async throws
  {
    let store = try LibraryStore(.memory)
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    weak var first: SaveTicket?
    for name in ["Woolf", "Eliot"] {
      context.insert(Author.self).name = name
      let ticket = try #require(try context.push())
      first = first ?? ticket
      context.reset()
      root.flush()
      _ = try await ticket.committed()
    }
    context.reset()
    #expect(first == nil)
    root.close()
  }

  @Test(arguments: StoreKind.allCases)
  func `an ID leads to its object even after a reset during its save`(
    kind: StoreKind
  ) async throws {
    let store = try LibraryStore(kind)
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = context.insert(Author.self)
    author.name = "Woolf"
    let id = author.id
    let ticket = try #require(try context.push())
    context.reset()
    root.flush()
    _ = try await ticket.committed()
    #expect(try context.existingObject(Author.self, with: id).name == "Woolf")
    root.close()
  }

  @Test(arguments: StoreKind.allCases)
  func `an object may be edited again during the save of its edit`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "0")
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = try context.existingObject(Author.self, with: id)
    var tickets: [SaveTicket] = []
    for city in 1...3 {
      author.city = "\(city)"
      if city == 2 { author.name = "Virginia" }
      tickets.append(try #require(try context.push()))
    }
    author.city = "unsaved"
    root.flush()
    for ticket in tickets { context.finish(ticket, outcome: .success(try await ticket.committed())) }
    #expect(author.city == "unsaved" && author.name == "Virginia")
    let read = try store.context().existingObject(Author.self, with: id)
    #expect(read.city == "3" && read.name == "Virginia")
    root.flush()
    _ = try await context.push()?.committed()
    #expect(try store.context().existingObject(Author.self, with: id).city == "unsaved")
    root.close()
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `the changes of two refused saves of an object are written by the next save`(
    kind: StoreKind, isSecondFinishedFirst: Bool
  ) async throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", city: "0")
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let author = try context.existingObject(Author.self, with: id)
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "London"
    let changes = try other.save()
    author.name = "Virginia"
    let first = try #require(try context.push())
    author.city = "Sussex"
    let second = try #require(try context.push())
    root.flush()
    for ticket in isSecondFinishedFirst ? [second, first] : [first, second] {
      await #expect(throws: StoreError.self) { try await ticket.committed() }
      if let outcome = ticket.outcome { context.finish(ticket, outcome: outcome) }
    }
    try context.mergeChanges(from: changes)
    #expect(author.name == "Virginia" && author.city == "Sussex" && author.changedAttributes == [0, 1])
    root.flush()
    _ = try await context.push()?.committed()
    let read = try store.context().existingObject(Author.self, with: id)
    #expect(read.name == "Virginia" && read.city == "Sussex")
    root.close()
  }

  @Test(arguments: StoreKind.allCases)
  func `a refused edit does not block the context once its object is deleted`(
    kind: StoreKind
  ) async throws {
    let store = try LibraryStore(kind)
    let (a, b) = (try store.add("A"), try store.add("B"))
    let root = Self.root(store)
    let context = ManagedObjectContext(parent: root)
    let authors = try [a, b].map { try context.existingObject(Author.self, with: $0) }
    let other = store.context()
    try other.existingObject(Author.self, with: b).city = "London"
    try other.save()
    (authors[0].city, authors[1].city) = ("x", "y")
    let first = try #require(try context.push())
    context.delete(authors[0])
    let second = try #require(try context.push())
    root.flush()
    for ticket in [first, second] {
      _ = try? await ticket.committed()
      if let outcome = ticket.outcome { context.finish(ticket, outcome: outcome) }
    }
    context.refreshAllObjects()
    root.flush()
    _ = try await context.push()?.committed()
    let read = try store.context().fetch(FetchRequest(Author.self))
    #expect(read.map(\.name) == ["B"] && read.map(\.city) == ["y"])
    root.close()
  }
}
