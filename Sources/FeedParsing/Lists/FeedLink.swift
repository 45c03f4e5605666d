/// A feed that an HTML page links to.
public struct FeedLink: Sendable, Equatable {
  /// Its address, resolved against the page's `base` and address; as it is written where neither is known.
  public var url: String
  /// The media type that the page gives, in lower case and without parameters; nil where it gives none.
  public var type: String?
  /// The title that the page gives, in one line; nil where it gives none.
  public var title: String?
  /// Whether the page says that it is a feed (`link rel="alternate"`); otherwise only its address looks like one.
  public var isDeclared: Bool

  /// Describes a link.
  public init(url: String, type: String? = nil, title: String? = nil, isDeclared: Bool = true) {
    self.url = url
    self.type = type
    self.title = title
    self.isDeclared = isDeclared
  }

  /// Whether the feed seems to hold what readers say, not what the page says.
  public var isOfComments: Bool {
    let text = words
    return Self.commentWords.contains { text.contains($0) }
  }

  /// Whether the feed seems to be a part of another: of a category, a tag or an author.
  public var isOfPart: Bool {
    let text = words
    return Self.partWords.contains { text.contains($0) }
  }

  /// In English, French and Italian; German and the Scandinavian languages; Spanish and Portuguese.
  private static let commentWords = ["comment", "kommentar", "coment"]

  private static let partWords = [
    "/category/", "/categories/", "/tag/", "/tags/", "/topic/", "/topics/", "/author/", "/label/", "/labels/",
    "category", " tag feed", "author feed",
  ]

  /// Title, path and query, in lower case: the name of a host says nothing about one of its feeds.
  private var words: String {
    "\(FeedLinkAddress(url).path) \(title ?? "")".lowercased()
  }
}

extension FeedLink {
  /// The links in the order in which somebody who wants to read the page's news would try them.
  ///
  /// Feeds of comments come last, and before them addresses that only look like feeds; then feeds of a category or a
  /// tag; then those of other hosts. What is left is in the page's order, which is the publisher's. Of addresses that
  /// differ in http and https, `www.` or a slash at their end the first one stays.
  ///
  /// - Parameters:
  ///   - links: What a page links to, in its order.
  ///   - page: The page's address; nil when it is unknown.
  public static func ranked(_ links: [FeedLink], of page: String?) -> [FeedLink] {
    let home = page.map(FeedLinkAddress.init)
    let ranks = links.enumerated().map { place, link in
      Rank(link, FeedLinkAddress(link.url), home: home, place: place)
    }
    var known: Set<[UInt8]> = []
    return ranks.sorted().filter { known.insert(Array($0.address.key.utf8)).inserted }.map(\.link)
  }

  private struct Rank: Comparable {
    let link: FeedLink
    let address: FeedLinkAddress
    /// What counts, the most important first; less is better.
    let weights: [Int]

    init(_ link: FeedLink, _ address: FeedLinkAddress, home: FeedLinkAddress?, place: Int) {
      self.link = link
      self.address = address
      let isElsewhere = home.map { !address.isAtHost(of: $0) } ?? false
      weights =
        [link.isOfComments, !link.isDeclared, link.isOfPart, isElsewhere].map { $0 ? 1 : 0 } + [place]
    }

    static func < (left: Rank, right: Rank) -> Bool {
      left.weights.lexicographicallyPrecedes(right.weights)
    }

    static func == (left: Rank, right: Rank) -> Bool { left.weights == right.weights }
  }
}

/// The parts of an address by which links are compared.
struct FeedLinkAddress {
  /// Host and port in lower case, without user and `www.`; empty in a relative address.
  let host: String
  /// Path and query.
  let path: String

  init(_ url: String) {
    guard let separator = url.firstRange(of: "://") else {
      host = ""
      path = url
      return
    }
    let rest = url[separator.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let name = rest[..<end].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let lower = name.lowercased()
    host = lower.hasPrefix("www.") ? String(lower.dropFirst(4)) : lower
    path = String(rest[end...])
  }

  /// Whether the hosts are one, or one of them is a part of the other, as in feeds.example.org and example.org.
  func isAtHost(of other: FeedLinkAddress) -> Bool {
    host == other.host || host.hasSuffix("." + other.host) || other.host.hasSuffix("." + host)
  }

  /// The same for addresses that differ in http and https, `www.` and a slash at their end only.
  var key: String { host + (path.hasSuffix("/") ? String(path.dropLast()) : path) }
}
