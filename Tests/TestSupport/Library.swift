public import ManagedContext

/// A small model for tests of the context layer: authors and their books.
public enum Library {
  public static let model = ManagedObjectModel(version: 3, entities: [Author.entity, Book.entity])
}

public final class Author: ManagedObject {
  override public class var entityName: String { "author" }

  public enum Key {
    public static let name = AttributeKey<String>(0, "name")
    public static let city = AttributeKey<String?>(1, "city")
  }

  public var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }
  public var city: String? {
    get { self[Key.city] }
    set { self[Key.city] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Author.self, attributes: [.init(Key.name), .init(Key.city)], uniqueness: [["name"]])
}

public final class Book: ManagedObject {
  override public class var entityName: String { "book" }

  public enum Key {
    public static let author = AttributeKey<ManagedObjectID>(0, "author_id")
    public static let title = AttributeKey<String>(1, "title")
    public static let pages = AttributeKey<Int?>(2, "pages")
    public static let mark = AttributeKey<Int>(3, "mark")
    public static let edits = AttributeKey<Int>(4, "edits")
  }

  public var author: ManagedObjectID {
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
  public var edits: Int { self[Key.edits] }

  static let entity = EntityDescription(
    entityName, class: Book.self,
    attributes: [
      .init(Key.author, to: "author"), .init(Key.title), .init(Key.pages), .init(Key.mark), .init(Key.edits),
    ],
    uniqueness: [["author_id", "title"]])
}

extension BatchUpsert {
  /// Books of one author as a batch: titles with their marks.
  public static func books(_ titles: [(title: String, mark: Int)], by author: ManagedObjectID) -> BatchUpsert
  {
    typealias Key = Book.Key
    var rows = RowBatch(
      entity: Library.model.index(of: Book.self), columns: Array(Key.author.index...Key.edits.index))
    for (title, mark) in titles {
      rows.beginRow()
      rows.append(author.attributeValue)
      rows.append(text: title)
      rows.append(AttributeValue.null)
      rows.append(mark.attributeValue)
      rows.append(0.attributeValue)
    }
    return BatchUpsert(
      rows, unique: [Key.author.index, Key.title.index], changeMark: Key.mark.index,
      editCounter: Key.edits.index, kept: [Key.edits.index])
  }
}
