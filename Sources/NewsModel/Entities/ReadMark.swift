public import ManagedContext

/// Says that an article was read.
///
/// A row of its own beside the article, so that marking writes a few bytes, and an import never meets it.
public final class ReadMark: ManagedObject {
  override public class var entityName: String { "read_mark" }

  /// The attributes.
  public enum Key {
    /// See ``ReadMark/article``.
    public static let article = AttributeKey<ManagedObjectID>(0, "article_id")
  }

  /// The ``Article``; it has one mark at most.
  public var article: ManagedObjectID {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: ReadMark.self,
    properties: [.reference(Key.article, \ReadMark.article, to: "article")], uniqueness: [["article_id"]])
}
