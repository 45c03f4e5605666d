public import Foundation
public import ManagedContext
public import WebAddress

/// A feed list that regions follow, as it was at the last sync.
public final class FollowedList: ManagedObject, Entity {
  override public class var entityName: String { "followed_list" }

  public struct Schema: Sendable {
    /// The list's address, or its file's absolute path.
    public let place = Attribute<String>("place")
    /// The region that gets all feeds in the list; empty if the list's folders are the regions.
    public let region = Attribute<String>("region")
    /// The feeds, as ``ListedRegions/text``.
    public let feeds = Attribute<String>("feeds")
    /// The answer's ETag, byte for byte; nil if the server sent none, and for a file.
    public let etag = Attribute<[UInt8]?>("etag")
    /// The answer's Last-Modified, byte for byte.
    public let lastModified = Attribute<[UInt8]?>("last_modified")
    /// The address that sent the validators, after redirects.
    public let validatorsURL = Attribute<WebAddress?>("validators_url")
    /// The date of the last sync that read the list.
    public let date = Attribute<Date>("date", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(
    FollowedList.self, Schema(), unique: { [[$0.place, $0.region]] })
}
