public import ManagedContext
public import WebAddress

/// An address that a feed had before it moved permanently. The feed can still be found by it.
///
/// A feed that has the address now takes precedence.
public final class FormerAddress: ManagedObject {
  override public class var entityName: String { "former_address" }

  package enum Key {
    package static let url = AttributeKey<WebAddress>(0, "url")
    package static let feed = AttributeKey<ManagedObjectID>(1, "feed_id")
  }

  /// The address.
  public var url: WebAddress {
    get { self[Key.url] }
    set { self[Key.url] = newValue }
  }

  /// The ``Feed`` that has moved.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: FormerAddress.self,
    properties: [
      .attribute(Key.url, \FormerAddress.url),
      .reference(Key.feed, \FormerAddress.feed, to: "feed"),
    ],
    uniqueness: [["url"]], indexes: [["feed_id"]])
}
