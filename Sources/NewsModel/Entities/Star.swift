public import ManagedContext

/// Marks an article as starred. Starred articles are never deleted.
public final class Star: ManagedObject, Entity {
  override public class var entityName: String { "star" }

  public struct Schema: Sendable {
    /// The ``Article``, which has at most one star.
    public let article = Attribute<ManagedObjectID>("article_id", to: Article.self, inverse: \.stars)
  }

  public static let entity = EntityDeclaration(
    Star.self, Schema(), unique: { [[$0.article]] }, history: { .ofMarks(on: $0.article) })
}
