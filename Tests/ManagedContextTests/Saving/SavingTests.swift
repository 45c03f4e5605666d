import ManagedContext
import TestSupport
import Testing

@Suite struct SavingTests {
  @Test func `a saved object has its permanent ID everywhere`() async throws {
    let stack = try LibraryStack()
    let context = stack.background()
    await context.perform { context in
      let author = context.insert(Author.self)
      author.name = "Woolf"
      let book = context.insert(Book.self)
      (book.author, book.title) = (author, "The Waves")
    }
    let changes = try await context.save()
    #expect(changes.inserted.count == 2)
    let titles = try await context.perform { (context) throws(StoreError) in
      let author = try context.fetch(FetchRequest(Author.self)).first
      guard let id = author?.id, !id.isTemporary else { return [String]() }
      return try context.fetch(FetchRequest(Book.self, where: \.author == id)).map(\.title)
    }
    #expect(titles == ["The Waves"])
  }

  @Test func `saving without changes writes nothing`() async throws {
    let stack = try LibraryStack()
    #expect(try await stack.background().save().isEmpty)
  }

  @Test func `setting an attribute to its current value is not a change`() async throws {
    let stack = try LibraryStack()
    _ = try await stack.addAuthor("Woolf")
    let context = stack.background()
    let hasChanges = try await context.perform { (context) throws(StoreError) in
      let author = try context.fetch(FetchRequest(Author.self)).first
      author?.name = "Woolf"
      return context.hasChanges
    }
    #expect(!hasChanges)
  }

  @Test func `a missing required value is named and nothing is written`() async throws {
    let stack = try LibraryStack()
    let context = stack.background()
    let id = await context.perform { context in context.insert(Author.self).id }
    let missing = ValidationError(entity: "author", attribute: "name", object: id, cause: .missingValue)
    await #expect(throws: StoreError.validation(missing)) { try await context.save() }
    #expect(try stack.root.count(StoreQuery(entity: 0)) == 0)
  }

  @Test func `a failed save keeps the changes for the next save`() async throws {
    let stack = try LibraryStack()
    _ = try await stack.addAuthor("Woolf")
    let context = stack.background()
    await context.perform { context in context.insert(Author.self).name = "Woolf" }
    await #expect(throws: StoreError.self) { try await context.save() }
    await context.perform { context in
      for case let author as Author in context.insertedObjects { author.name = "Joyce" }
    }
    #expect(try await context.save().inserted.count == 1)
  }

  @Test func `two edits of one object conflict unless the policy resolves them`() async throws {
    let stack = try LibraryStack()
    let id = try await stack.addAuthor("Woolf")
    let (first, second) = (stack.background("first"), stack.background("second"))
    for context in [first, second] {
      await context.perform { context in context.object(Author.self, with: id)?.city = "London" }
    }
    try await first.save()
    let conflict = MergeConflict(
      object: id, entity: "author", kind: .changed, objectValues: ["city": .text("London")],
      storeValues: ["city": .text("London")])
    await #expect(throws: StoreError.conflict([conflict])) { try await second.save() }
    await second.perform { context in context.mergePolicy = .objectTrumps }
    try await second.save()
    #expect(try stack.root.fetch(StoreQuery(entity: 0)).versions == [3])
  }

  @Test func `a rolled back context has no changes and the stored values`() async throws {
    let stack = try LibraryStack()
    let id = try await stack.addAuthor("Woolf")
    let context = stack.background()
    let name = await context.perform { context in
      let author = context.object(Author.self, with: id)
      author?.name = "Joyce"
      _ = context.insert(Author.self)
      context.rollback()
      return context.hasChanges ? nil : author?.name
    }
    #expect(name == "Woolf")
  }

  @Test func `objects that refer to each other are saved and deleted in any order`() async throws {
    let stack = try LibraryStack()
    let context = stack.background()
    await context.perform { context in
      let book = context.insert(Book.self)
      book.title = "The Waves"
      let author = context.insert(Author.self)
      author.name = "Woolf"
      book.author = author
    }
    #expect(try await context.save().inserted.count == 2)
    try await context.perform { (context) throws(StoreError) in
      for author in try context.fetch(FetchRequest(Author.self)) { context.delete(author) }
      for book in try context.fetch(FetchRequest(Book.self)) { context.delete(book) }
    }
    #expect(try await context.save().deleted.count == 2)
  }

  @Test
  func `deleting an object with references that the context does not know fails and names them`() async throws
  {
    let stack = try LibraryStack()
    let id = try await stack.addAuthor("Woolf")
    let context = stack.background()
    await context.perform { context in context.insert(.books([("The Waves", 1)], by: id)) }
    let book = try #require(try await context.save().inserted.first)
    await context.perform { context in
      let loan = context.insert(Loan.self)
      (loan.book, loan.reader) = (book, "Vita")
    }
    let loan = try #require(try await context.save().inserted.first)
    await context.perform { context in
      if let book = context.object(Book.self, with: book) { context.delete(book) }
    }
    let broken = ValidationError(
      entity: "loan", attribute: "book_id", object: loan, cause: .brokenRelationship)
    await #expect(throws: StoreError.validation(broken)) { try await context.save() }
    #expect(try stack.root.count(StoreQuery(entity: Library.book)) == 1)
  }

  @Test func `a deleted object is removed from the store and from fetches`() async throws {
    let stack = try LibraryStack()
    let id = try await stack.addAuthor("Woolf")
    let context = stack.background()
    let left = try await context.perform { (context) throws(StoreError) in
      if let author = context.object(Author.self, with: id) { context.delete(author) }
      return try context.fetch(FetchRequest(Author.self)).count
    }
    #expect(left == 0)
    #expect(try await context.save().deleted == [id])
    #expect(try stack.root.count(StoreQuery(entity: 0)) == 0)
  }
}
