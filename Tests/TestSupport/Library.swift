public import ManagedContext

/// A small model for tests of the context layer: authors, their books, and the books' tags and loans.
public enum Library {
  public static let model = ManagedObjectModel(
    version: 3, entities: [Author.entity, Book.entity, Tag.entity, Loan.entity])

  public static let author: EntityIndex = 0
  public static let book: EntityIndex = 1
}

public final class Author: ManagedObject {
  override public class var entityName: String { "author" }

  public enum Key {
    public static let name = AttributeKey<String>(0, "name")
    public static let city = AttributeKey<String?>(1, "city")
    public static let books = ToManyKey<Book>(0, "books")
  }

  public var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }
  public var city: String? {
    get { self[Key.city] }
    set { self[Key.city] = newValue }
  }
  public var books: [Book] {
    get { self[Key.books] }
    set { self[Key.books] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Author.self,
    properties: [
      .attribute(Key.name, \Author.name), .attribute(Key.city, \Author.city),
      .toMany(Key.books, \Author.books, inverse: Book.Key.author, onDelete: .cascade),
    ],
    uniqueness: [["name"]])
}

public final class Book: ManagedObject {
  override public class var entityName: String { "book" }

  public enum Key {
    public static let author = ToOneKey<Author>(0, "author_id")
    public static let title = AttributeKey<String>(1, "title")
    public static let pages = AttributeKey<Int?>(2, "pages")
    public static let mark = AttributeKey<Int>(3, "mark")
    public static let edits = AttributeKey<Int>(4, "edits")
    public static let tags = ToManyKey<Tag>(0, "tags")
  }

  public var author: Author? {
    get { self[Key.author] }
    set { self[Key.author] = newValue }
  }
  public var title: String {
    get { self[Key.title] }
    set { self[Key.title] = newValue }
  }
  public var pages: Int? {
    get { self[Key.pages] }
    set { self[Key.pages] = newValue }
  }
  public var mark: Int {
    get { self[Key.mark] }
    set { self[Key.mark] = newValue }
  }
  public var edits: Int { self[Key.edits] }
  public var tags: [Tag] {
    get { self[Key.tags] }
    set { self[Key.tags] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Book.self,
    properties: [
      .toOne(Key.author, \Book.author, inverse: Author.Key.books, isOptional: false),
      .attribute(Key.title, \Book.title), .attribute(Key.pages, \Book.pages),
      .attribute(Key.mark, \Book.mark, default: 0), .attribute(Key.edits, \Book.edits, default: 0),
      .manyToMany(Key.tags, \Book.tags, inverse: Tag.Key.books),
    ],
    uniqueness: [["author_id", "title"]])
}

public final class Tag: ManagedObject {
  override public class var entityName: String { "tag" }

  public enum Key {
    public static let name = AttributeKey<String>(0, "name")
    public static let books = ToManyKey<Book>(0, "books")
  }

  public var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }
  public var books: [Book] {
    get { self[Key.books] }
    set { self[Key.books] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Tag.self,
    properties: [
      .attribute(Key.name, \Tag.name), .manyToMany(Key.books, \Tag.books, inverse: Book.Key.tags),
    ],
    uniqueness: [["name"]])
}

/// An entity that refers to a book, without an inverse relationship.
public final class Loan: ManagedObject {
  override public class var entityName: String { "loan" }

  public enum Key {
    public static let book = AttributeKey<ManagedObjectID>(0, "book_id")
    public static let reader = AttributeKey<String>(1, "reader")
  }

  public var book: ManagedObjectID {
    get { self[Key.book] }
    set { self[Key.book] = newValue }
  }
  public var reader: String {
    get { self[Key.reader] }
    set { self[Key.reader] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Loan.self,
    properties: [.reference(Key.book, \Loan.book, to: "book"), .attribute(Key.reader, \Loan.reader)])
}

extension BatchUpsert {
  /// Returns a batch of books of one author: titles with their marks.
  public static func books(_ titles: [(title: String, mark: Int)], by author: ManagedObjectID) -> BatchUpsert
  {
    typealias Key = Book.Key
    var rows = RowBatch(entity: Library.book, columns: Array(Key.author.index...Key.edits.index))
    for (title, mark) in titles {
      rows.beginRow()
      rows.append(author.attributeValue)
      rows.append(text: title)
      rows.append(AttributeValue.null)
      rows.append(integer: Int64(mark))
      rows.append(integer: 0)
    }
    return BatchUpsert(
      rows, unique: [Key.author.index, Key.title.index], changeMark: Key.mark.index,
      editCounter: Key.edits.index, kept: [Key.edits.index])
  }
}

extension ContextChanges {
  /// Creates changes of whole objects.
  public init(inserted: ManagedObjectIDSet = [], updatedObjects: Set<ManagedObjectID>) {
    let all = AttributeSet(rawValue: .max)
    self.init(
      inserted: inserted, updated: Dictionary(uniqueKeysWithValues: updatedObjects.map { ($0, all) }))
  }
}

/// Returns whether two lists contain the same objects in the same order.
public func === <Object: ManagedObject>(left: [Object], right: [Object]) -> Bool {
  left.elementsEqual(right, by: ===)
}
