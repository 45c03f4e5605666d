public import ManagedContext

/// A small model for tests of the context layer: authors, their books, and the books' tags and loans.
public enum Library {
  public static let model = ManagedObjectModel(
    version: 3, entities: [Author.self, Book.self, Tag.self, Loan.self])

  public static let author: EntityIndex = 0
  public static let book: EntityIndex = 1
}

public final class Author: ManagedObject, Entity {
  override public class var entityName: String { "author" }

  public struct Schema: Sendable {
    public let name = Attribute<String>("name")
    public let city = Attribute<String?>("city")
    public let books = ToMany<Book>("books", onDelete: .cascade)
  }

  public static let entity = EntityDeclaration(Author.self, Schema(), unique: { [[$0.name]] })
}

public final class Book: ManagedObject, Entity {
  override public class var entityName: String { "book" }

  public struct Schema: Sendable {
    public let author = ToOne<Author>("author_id", inverse: \.books, isOptional: false)
    public let title = Attribute<String>("title")
    public let pages = Attribute<Int?>("pages")
    public let mark = Attribute<Int>("mark", default: 0)
    public let edits = Attribute<Int>("edits", default: 0)
    public let tags = ToMany<Tag>("tags", inverse: \.books)
  }

  public static let entity = EntityDeclaration(Book.self, Schema(), unique: { [[$0.author, $0.title]] })
}

public final class Tag: ManagedObject, Entity {
  override public class var entityName: String { "tag" }

  public struct Schema: Sendable {
    public let name = Attribute<String>("name")
    public let books = ToMany<Book>("books")
  }

  public static let entity = EntityDeclaration(Tag.self, Schema(), unique: { [[$0.name]] })
}

/// An entity that refers to a book, without an inverse relationship.
public final class Loan: ManagedObject, Entity {
  override public class var entityName: String { "loan" }

  public struct Schema: Sendable {
    public let book = Attribute<ManagedObjectID>("book_id", to: Book.self)
    public let reader = Attribute<String>("reader")
  }

  public static let entity = EntityDeclaration(Loan.self, Schema())
}

extension BatchUpsert {
  /// Returns a batch of books of one author: titles with their marks.
  public static func books(_ titles: [(title: String, mark: Int)], by author: ManagedObjectID) -> BatchUpsert
  {
    let key = Book.schema
    var rows = RowBatch(entity: Library.book, columns: Array(key.author.index...key.edits.index))
    for (title, mark) in titles {
      rows.beginRow()
      rows.append(author.attributeValue)
      rows.append(text: title)
      rows.append(AttributeValue.null)
      rows.append(integer: Int64(mark))
      rows.append(integer: 0)
    }
    return BatchUpsert(
      rows, unique: [key.author.index, key.title.index], changeMark: key.mark.index,
      editCounter: key.edits.index, kept: [key.edits.index])
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
