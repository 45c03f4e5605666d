/// The guid of an article that shares its id, or its link if it has no id, with other articles.
///
/// A hash of the id and the link if no other article has both, so that a new title is an edit; otherwise a hash of the id
/// or link, the link, the title and the date of publication. Links are compared by ``LinkIdentity``.
struct SharedGuid {
  /// The start of each such guid; other guids that are hashes start with `hash:`.
  static let prefix = "shared:"
  /// The smallest text after all texts with the prefix.
  static let end = "shared;"

  /// The parts of an article that are hashed.
  enum Parts {
    /// Id and link, of an article that has both.
    case link
    /// Id or link, link, title and date of publication.
    case all
  }

  /// The guid.
  let text: String

  /// The hash of the guid, as ``KnownArticles`` has it.
  var hash: UInt64 { ContentHash.of(Array(text.utf8).span) }

  /// - Parameters:
  ///   - identity: The identity that the articles share, by ``LinkIdentity/key(_:)``.
  ///   - link: The article's link, by the same; 0 without one.
  ///   - title: The hash of its title; 0 without one.
  ///   - published: Seconds since 1970; nil without a date.
  init(identity: UInt64, link: UInt64, title: UInt64, published: Int64?) {
    self.init([identity, link, title, UInt64(bitPattern: published ?? .min)])
  }

  /// - Parameters:
  ///   - identity: The id that the articles share, by ``LinkIdentity/key(_:)``.
  ///   - link: The article's link, by the same.
  init(identity: UInt64, link: UInt64) {
    self.init([identity, link])
  }

  private init(_ parts: [UInt64]) {
    text = Self.prefix + String(parts.reduce(0) { $0 &* 31 &+ $1 }, radix: 16)
  }
}

extension Span<UInt8> {
  /// Returns whether a guid is a ``SharedGuid``.
  var isSharedGuid: Bool {
    guard count > SharedGuid.prefix.utf8.count else { return false }
    return SharedGuid.prefix.utf8.enumerated().allSatisfy { self[$0.offset] == $0.element }
  }
}
