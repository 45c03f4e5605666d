import Foundation
import ManagedContext

/// The object that every design imports: an article of about 3 KB.
final class Article: ManagedObject, Entity {
  override class var entityName: String { "article" }

  struct Schema: Sendable {
    /// Unique: the store looks it up for each insert.
    let guid = Attribute<String>("guid")
    /// Indexed: ten articles share a shelf, and a small read fetches one shelf.
    let shelf = Attribute<Int>("shelf")
    let published = Attribute<Date>("published")
    let title = Attribute<String>("title")
    let url = Attribute<String>("url")
    let author = Attribute<String?>("author")
    let category = Attribute<String?>("category")
    let isRead = Attribute<Bool>("is_read", default: false)
    let summary = Attribute<String?>("summary")
    let content = Attribute<String>("content")
  }

  static let entity = EntityDeclaration(
    Article.self, Schema(), unique: { [[$0.guid]] }, indexes: { [[$0.shelf]] })

  /// The model of the examples, which contains only articles.
  static let model = ManagedObjectModel(version: 1, entities: [Article.self])
}
