/// The guid for an article that shares its id, or its link if it has no id, with other articles.
///
/// If no other article has the same id and link, it is a hash of these two, so that a new title is an edit.
/// Otherwise it hashes the id or link, link, title and publication date. Links are compared by
/// ``LinkIdentity``.
struct SharedGuid {
  /// The prefix for these guids; other hash guids start with `hash:`.
  static let prefix = "shared:"
  /// The smallest text after all texts with the prefix.
  static let end = "shared;"

  /// The parts of an article that are hashed.
  enum Parts {
    /// Id and link, for an article with both.
    case link
    /// Id or link, link, title and publication date.
    case all
  }

  let text: String

  /// The guid's hash, as in ``KnownArticles``.
  var hash: UInt64 { ContentHash.of(Array(text.utf8).span) }

  /// - Parameters:
  ///   - identity: The identity that the articles share, by ``LinkIdentity/key(_:)``.
  ///   - link: The article's link, by the same; 0 without one.
  ///   - title: The hash of its title; 0 without one.
  ///   - published: The publication date, in seconds since 1970; nil without one.
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
  var isSharedGuid: Bool {
    guard count > SharedGuid.prefix.utf8.count else { return false }
    return SharedGuid.prefix.utf8.enumerated().allSatisfy { self[$0.offset] == $0.element }
  }
}
