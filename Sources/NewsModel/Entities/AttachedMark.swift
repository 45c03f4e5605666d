public import ManagedContext
public import WebAddress

/// The user's marks on an article in an attached store, which is never written. They replace the marks in the
/// attached store.
///
/// The feed's address and the guid identify the article. Its marks therefore stay when the store is detached
/// and attached again, and hold in every attached store that contains it.
public final class AttachedMark: ManagedObject {
  override public class var entityName: String { "attached_mark" }

  package enum Key {
    package static let feed = AttributeKey<WebAddress>(0, "feed")
    package static let guid = AttributeKey<String>(1, "guid")
    package static let isRead = AttributeKey<Bool?>(2, "read")
    package static let isStarred = AttributeKey<Bool?>(3, "starred")
  }

  /// The feed's address.
  public var feed: WebAddress { self[Key.feed] }
  /// The article's identity within the feed.
  public var guid: String { self[Key.guid] }
  /// True or false if the user has marked the article as read or unread here; nil if its own store decides.
  public var isRead: Bool? { self[Key.isRead] }
  /// True or false if the user has set or removed its star here; nil if its own store decides.
  public var isStarred: Bool? { self[Key.isStarred] }

  static let entity = EntityDescription(
    entityName, class: AttachedMark.self,
    properties: [
      .attribute(Key.feed, \AttachedMark.feed), .attribute(Key.guid, \AttachedMark.guid),
      .attribute(Key.isRead, \AttachedMark.isRead), .attribute(Key.isStarred, \AttachedMark.isStarred),
    ],
    uniqueness: [["feed", "guid"]])
}
