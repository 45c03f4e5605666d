/// The guid of an article whose own identity, its id or its link, other articles of the document have too.
///
/// A hash of the identity, the link, the title and the date of publication. Links count without what changes when a feed
/// moves (``LinkIdentity``).
struct SharedGuid {
  /// Begins each of them; other guids that are hashes begin with `hash:`.
  static let prefix = "shared:"

  /// The guid.
  let text: String

  /// - Parameters:
  ///   - identity: What the articles share, by ``LinkIdentity/key(_:)``.
  ///   - link: The article's link, by the same; 0 without one.
  ///   - title: The hash of its title; 0 without one.
  ///   - published: Seconds since 1970; nil without a date.
  init(identity: UInt64, link: UInt64, title: UInt64, published: Int64?) {
    var hash = identity
    for part in [link, title, UInt64(bitPattern: published ?? .min)] { hash = hash &* 31 &+ part }
    text = Self.prefix + String(hash, radix: 16)
  }
}

extension Span<UInt8> {
  /// Whether a guid is one of ``SharedGuid``.
  var isSharedGuid: Bool {
    guard count > SharedGuid.prefix.utf8.count else { return false }
    return SharedGuid.prefix.utf8.enumerated().allSatisfy { self[$0.offset] == $0.element }
  }
}
