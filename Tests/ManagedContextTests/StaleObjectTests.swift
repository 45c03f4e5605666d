import ManagedContext
import ManagedContextTesting
import TestSupport
import Testing

/// Errors that the first user of the layer found.
@Suite struct StaleObjectTests {
  @Test(arguments: StoreKind.allCases)
  func `the ID of a deleted object is never reused`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let holder = store.context()
    let held = try holder.existingObject(Author.self, with: id)
    let other = store.context()
    other.delete(try other.existingObject(Author.self, with: id))
    try other.save()
    let new = try store.add("Joyce")
    #expect(new != id)
    held.city = "meant for Woolf"
    #expect(throws: StoreError.self) { try holder.save() }
    #expect(try store.context().existingObject(Author.self, with: new).city == nil)
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `an object that became a fault again is deleted regardless of others' saves`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let context = store.context(policy)
    let author = try context.existingObject(Author.self, with: id)
    context.refresh(author, mergeChanges: false)
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "London"
    try context.mergeChanges(from: try other.save())
    context.delete(author)
    #expect(try context.save().deleted == [id])
  }

  @Test(arguments: StoreKind.allCases)
  func `an object that a policy merged can be deleted without a conflict`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let context = store.context(.objectTrumps)
    let author = try context.existingObject(Author.self, with: id)
    let other = store.context()
    try other.existingObject(Author.self, with: id).city = "London"
    try other.save()
    author.name = "Virginia"
    try context.save()
    context.mergePolicy = .error
    context.delete(author)
    #expect(try context.save().deleted == [id])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch that writes an edited object causes no conflict at the next edit`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf")
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    author.name = "Virginia"
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    try context.save()
    #expect(author.city == "London", "the context that saved a batch sees its effects")
    author.city = "Rodmell"
    try context.save()
    try context.updateAll(Author.self, set: .set(\.city, to: "Sussex"))
    try context.save()
    author.name = "Woolf"
    try context.save()
    #expect(try store.context().existingObject(Author.self, with: id).city == "Sussex")
  }

  @Test func `a reset during a save does not hide the save from observers`() async throws {
    let stack = try LibraryStack()
    let context = stack.background()
    let counter = Counter()
    let observation = context.didSave.observe { _ in counter.increment() }
    let ticket = try await context.perform { (context) throws(StoreError) in
      context.insert(Author.self).name = "Woolf"
      let ticket = try context.push()
      context.reset()
      return ticket
    }
    let saved = try #require(ticket)
    let result = try await saved.committed()
    await context.perform { $0.finish(saved, outcome: .success(result)) }
    #expect(counter.value == 1)
    observation.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `an ID of an unknown entity matches nothing`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf")
    let stray = ManagedObjectID(entity: 99, store: store.coordinator.writtenStoreNumber, key: 1)
    let context = store.context()
    #expect(try context.fetch(FetchRequest(Author.self, where: .ids([stray]))).isEmpty)
    #expect(throws: StoreError.notFound(stray)) { _ = try context.existingObject(Author.self, with: stray) }
  }

  @Test func `a batch with wrong attributes is refused by the save`() throws {
    let store = try LibraryStore(.sqlite)
    let context = store.context()
    var rows = try ObjectRows(Author.self, in: context.model, \.name, \.city)
    rows.append("Woolf", nil)
    context.insert(BatchUpsert(rows.batch, unique: [99]))
    #expect(throws: StoreError.self) { try context.save() }
    context.insert(BatchUpsert(rows.batch, unique: [Author.schema.city.index]))
    let violation = ValidationError(entity: "author", attribute: "city", cause: .notUnique)
    #expect(throws: StoreError.validation(violation)) { try context.save() }
    context.insert(BatchUpsert(rows.batch, unique: [Author.schema.name.index]))
    #expect(try context.save().inserted.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting any number of objects needs one query per relationship`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    for number in 0..<30 { try store.add("Author \(number)", books: ["Book"]) }
    let context = store.context()
    for author in try context.fetch(FetchRequest(Author.self)) { context.delete(author) }
    let before = store.store.readCount()
    #expect(try context.save().deleted.count == 60)
    #expect(store.store.readCount() - before < 8)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship of a refreshed object shows the saves of others, regardless of earlier fetches`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush"])
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    // No code holds these objects, and the relationship was not read.
    #expect(try context.fetch(FetchRequest(Book.self)).count == 2)
    let other = store.context()
    try other.fetch(FetchRequest(Book.self, where: \Book.title == "Flush"))[0].title = "The Waves"
    try other.save()
    context.refresh(author, mergeChanges: false)
    #expect(author.books.map(\.title) == ["Orlando", "The Waves"])
  }

  @Test(arguments: StoreKind.allCases)
  func `rows that replace edited ones fill the limit of a request`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let names = (10..<40).map { "author \($0)" }
    for name in names { try store.add(name) }
    let context = store.context()
    let request = FetchRequest(Author.self, sortedBy: [.ascending(\.name)], limit: 2)
    for author in try context.fetch(FetchRequest(Author.self)) where author.name < "author 30" {
      author.name = "edited \(author.name)"
    }
    #expect(try context.fetch(request).map(\.name) == ["author 30", "author 31"])
  }
}
