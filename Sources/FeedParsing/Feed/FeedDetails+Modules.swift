extension FeedDetails {
  /// A feed's or an item's subject.
  public struct Category: Sendable, Equatable {
    /// The category: Atom `term`, RSS text.
    public var term: String
    /// The category's list: Atom `scheme`, RSS `domain`; `http://www.itunes.com/` for podcast categories.
    public var scheme: String?
    /// The name for people.
    public var label: String?
    /// The term in the `itunes:category` that contains this one.
    public var parent: String?

    /// Describes a category.
    public init(term: String, scheme: String? = nil, label: String? = nil, parent: String? = nil) {
      self.term = term
      self.scheme = scheme
      self.label = label
      self.parent = parent
    }
  }
}

/// A link from a feed or an item that fills no other field (RFC 4287, section 4.2.7).
public struct RelatedLink: Sendable, Equatable {
  /// The target's address.
  public var url: String
  /// The relation as written, such as `via`; nil if the document does not state it, which means an alternate.
  public var relation: String?
  /// The target's media type.
  public var type: String?
  /// The target's title.
  public var title: String?
  /// The target's language.
  public var language: String?
  /// The target's size, in bytes.
  public var size: Int64?
}
