import ManagedContext

final class Author: ManagedObject {
  override class var entityName: String { "author" }

  enum Key {
    static let name = AttributeKey<String>(0, "name")
    static let city = AttributeKey<String?>(1, "city")
    static let books = ToManyKey<Book>(0, "books")
  }

  var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }
  var city: String? {
    get { self[Key.city] }
    set { self[Key.city] = newValue }
  }
  var books: [Book] {
    get { self[Key.books] }
    set { self[Key.books] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Author.self,
    properties: [
      .attribute(Key.name, \Author.name),
      .attribute(Key.city, \Author.city),
      .toMany(Key.books, \Author.books, inverse: Book.Key.author, onDelete: .cascade),
    ],
    uniqueness: [["name"]])
}

final class Book: ManagedObject {
  override class var entityName: String { "book" }

  enum Key {
    static let author = ToOneKey<Author>(0, "author_id")
    static let title = AttributeKey<String>(1, "title")
    static let pages = AttributeKey<Int>(2, "pages")
  }

  var author: Author? {
    get { self[Key.author] }
    set { self[Key.author] = newValue }
  }
  var title: String {
    get { self[Key.title] }
    set { self[Key.title] = newValue }
  }
  var pages: Int {
    get { self[Key.pages] }
    set { self[Key.pages] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Book.self,
    properties: [
      .toOne(Key.author, \Book.author, inverse: Author.Key.books, isOptional: false),
      .attribute(Key.title, \Book.title),
      .attribute(Key.pages, \Book.pages, default: 0),
    ],
    uniqueness: [["author_id", "title"]])
}

enum Library {
  static let model = ManagedObjectModel(version: 1, entities: [Author.entity, Book.entity])
}
