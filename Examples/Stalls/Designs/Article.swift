import Foundation
import ManagedContext

/// The object that every design imports: an article of about 3 KB.
final class Article: ManagedObject {
  override class var entityName: String { "article" }

  enum Key {
    static let guid = AttributeKey<String>(0, "guid")
    static let shelf = AttributeKey<Int>(1, "shelf")
    static let published = AttributeKey<Date>(2, "published")
    static let title = AttributeKey<String>(3, "title")
    static let url = AttributeKey<String>(4, "url")
    static let author = AttributeKey<String?>(5, "author")
    static let category = AttributeKey<String?>(6, "category")
    static let isRead = AttributeKey<Bool>(7, "is_read")
    static let summary = AttributeKey<String?>(8, "summary")
    static let content = AttributeKey<String>(9, "content")
  }

  /// Unique: the store looks it up for each insert.
  var guid: String {
    get { self[Key.guid] }
    set { self[Key.guid] = newValue }
  }
  /// Indexed: ten articles share a shelf, and a small read fetches one shelf.
  var shelf: Int {
    get { self[Key.shelf] }
    set { self[Key.shelf] = newValue }
  }
  var published: Date {
    get { self[Key.published] }
    set { self[Key.published] = newValue }
  }
  var title: String {
    get { self[Key.title] }
    set { self[Key.title] = newValue }
  }
  var url: String {
    get { self[Key.url] }
    set { self[Key.url] = newValue }
  }
  var author: String? {
    get { self[Key.author] }
    set { self[Key.author] = newValue }
  }
  var category: String? {
    get { self[Key.category] }
    set { self[Key.category] = newValue }
  }
  var isRead: Bool {
    get { self[Key.isRead] }
    set { self[Key.isRead] = newValue }
  }
  var summary: String? {
    get { self[Key.summary] }
    set { self[Key.summary] = newValue }
  }
  var content: String {
    get { self[Key.content] }
    set { self[Key.content] = newValue }
  }

  /// The model of the examples, which contains only articles.
  static let model = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        entityName, class: Article.self,
        properties: [
          .attribute(Key.guid, \Article.guid), .attribute(Key.shelf, \Article.shelf),
          .attribute(Key.published, \Article.published), .attribute(Key.title, \Article.title),
          .attribute(Key.url, \Article.url), .attribute(Key.author, \Article.author),
          .attribute(Key.category, \Article.category),
          .attribute(Key.isRead, \Article.isRead, default: false),
          .attribute(Key.summary, \Article.summary), .attribute(Key.content, \Article.content),
        ],
        uniqueness: [["guid"]], indexes: [["shelf"]])
    ])
}
