import ManagedContext
import ManagedContextMacros
import Testing

/// The first version of a model.
private enum First {
  @Entity("book")
  final class Book: ManagedObject {
    var title: String
    var count: Int
    @Relationship(inverse: "books") var writer: Writer?
  }

  @Entity("writer")
  final class Writer: ManagedObject {
    var name: String
    @Relationship var books: [Book]
  }

  static let model = ManagedObjectModel(version: 1, entities: [Book.self, Writer.self])
}

/// The second version, in which the writers' class has no macro.
private enum Second {
  @Entity("novel", renamedFrom: "book")
  final class Novel: HookedObject {
    var title: String
    @Attribute(renamedFrom: "number", "count") var pages: Int?
    @Relationship("author_id", inverse: "novels", renamedFrom: "writer") var author: Author?
    var `default` = true

    override func validate() -> [ValidationError] {
      (pages ?? 1) > 0 ? [] : [violation("has no pages", of: \.pages)]
    }
  }

  final class Author: ManagedObject, Entity {
    override class var entityName: String { "author" }

    struct Schema: Sendable {
      let name = Attribute<String>("name")
      let novels = ToMany<Novel>("novels")
    }

    static let entity = EntityDeclaration(Author.self, Schema(), renamedFrom: "writer")
  }

  static let model = ManagedObjectModel(version: 2, entities: [Novel.self, Author.self])
}

@Suite struct MigrationTests {
  private let folder = StoreFolder()

  @Test func `renamed entities and properties keep their values`() async throws {
    let first = try folder.open(First.model)
    await first.perform { context in
      let (book, writer) = (context.insert(First.Book.self), context.insert(First.Writer.self))
      (book.title, book.count, book.writer, writer.name) = ("Emma", 474, writer, "Jane Austen")
    }
    _ = try await first.save()
    let second = try folder.open(Second.model)
    try await second.perform { context in
      let request = FetchRequest(Second.Novel.self, where: \Second.Novel.author!.name == "Jane Austen")
      let novel = try #require(try context.fetch(request).first)
      #expect(novel.title == "Emma" && novel.pages == 474 && novel.default)
      #expect(novel.author?.novels.map(\.title) == ["Emma"])
      #expect(try context.count(FetchRequest(Second.Novel.self, where: \.default == false)) == 0)
      novel.pages = 0
    }
    let refused = await #expect(throws: StoreError.self) { try await second.save() }
    #expect(refused?.violations.map(\.attribute) == ["pages"])
  }
}
