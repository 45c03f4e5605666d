import ManagedContext
import TestSupport
import Testing

/// Entities whose attributes and relationships are the properties of a schema.
@Suite struct SchemaTests {
  private func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `attributes and to-one relationships have indexes in the order of their properties`() {
    let entity = Book.entity.description
    #expect(entity.name == "book")
    #expect(entity.attributes.map(\.name) == ["author_id", "title", "pages", "mark", "edits"])
    #expect(entity.attributes.map(\.type) == [.reference, .text, .integer, .integer, .integer])
    #expect(entity.attributes.map(\.isOptional) == [false, false, true, false, false])
    #expect(entity.attributes.map(\.defaultValue) == [.null, .null, .null, .integer(0), .integer(0)])
    #expect(Book.schema.title.index == 1 && Book.schema.edits.index == 4)
    #expect(entity.uniqueness == [[0, 1]])
    #expect(Loan.entity.description.attributes[0].destination == "book")
  }

  @Test func `a relationship has the inverse that both ends name`() {
    let author = Author.entity.description.relationships
    #expect(author.map(\.name) == ["books"] && author.map(\.inverse) == ["author_id"])
    #expect(author.map(\.kind) == [.toMany] && author[0].destination == Book.self)
    let book = Book.entity.description.relationships
    #expect(book.map(\.inverse) == ["books", "books"] && book.map(\.kind) == [.toOne, .manyToMany])
    #expect(Tag.entity.description.relationships.map(\.inverse) == ["tags"])
  }

  @Test func `a request refuses a computed property, even if it only passes on a member`() throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    #expect(try context.count(FetchRequest(Book.self, where: \.title == "Orlando")) == 1)
    #expect(try context.count(FetchRequest(Book.self, where: .to(\.author, where: \.name == "Woolf"))) == 1)
    for predicate in [\Book.alias == "Orlando", \Book.shouted == "ORLANDO"] {
      let error = #expect(throws: StoreError.self) {
        try context.fetch(FetchRequest(Book.self, where: predicate))
      }
      guard case .validation(let broken)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(broken.entity == "book" && broken.cause == .notStored)
      #expect(
        error.map { "\($0)" } == """
          a value breaks a rule of the model: book.<property of type String> is not an attribute of the \
          model; a request names attributes, such as those that it reads
          """)
    }
  }

  @Test func `an object has the properties of its schema`() throws {
    let context = try LibraryStore(.memory).context()
    let (author, book) = (context.insert(Author.self), context.insert(Book.self))
    (author.name, book.title, book.author) = ("Woolf", "Flush", author)
    book.mark += 2
    #expect(author.books === [book] && book.author === author)
    #expect(book.title == "Flush" && book.mark == 2 && book.pages == nil)
    try context.save()
    #expect(!context.hasChanges && author.city == nil)
    author.city = "London"
    #expect(author.hasChanges && author.changedAttributes == [Author.schema.city.index])
  }

  @Test func `rows have the properties that were read, and leave their context`() async throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf", books: ["Flush", "Orlando"])
    let context = BackgroundContext(parent: store.coordinator, name: "reader")
    let rows = try await context.perform { (context) throws(StoreError) in
      try context.rows(of: FetchRequest(Book.self, sortedBy: [.ascending(\.title)])) { [$0.title, $0.mark] }
    }
    #expect(rows.map(\.title) == ["Flush", "Orlando"] && rows.map(\.mark) == [1, 2])
    #expect(rows.map(\.shown) == ["Flush (1)", "Orlando (2)"])
    let object = try store.context().fetch(FetchRequest(Book.self, where: \.title == "Flush")).first
    #expect(object?.shown == "Flush (1)" && object?.id == rows[0].id)
  }

  @Test func `a row whose attribute was not read stops the program, in debug builds`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try LibraryStore(.memory)
      try store.add("Woolf", books: ["Orlando"])
      _ = try store.context().rows(of: FetchRequest(Book.self)) { [$0.title] }.map(\.mark)
    }
    #expect(message(of: result).contains("book: attribute 3 was used, and not read"))
  }

  @Test func `an attribute outside of a declaration is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Attribute<String>("lonely")
    }
    #expect(
      message(of: result).contains(
        "lonely is declared without an index, and outside of an EntityDeclaration"))
  }

  @Test func `an inverse that belongs to another class is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Thief.entity
    }
    #expect(message(of: result).contains("thief.book_id: its inverse leads to book"))
  }

  @Test func `a relationship that none names as its inverse is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ManagedObjectModel(version: 1, entities: [Lonely.self])
    }
    #expect(
      message(of: result).contains("lonely.others: no relationship of lonely has it as its inverse"))
  }
}

extension EntityValues where Object == Book {
  /// A property of objects and rows.
  fileprivate var shown: String { "\(self.title) (\(self.mark))" }
}

extension Book {
  /// Computed properties, which are no attributes.
  fileprivate var alias: String {
    get { self.title }
    set { self.title = newValue }
  }
  fileprivate var shouted: String { self.title.uppercased() }
}

/// A class with another one's relationship.
private final class Thief: ManagedObject, Entity {
  override class var entityName: String { "thief" }

  struct Schema: Sendable {
    let book = ToOne<Author>("book_id", inverse: \.books)
  }

  static let entity = EntityDeclaration(Thief.self, Schema())
}

/// A class with a relationship that leads one way.
private final class Lonely: ManagedObject, Entity {
  override class var entityName: String { "lonely" }

  struct Schema: Sendable {
    let others = ToMany<Lonely>("others")
  }

  static let entity = EntityDeclaration(Lonely.self, Schema())
}
