import ManagedContext
import ManagedContextTesting
import TestSupport
import Testing

@Suite struct RelationshipTests {
  private func titles(_ books: [Book]) -> [String] { books.map(\.title).sorted() }

  @Test(arguments: StoreKind.allCases)
  func `setting one end of a relationship changes the other`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.context()
    let (woolf, joyce) = (context.insert(Author.self), context.insert(Author.self))
    let book = context.insert(Book.self)
    book.title = "Orlando"
    book.author = joyce
    #expect(titles(joyce.books) == ["Orlando"])
    woolf.books = [book]
    #expect(book.author === woolf)
    #expect(joyce.books.isEmpty)
    woolf.remove(book, from: Author.schema.books)
    #expect(book.author == nil)
    #expect(woolf.books.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship combines stored and unsaved changes`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush"])
    let other = try store.add("Joyce", books: ["Ulysses"])
    let context = store.context()
    let woolf = try context.existingObject(Author.self, with: id)
    let joyce = try context.existingObject(Author.self, with: other)
    #expect(titles(woolf.books) == ["Flush", "Orlando"])
    let new = context.insert(Book.self)
    (new.title, new.author) = ("The Waves", woolf)
    joyce.books.first?.author = woolf
    for book in woolf.books where book.title == "Flush" { context.delete(book) }
    #expect(titles(woolf.books) == ["Orlando", "The Waves", "Ulysses"])
    #expect(joyce.books.isEmpty)
    try context.save()
    #expect(titles(woolf.books) == ["Orlando", "The Waves", "Ulysses"])
    let reader = store.context()
    #expect(
      titles(try reader.existingObject(Author.self, with: id).books) == ["Orlando", "The Waves", "Ulysses"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a many-to-many relationship works in both directions`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush"])
    let context = store.context()
    let books = try context.existingObject(Author.self, with: id).books
    let (dogs, london) = (context.insert(Tag.self), context.insert(Tag.self))
    (dogs.name, london.name) = ("dogs", "London")
    books[0].tags = [london]
    books[1].tags = [london, dogs]
    #expect(Set(london.books.map(\.title)) == ["Orlando", "Flush"])
    try context.save()
    #expect(london.books.count == 2)

    let reader = store.context()
    let tag = try #require(try reader.fetch(FetchRequest(Tag.self, where: \.name == "dogs")).first)
    #expect(tag.books.map(\.title) == ["Flush"])
    let tagged = FetchRequest(Book.self, where: .to(some: \.tags, where: \.name == "London"))
    #expect(try reader.count(tagged) == 2)
    tag.books = []
    #expect(try reader.count(FetchRequest(Book.self, where: .to(some: \.tags, where: \.name == "dogs"))) == 0)
    try reader.save()
    let used = FetchRequest(Tag.self, where: .to(some: \.books, where: .constant(true)))
    let fresh = store.context()
    #expect(try fresh.fetch(used).map(\.name) == ["London"])
  }

  @Test(arguments: StoreKind.allCases)
  func `pairing the same two objects in two contexts adds one pair`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando"])
    let setUp = store.context()
    setUp.insert(Tag.self).name = "London"
    try setUp.save()
    let contexts = [store.context(), store.context()]
    for context in contexts {
      let tag = try #require(try context.fetch(FetchRequest(Tag.self)).first)
      tag.add(
        try #require(try context.existingObject(Author.self, with: id).books.first), to: Tag.schema.books)
    }
    for context in contexts { try context.save() }
    let reader = store.context()
    #expect(try reader.fetch(FetchRequest(Tag.self)).first?.books.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `new objects are paired without a query`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let context = store.context()
    let author = context.insert(Author.self)
    author.name = "Woolf"
    let tags = ["London", "dogs"].map { name in
      let tag = context.insert(Tag.self)
      tag.name = name
      return tag
    }
    for number in 0..<50 {
      let book = context.insert(Book.self)
      (book.title, book.author, book.tags) = ("Book \(number)", author, tags)
      #expect(book.tags.count == 2)
    }
    #expect(tags.map(\.books.count) == [50, 50] && author.books.count == 50)
    #expect(store.store.readCount() == 0)
    author.books.first?.tags = []
    #expect(tags.map(\.books.count) == [49, 49])
    try context.save()
    #expect(tags.map(\.books.count) == [49, 49])
    let reader = store.context()
    #expect(try reader.fetch(FetchRequest(Tag.self)).map(\.books.count) == [49, 49])
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting applies the cascade rule and deletes many-to-many pairs`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush"])
    let context = store.context()
    let author = try context.existingObject(Author.self, with: id)
    let tag = context.insert(Tag.self)
    tag.name = "London"
    tag.books = author.books
    try context.save()
    context.delete(author)
    let changes = try context.save()
    #expect(changes.deleted.count == 5)
    #expect(try context.count(FetchRequest(Book.self)) == 0)
    #expect(tag.books.isEmpty)
    #expect(author.isGone && author.name == "Woolf")
  }

