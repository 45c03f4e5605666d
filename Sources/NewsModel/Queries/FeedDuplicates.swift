public import ManagedContext
import WebAddress

/// Finds feeds that are in the store under two addresses.
///
/// The feeds belong to one context, and it is called on that context's queue.
public enum FeedDuplicates {
  /// The reason why two feeds are considered the same.
  public enum Reason: Sendable, Equatable {
    /// The addresses differ only in parts that servers rarely distinguish.
    case address
    /// The latest documents were identical, byte for byte.
    case document
  }

  /// A duplicate feed and its original.
  public struct Pair {
    /// The duplicate.
    public let feed: Feed
    /// The feed to keep.
    public let original: Feed
    /// The reason.
    public let reason: Reason
  }

  /// Collects the feeds that may have duplicates, so that the others need not be in memory at once.
  public struct Candidates {
    /// The hashes of what duplicates share, two for each feed.
    private var hashes: [(hash: Int, feed: ManagedObjectID)] = []

    /// Creates an empty list.
    public init() {}

    /// Notes a feed.
    public mutating func note(_ feed: Feed) {
      guard canBeDuplicate(feed) else { return }
      hashes.append((key(ofAddress: feed.url).hashValue, feed.id))
      if let document = feed.bodyHash { hashes.append((document.hashValue, feed.id)) }
    }

    /// The feeds whose hash another feed has, too.
    public var ids: [ManagedObjectID] {
      let sorted = hashes.sorted { $0.hash < $1.hash }
      var found: Set<ManagedObjectID> = []
      for (one, other) in zip(sorted, sorted.dropFirst()) where one.hash == other.hash {
        found.formUnion([one.feed, other.feed])
      }
      return Array(found)
    }
  }

  /// Feeds that have moved or ended have their own findings.
  private static func canBeDuplicate(_ feed: Feed) -> Bool { !feed.isGone410 && feed.movedTo == nil }

  /// Returns the duplicates among feeds, each with an original that is better or older.
  ///
  /// - Parameter haveArticles: Returns the feeds among some of which the store has an article.
  public static func pairs(
    among feeds: [Feed], haveArticles: ([ManagedObjectID]) throws -> Set<ManagedObjectID>
  ) rethrows -> [Pair] {
    let feeds = feeds.filter(canBeDuplicate)
    var found: [Pair] = []
    var seen: Set<ManagedObjectID> = []
    func note(_ groups: [[Feed]], _ reason: Reason) {
      for group in groups {
        guard let original = group.min(by: isBetter) else { continue }
        for feed in group where feed !== original && seen.insert(feed.id).inserted {
          found.append(Pair(feed: feed, original: original, reason: reason))
        }
      }
    }
    note(groups(of: feeds) { key(ofAddress: $0.url) }, .address)
    // Documents without articles may be identical by chance.
    let sameDocument = groups(of: feeds.filter { $0.bodyHash != nil }) { "\($0.bodyHash ?? 0)" }
    let filled = try sameDocument.isEmpty ? [] : haveArticles(sameDocument.map { $0[0].id })
    note(sameDocument.filter { filled.contains($0[0].id) }, .document)
    return found.sorted { $0.feed.url.text < $1.feed.url.text }
  }

  private static func groups(of feeds: [Feed], by key: (Feed) -> String) -> [[Feed]] {
    Dictionary(grouping: feeds, by: key).values.filter { $0.count > 1 }.sorted {
      $0[0].url.text < $1[0].url.text
    }
  }

  /// Orders feeds by the preference to keep them: working before failing, direct before redirected, encrypted
  /// before unencrypted, and older before newer.
  private static func isBetter(_ one: Feed, _ other: Feed) -> Bool {
    func rank(_ feed: Feed) -> (Int, Int, Int, Int64) {
      let answered = feed.validatorsURL?.identity
      let redirects = answered.map { $0 != feed.url.removingPassword.identity } ?? false
      let isEncrypted = feed.url.isEncrypted
      return (feed.failures > 0 ? 1 : 0, redirects ? 1 : 0, isEncrypted ? 0 : 1, feed.id.key)
    }
    return rank(one) < rank(other)
  }

  /// Returns the part of an address that identifies the feed: without the scheme, `www.`, a password, the
  /// fragment and trailing slashes.
  static func key(ofAddress address: WebAddress) -> String {
    var rest = Substring(address.identity)
    for beginning in ["https://", "http://"] where rest.hasPrefix(beginning) {
      rest = rest.dropFirst(beginning.count)
    }
    if rest.hasPrefix("www.") { rest = rest.dropFirst(4) }
    // The identity ends with a line end and the user.
    let user = rest.firstIndex(of: "\n") ?? rest.endIndex
    var path = rest[(rest[..<user].firstIndex(of: "/") ?? user)..<user]
    var host = rest[..<path.startIndex]
    for port in [":80", ":443"] where host.hasSuffix(port) { host = host.dropLast(port.count) }
    while path.last == "/" { path = path.dropLast() }
    return "\(host)\(path)\(rest[user...])"
  }
}
