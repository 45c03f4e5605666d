import ManagedContext
import TestSupport
import Testing

@Suite struct UpsertTests {
  private let stack: LibraryStack
  private let author: ManagedObjectID

  init() async throws {
    stack = try LibraryStack()
    author = try await stack.addAuthor("Woolf")
  }

  private func upsert(_ books: [(title: String, mark: Int)]) async throws -> ContextChanges {
    let context = stack.background()
    let author = author
    await context.perform { context in context.insert(.books(books, by: author)) }
    return try await context.save()
  }

  private func books() async throws -> [String: Int] {
    try await stack.background().perform { (context) throws(StoreError) in
      let books = try context.fetch(FetchRequest(Book.self))
      return Dictionary(uniqueKeysWithValues: books.map { ($0.title, $0.edits) })
    }
  }

  @Test func `a batch reports inserted and updated rows and leaves the others alone`() async throws {
    let first = try await upsert([("The Waves", 1), ("Orlando", 1)])
    #expect(first.inserted.count == 2)
    let second = try await upsert([("The Waves", 1), ("Orlando", 2), ("Flush", 1)])
    #expect(second.inserted.count == 1)
    #expect(second.updated.count == 1)
    #expect(Set(second.updated.keys).isSubset(of: first.inserted))
    #expect(try await books() == ["The Waves": 0, "Orlando": 1, "Flush": 0])
  }

  @Test func `a batch with a reference to a deleted object names the relationship and saves nothing`()
    async throws
  {
    let gone = ManagedObjectID(entity: author.entity, store: author.store, key: author.key + 1)
    let context = stack.background()
    await context.perform { context in context.insert(.books([("Orlando", 1)], by: gone)) }
    do {
      try await context.save()
      Issue.record("it was saved")
    } catch {
      guard case .validation(let violation) = error else { throw error }
      #expect(violation.attribute == "author_id" && violation.cause == .brokenRelationship)
    }
    #expect(try await books() == [:])
  }

  @Test func `texts are compared by their bytes`() async throws {
    _ = try await upsert([("caf\u{E9}", 1), ("cafe\u{301}", 1)])
    #expect(try stack.root.count(StoreQuery(entity: 1)) == 2)
  }

  @Test func `an attribute without a column in a batch has its default`() async throws {
    let key = Book.schema
    var rows = RowBatch(entity: Library.book, columns: [key.author.index, key.title.index])
    rows.beginRow()
    rows.append(author.attributeValue)
    rows.append(text: "Orlando")
    let batch = BatchUpsert(rows, unique: rows.columns, editCounter: key.edits.index)
    for edits in [0, 1] {
      let context = stack.background()
      await context.perform { context in context.insert(batch) }
      try await context.save()
      #expect(try await books() == ["Orlando": edits])
    }
  }

  @Test func `an empty text is text and not null`() async throws {
    _ = try await upsert([("", 1)])
    let rows = try stack.root.fetch(StoreQuery(entity: 1, columns: [Book.schema.title.index]))
    #expect(rows.value(row: 0, column: 0, model: Library.model) == .text(""))
  }

  @Test func `a batch and the objects of one save are written together or not at all`() async throws {
    let context = stack.background()
    await context.perform { [author] context in
      context.insert(.books([("Orlando", 1)], by: author))
      context.insert(Author.self).name = "Woolf"
    }
    await #expect(throws: StoreError.self) { try await context.save() }
    #expect(try stack.root.count(StoreQuery(entity: 1)) == 0)
  }
}
