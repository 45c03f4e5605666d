/// A link of a feed or an item that no other field is made of (RFC 4287, section 4.2.7).
public struct RelatedLink: Sendable, Equatable {
  /// Where it leads.
  public var url: String
  /// How it relates, as written, such as `via`; nil where the document does not say, which means an alternate.
  public var relation: String?
  /// The media type of what is there.
  public var type: String?
  /// The title of what is there.
  public var title: String?
  /// The language of what is there.
  public var language: String?
  /// The size in bytes of what is there.
  public var size: Int64?
}
