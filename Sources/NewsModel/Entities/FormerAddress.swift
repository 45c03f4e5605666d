public import ManagedContext
public import WebAddress

/// An address that a feed had before it moved permanently. The feed can still be found by it.
///
/// A feed that has the address now takes precedence.
public final class FormerAddress: ManagedObject, Entity {
  override public class var entityName: String { "former_address" }

  public struct Schema: Sendable {
    /// The address.
    public let url = Attribute<WebAddress>("url")
    /// The ``Feed`` that has moved.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self, inverse: \.formerAddresses)
  }

  public static let entity = EntityDeclaration(
    FormerAddress.self, Schema(), unique: { [[$0.url]] }, indexes: { [[$0.feed]] })
}
