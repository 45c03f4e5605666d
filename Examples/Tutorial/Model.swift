import ManagedContext

final class Author: ManagedObject, Entity {
  override class var entityName: String { "author" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let city = Attribute<String?>("city")
    let books = ToMany<Book>("books", onDelete: .cascade)
  }

  static let entity = EntityDeclaration(Author.self, Schema(), unique: { [[$0.name]] })
}

final class Book: ManagedObject, Entity {
  override class var entityName: String { "book" }

  struct Schema: Sendable {
    let author = ToOne<Author>("author_id", inverse: \.books, isOptional: false)
    let title = Attribute<String>("title")
    let pages = Attribute<Int>("pages", default: 0)
  }

  static let entity = EntityDeclaration(Book.self, Schema(), unique: { [[$0.author, $0.title]] })
}

enum Library {
  static let model = ManagedObjectModel(version: 1, entities: [Author.self, Book.self])
}
