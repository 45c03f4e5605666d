@testable import ManagedContext
import TestSupport
import Testing

@Suite struct ValidationTests {
  private let store: LibraryStore
  private let context: ManagedObjectContext

  init() throws {
    store = try LibraryStore(.memory)
    context = store.context()
  }

  private func expectNothingSaved(_ error: ValidationError) throws {
    context.insert(Tag.self).name = "saved together"
    #expect(throws: StoreError.validation(error)) { try context.save() }
    #expect(try store.context().count(FetchRequest(Tag.self)) == 0)
  }

  @Test func `the next save names a class outside the model, and its attributes read as null`() throws {
    let room = context.insert(Room.self)
    #expect(room.shelves.isEmpty)
    try expectNothingSaved(ValidationError(entity: "Room", cause: .unknownEntity))
    #expect(throws: StoreError.validation(ValidationError(entity: "Room", cause: .unknownEntity))) {
      _ = try context.fetch(FetchRequest(Room.self))
    }
  }

  @Test func `the next save names an attribute outside the entity, and it reads as null`() throws {
    let author = context.insert(Author.self)
    author.name = "Woolf"
    let stray = AttributeKey<Int>(17, "shoe_size")
    author[stray] = 38
    #expect(author[stray] == 0)
    try expectNothingSaved(
      ValidationError(
        entity: "author", attribute: "attribute 17", object: author.id, cause: .unknownAttribute))
  }

  @Test func `a value of another type is refused`() throws {
    let author = context.insert(Author.self)
    author[AttributeKey<Int>(0, "name")] = 5
    try expectNothingSaved(
      ValidationError(
        entity: "author", attribute: "name", object: author.id, cause: .wrongType(expected: .text)))
  }

  @Test(arguments: StoreKind.allCases)
  func `a reference to an object of another entity matches nothing`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let author = try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    let book = try #require(try context.existingObject(Author.self, with: author).books.first).id
    let wrong = ManagedObjectID(entity: book.entity, store: author.store, key: author.key)
    #expect(try context.count(FetchRequest(Book.self, where: \.author == wrong)) == 0)
    #expect(try context.count(FetchRequest(Book.self, where: \.author != wrong)) == 1)
    #expect(try context.count(FetchRequest(Loan.self, where: .among(\.book, [author]))) == 0)
  }

  @Test func `a missing required relationship is refused, and the save succeeds after it is set`() throws {
    let book = context.insert(Book.self)
    book.title = "Orlando"
    try expectNothingSaved(
      ValidationError(entity: "book", attribute: "author_id", object: book.id, cause: .missingValue))
    let author = context.insert(Author.self)
    author.name = "Woolf"
    book.author = author
    #expect(try context.save().inserted.count == 3)
  }

  @Test func `a required value that is removed is refused`() throws {
    let id = try store.add("Woolf", books: ["Orlando"])
    let book = try #require(try context.existingObject(Author.self, with: id).books.first)
    book.author = nil
    try expectNothingSaved(
      ValidationError(entity: "book", attribute: "author_id", object: book.id, cause: .missingValue))
  }

  @Test func `a reference to an object that is deleted in the same context is refused`() throws {
    let id = try store.add("Woolf", books: ["Orlando"])
    let author = try context.existingObject(Author.self, with: id)
    let book = try #require(author.books.first)
    let loan = context.insert(Loan.self)
    (loan.reader, loan.book) = ("Vita", book.id)
    context.delete(book)
    try expectNothingSaved(
      ValidationError(entity: "loan", attribute: "book_id", object: loan.id, cause: .brokenRelationship))
  }

  @Test func `objects that refer to each other in a circle are saved`() throws {
    let model = ManagedObjectModel(version: 1, entities: [Knot.entity])
    let coordinator = PersistentStoreCoordinator(model: model, store: InMemoryStore(model: model))
    let context = ManagedObjectContext(parent: coordinator)
    let (first, second) = (context.insert(Knot.self), context.insert(Knot.self))
    (first.next, second.next) = (second.id, first.id)
    try context.save()
    let reader = ManagedObjectContext(parent: coordinator)
    let knots = try reader.fetch(FetchRequest(Knot.self))
    #expect(knots.map(\.next) == knots.reversed().map { $0.id })
    #expect(first.next == second.id)
  }

  @Test func `a fetch names a key path that is not an attribute`() throws {
    #expect {
      _ = try context.fetch(FetchRequest(Author.self, where: \.entityTitle == "x"))
    } throws: { error in
      guard case .validation(let error) = error as? StoreError else { return false }
      return error.entity == "author" && error.cause == .notStored
    }
  }
}

extension Author {
  /// A property that is not an attribute.
  fileprivate var entityTitle: String { self.name.uppercased() }
}

/// An entity with a relationship to itself.
private final class Knot: ManagedObject {
  override class var entityName: String { "knot" }
  static let nextKey = AttributeKey<ManagedObjectID?>(0, "next_id")
  var next: ManagedObjectID? {
    get { self[Self.nextKey] }
    set { self[Self.nextKey] = newValue }
  }
  static let entity = EntityDescription(
    entityName, class: Knot.self, properties: [.reference(nextKey, \Knot.next, to: "knot")])
}
