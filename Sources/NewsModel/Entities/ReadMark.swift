public import ManagedContext

/// Marks an article as read.
///
/// The mark has its own row, so that marking writes only a few bytes and never conflicts with an import.
public final class ReadMark: ManagedObject, Entity {
  override public class var entityName: String { "read_mark" }

  public struct Schema: Sendable {
    /// The ``Article``, which has at most one mark.
    public let article = Attribute<ManagedObjectID>("article_id", to: Article.self, inverse: \.readMarks)
  }

  public static let entity = EntityDeclaration(
    ReadMark.self, Schema(), unique: { [[$0.article]] }, history: { .ofMarks(on: $0.article) })
}
