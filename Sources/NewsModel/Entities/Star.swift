public import ManagedContext

/// Marks an article as starred. Starred articles are never deleted.
public final class Star: ManagedObject {
  override public class var entityName: String { "star" }

  package enum Key {
    package static let article = AttributeKey<ManagedObjectID>(0, "article_id")
  }

  /// The ``Article``, which has at most one star.
  public var article: ManagedObjectID {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Star.self,
    properties: [.reference(Key.article, \Star.article, to: "article")], uniqueness: [["article_id"]],
    history: .ofMarks)
}
