public import ManagedContext
public import WebAddress

/// The user's marks on an article in an attached store, which is never written. They replace the marks in the
/// attached store.
///
/// The feed's address and the guid identify the article. Its marks therefore stay when the store is detached
/// and attached again, and hold in every attached store that contains it.
public final class AttachedMark: ManagedObject, Entity {
  override public class var entityName: String { "attached_mark" }

  public struct Schema: Sendable {
    /// The feed's address.
    public let feed = Attribute<WebAddress>("feed")
    /// The article's identity within the feed.
    public let guid = Attribute<String>("guid")
    /// True or false if the user has marked the article as read or unread here; nil if its own store decides.
    public let isRead = Attribute<Bool?>("read")
    /// True or false if the user has set or removed its star here; nil if its own store decides.
    public let isStarred = Attribute<Bool?>("starred")
  }

  public static let entity = EntityDeclaration(AttachedMark.self, Schema(), unique: { [[$0.feed, $0.guid]] })
}
