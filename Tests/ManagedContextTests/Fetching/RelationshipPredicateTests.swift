import ManagedContext
import TestSupport
import Testing

@Suite struct RelationshipPredicateTests {
  /// Authors with no book, one, two and four books of 1, 2, 3 and 4 pages.
  private static func library(_ kind: StoreKind) throws -> (LibraryStore, ManagedObjectContext) {
    let store = try LibraryStore(kind)
    let context = store.context()
    for (name, count) in [("none", 0), ("one", 1), ("two", 2), ("four", 4)] {
      let author = context.insert(Author.self)
      author.name = name
      for place in 0..<count { addBook(to: author, pages: place + 1, in: context) }
    }
    try context.save()
    return (store, context)
  }

  private static func addBook(to author: Author, pages: Int?, in context: ManagedObjectContext) {
    let book = context.insert(Book.self)
    (book.title, book.pages, book.author) = ("\(author.name) \(pages ?? 0)", pages, author)
  }

  private static func names(
    _ context: ManagedObjectContext, where predicate: FetchPredicate<Author>
  ) throws -> [String] {
    try context.fetchValues(FetchRequest(Author.self, where: predicate, sortedBy: [.oldestFirst]), \.name)
  }

  @Test(arguments: StoreKind.allCases)
  func `a condition compares the number of related objects`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    func names(_ predicate: FetchPredicate<Author>) throws -> [String] {
      try Self.names(context, where: predicate)
    }
    #expect(try names(.count(\.books) > 1) == ["two", "four"])
    #expect(try names(.count(\.books) < 2) == ["none", "one"])
    #expect(try names(.count(\.books) == 2) == ["two"])
    #expect(try names(.count(\.books) != 2) == ["none", "one", "four"])
    #expect(try names(.count(\.books) >= 1) == ["one", "two", "four"])
    #expect(try names(.count(\.books) <= 0) == ["none"])
    #expect(try names(.count(\.books) >= -1).count == 4)
    #expect(try names(.count(\.books, where: \.pages >= 2) == 1) == ["two"])
    #expect(try names(!(.count(\.books, where: \.pages >= 2) >= 1)) == ["none", "one"])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `conditions on all, none and no related objects`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    #expect(try Self.names(context, where: .isEmpty(\.books)) == ["none"])
    #expect(try Self.names(context, where: .all(\.books, where: \.pages < 3)) == ["none", "one", "two"])
    #expect(try Self.names(context, where: .none(\.books, where: \.pages == 2)) == ["none", "one"])
    let request = FetchRequest(Author.self, where: .none(\.books, where: \.pages == 2))
    #expect(try context.count(request) == 2)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a related object without a value matches no comparison, so not all match`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let one = try #require(try context.fetch(FetchRequest(Author.self, where: \.name == "one")).first)
    Self.addBook(to: one, pages: nil, in: context)
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try Self.names(context, where: .all(\.books, where: \.pages < 3)) == ["none", "two"])
      #expect(try Self.names(context, where: .count(\.books) == 2) == ["one", "two"])
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `unsaved books count, and deleted ones do not`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let authors = try context.fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    Self.addBook(to: authors[0], pages: 1, in: context)
    for book in authors[3].books.prefix(2) { context.delete(book) }
    authors[1].books.first?.author = authors[2]
    #expect(try Self.names(context, where: .count(\.books) == 1) == ["none"])
    #expect(try Self.names(context, where: .count(\.books) == 2) == ["four"])
    #expect(try Self.names(context, where: .count(\.books) == 3) == ["two"])
    #expect(try Self.names(context, where: .isEmpty(\.books)) == ["one"])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `a condition names the related object itself`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let authors = try context.fetch(FetchRequest(Author.self, sortedBy: [.oldestFirst]))
    let new = context.insert(Author.self)
    new.name = "new"
    Self.addBook(to: new, pages: 9, in: context)
    #expect(try context.count(FetchRequest(Book.self, where: \.author == authors[3])) == 4)
    #expect(try context.count(FetchRequest(Book.self, where: \.author != authors[3])) == 4)
    let ofNew = FetchRequest(Book.self, where: \Book.author == new)
    #expect(try context.fetchValues(ofNew, \.pages) == [9])
    try context.save()
    #expect(try context.fetchValues(ofNew, \.pages) == [9])
    #expect(try context.count(FetchRequest(Book.self, where: \.author == nil)) == 0)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `an unsaved pair with an object that was deleted elsewhere does not count`(kind: StoreKind) throws {
    let (store, context) = try Self.library(kind)
    let book = try #require(try context.fetch(FetchRequest(Book.self, where: \.pages == 4)).first)
    let (lost, kept) = (context.insert(Tag.self), context.insert(Tag.self))
    (lost.name, kept.name) = ("lost", "kept")
    lost.add(book, to: Tag.schema.books)
    kept.add(try #require(try context.fetch(FetchRequest(Book.self)).first), to: Tag.schema.books)
    let other = store.context()
    other.delete(try #require(other.object(Book.self, with: book.id)))
    try other.save()
    func names(_ predicate: FetchPredicate<TestSupport.Tag>) throws -> [String] {
      try context.fetchValues(FetchRequest(TestSupport.Tag.self, where: predicate), \.name)
    }
    #expect(try names(.isEmpty(\.books)) == ["lost"])
    #expect(try names(.count(\.books) <= 1) == ["lost", "kept"])
    #expect(try names(.count(\.books) == 1) == ["kept"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a pair that a context and its parent have both made counts once`(kind: StoreKind) async throws {
    let store = try LibraryStore(kind)
    try store.add("Ann", books: ["a"])
    let parent = BackgroundContext(parent: store.coordinator, name: "parent")
    let child = BackgroundContext(parent: parent, name: "child")
    let tag = await parent.perform { context in
      let tag = context.insert(Tag.self)
      tag.name = "new"
      return tag.id
    }
    for context in [child, parent] {
      try await context.perform { context in
        let tag = try #require(context.object(Tag.self, with: tag))
        tag.add(try #require(try context.fetch(FetchRequest(Book.self)).first), to: Tag.schema.books)
      }
    }
    let count = try await child.perform { context in
      try context.count(FetchRequest(Tag.self, where: .count(\.books) == 1))
    }
    #expect(count == 1)
  }
}
