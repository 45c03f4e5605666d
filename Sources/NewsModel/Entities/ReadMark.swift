public import ManagedContext

/// Marks an article as read.
///
/// The mark has its own row, so that marking writes only a few bytes and never conflicts with an import.
public final class ReadMark: ManagedObject {
  override public class var entityName: String { "read_mark" }

  package enum Key {
    package static let article = AttributeKey<ManagedObjectID>(0, "article_id")
  }

  /// The ``Article``, which has at most one mark.
  public var article: ManagedObjectID {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: ReadMark.self,
    properties: [.reference(Key.article, \ReadMark.article, to: "article")], uniqueness: [["article_id"]],
    history: .ofMarks)
}
