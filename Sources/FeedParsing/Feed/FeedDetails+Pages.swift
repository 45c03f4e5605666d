extension FeedDetails {
  /// The other documents if a feed consists of several (RFC 5005).
  public struct Pages: Sendable, Equatable {
    /// The next part of a paged feed.
    public var next: String?
    /// The previous part.
    public var previous: String?
    /// The first part.
    public var first: String?
    /// The last part.
    public var last: String?
    /// The feed that an archive belongs to.
    public var current: String?
    /// The next newer archive.
    public var nextArchive: String?
    /// The next older archive.
    public var previousArchive: String?

    /// Stores a relation's link; the first link counts.
    mutating func set(_ url: String, _ relation: LinkRelation.Page) {
      switch relation {
      case .next: next = next ?? url
      case .previous: previous = previous ?? url
      case .first: first = first ?? url
      case .last: last = last ?? url
      case .current: current = current ?? url
      case .nextArchive: nextArchive = nextArchive ?? url
      case .previousArchive: previousArchive = previousArchive ?? url
      }
    }
  }
}