  @Test func `the rules nullify and deny are applied`() throws {
    let model = Shelves.model
    let store = InMemoryStore(model: model)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: model, store: store))
    let room = context.insert(Room.self)
    let shelf = context.insert(Shelf.self)
    let volume = context.insert(Volume.self)
    shelf.room = room
    volume.shelf = shelf
    try context.save()
    context.delete(shelf)
    try context.save()
    #expect(volume.shelf == nil)

    let other = context.insert(Shelf.self)
    other.room = room
    try context.save()
    context.delete(room)
    let denied = ValidationError(entity: "room", attribute: "shelves", object: room.id, cause: .deleteDenied)
    #expect(throws: StoreError.validation(denied)) { try context.save() }
    // The deletion is allowed together with the related objects.
    context.delete(other)
    #expect(try context.save().deleted.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `prefetched relationships need no other query`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    for name in ["Woolf", "Joyce", "Proust"] { try store.add(name, books: ["\(name) 1", "\(name) 2"]) }
    let context = store.context()
    let authors = try context.fetch(FetchRequest(Author.self, prefetching: [\Author.books]))
    let asked = store.store.readCount()
    #expect(authors.flatMap { $0.books.map(\.title) }.count == 6)
    #expect(store.store.readCount() == asked)

    let reader = store.context()
    let books = try reader.fetch(FetchRequest(Book.self, prefetching: [\Book.author]))
    let askedBefore = store.store.readCount()
    #expect(Set(books.compactMap { $0.author?.name }).count == 3)
    #expect(store.store.readCount() == askedBefore)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship to an object of another entity, or to a missing object, is refused with its name`(
    kind: StoreKind
  ) throws {
    let store = try LibraryStore(kind)
    let author = try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    let loan = context.insert(Loan.self)
    loan.reader = "Vita"
    loan.book = author
    let broken = ValidationError(
      entity: "loan", attribute: "book_id", object: loan.id, cause: .brokenRelationship)
    #expect(throws: StoreError.validation(broken)) { try context.save() }
    loan.book = try #require(context.id(Book.self, row: 4711))
    #expect {
      try context.save()
    } throws: { error in
      guard case .validation(let error) = error as? StoreError else { return false }
      return error.entity == "loan" && error.attribute == "book_id" && error.cause == .brokenRelationship
    }
    #expect(try store.context().count(FetchRequest(Loan.self)) == 0)
  }
}

/// Rooms with shelves that must be empty before deletion, and shelves whose volumes remain.
enum Shelves {
  static let model = ManagedObjectModel(version: 1, entities: [Room.entity, Shelf.entity, Volume.entity])
}

final class Room: ManagedObject {
  override class var entityName: String { "room" }
  static let shelvesKey = ToManyKey<Shelf>(0, "shelves")
  var shelves: [Shelf] { self[Self.shelvesKey] }
  static let entity = EntityDescription(
    entityName, class: Room.self,
    properties: [.toMany(shelvesKey, \Room.shelves, inverse: Shelf.roomKey, onDelete: .deny)])
}

final class Shelf: ManagedObject {
  override class var entityName: String { "shelf" }
  static let roomKey = ToOneKey<Room>(0, "room_id")
  static let volumesKey = ToManyKey<Volume>(0, "volumes")
  var room: Room? {
    get { self[Self.roomKey] }
    set { self[Self.roomKey] = newValue }
  }
  var volumes: [Volume] { self[Self.volumesKey] }
  static let entity = EntityDescription(
    entityName, class: Shelf.self,
    properties: [
      .toOne(roomKey, \Shelf.room, inverse: Room.shelvesKey),
      .toMany(volumesKey, \Shelf.volumes, inverse: Volume.shelfKey, onDelete: .nullify),
    ])
}

final class Volume: ManagedObject {
  override class var entityName: String { "volume" }
  static let shelfKey = ToOneKey<Shelf>(0, "shelf_id")
  var shelf: Shelf? {
    get { self[Self.shelfKey] }
    set { self[Self.shelfKey] = newValue }
  }
  static let entity = EntityDescription(
    entityName, class: Volume.self,
    properties: [.toOne(shelfKey, \Volume.shelf, inverse: Shelf.volumesKey)])
}
