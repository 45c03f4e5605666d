public import ManagedContext

/// Says that an article is starred: somebody wants to keep it, and nothing deletes it.
public final class Star: ManagedObject {
  override public class var entityName: String { "star" }

  /// The attributes.
  public enum Key {
    /// See ``Star/article``.
    public static let article = AttributeKey<ManagedObjectID>(0, "article_id")
  }

  /// The ``Article``; it has one star at most.
  public var article: ManagedObjectID {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Star.self,
    properties: [.reference(Key.article, \Star.article, to: "article")], uniqueness: [["article_id"]])
}
