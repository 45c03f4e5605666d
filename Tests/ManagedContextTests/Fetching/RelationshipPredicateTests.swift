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
  func `pairs of a many-to-many relationship count once`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Ann", books: ["a", "b"])
    let parent = ManagedObjectContext(parent: store.coordinator)
    let (tag, book) = (parent.insert(Tag.self), try #require(try parent.fetch(FetchRequest(Book.self)).first))
    tag.name = "new"
    try parent.save()
    tag.add(book, to: Tag.schema.books)
    #expect(try parent.count(FetchRequest(Tag.self, where: .count(\.books) == 1)) == 1)
    #expect(try parent.count(FetchRequest(Tag.self, where: .count(\.books, where: \.title != "a") == 1)) == 0)
    parent.delete(book)
    #expect(try parent.count(FetchRequest(Tag.self, where: .isEmpty(\.books))) == 1)
  }
}
