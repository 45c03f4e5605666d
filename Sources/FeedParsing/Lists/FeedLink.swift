/// A feed that an HTML page links to.
public struct FeedLink: Sendable, Equatable {
  /// The address, resolved against the page's `base` and address; as written if neither is known.
  public var url: String
  /// The media type that the page states, in lower case and without parameters; nil if it states none.
  public var type: String?
  /// The title that the page states, on one line; nil if it states none.
  public var title: String?
  /// True if the page declares the feed (`link rel="alternate"`); false if only the address looks like a
  /// feed.
  public var isDeclared: Bool

  /// Describes a link.
  public init(url: String, type: String? = nil, title: String? = nil, isDeclared: Bool = true) {
    self.url = url
    self.type = type
    self.title = title
    self.isDeclared = isDeclared
  }

  /// True if the feed appears to contain readers' comments.
  public var isOfComments: Bool {
    let text = words
    return Self.commentWords.contains { text.contains($0) }
  }

  /// True if the feed appears to be part of another, for one category, tag or author.
  public var isOfPart: Bool {
    let text = words
    return Self.partWords.contains { text.contains($0) }
  }

  /// Word beginnings in English, French and Italian; in German and the Scandinavian languages; in Spanish and
  /// Portuguese.
  private static let commentWords = ["comment", "kommentar", "coment"]

  private static let partWords = [
    "/category/", "/categories/", "/tag/", "/tags/", "/topic/", "/topics/", "/author/", "/label/", "/labels/",
    "category", " tag feed", "author feed",
  ]

  /// The title, the path and the query in lower case. The host is not included, because its name does not
  /// describe a single feed.
  private var words: String {
    "\(FeedLinkAddress(url).path) \(title ?? "")".lowercased()
  }
}

extension FeedLink {
  /// Returns the links in the order in which to try them when looking for the page's news.
  ///
  /// Comment feeds come last. Before them are addresses that only look like feeds, then feeds for a category
  /// or a tag, then feeds on other hosts. Within these groups the order is the page's. If addresses differ
  /// only in http and https, `www.` or a final slash, the first is kept.
  ///
  /// - Parameters:
  ///   - links: A page's links, in its order.
  ///   - page: The page's address; nil if it is unknown.
  public static func ranked(_ links: [FeedLink], of page: String?) -> [FeedLink] {
    let home = page.map(FeedLinkAddress.init)
    let ranks = links.enumerated().map { place, link in
      Rank(link, FeedLinkAddress(link.url), home: home, place: place)
    }
    var known: Set<[UInt8]> = []
    return ranks.sorted { $0.weights.lexicographicallyPrecedes($1.weights) }.filter {
      known.insert(Array($0.address.key.utf8)).inserted
    }.map(\.link)
  }

  private struct Rank {
    let link: FeedLink
    let address: FeedLinkAddress
    /// The criteria, the most important first; lower is better.
    let weights: [Int]

    init(_ link: FeedLink, _ address: FeedLinkAddress, home: FeedLinkAddress?, place: Int) {
      self.link = link
      self.address = address
      let isElsewhere = home.map { !address.isAtHost(of: $0) } ?? false
      weights =
        [link.isOfComments, !link.isDeclared, link.isOfPart, isElsewhere].map { $0 ? 1 : 0 } + [place]
    }
  }
}

/// The parts of an address that are compared.
struct FeedLinkAddress {
  /// The host and the port in lower case, without user and `www.`; empty in a relative address.
  let host: String
  /// The path and the query.
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

  /// Returns whether the hosts are equal, or one is a part of the other, such as feeds.example.org and
  /// example.org.
  func isAtHost(of other: FeedLinkAddress) -> Bool {
    host == other.host || host.hasSuffix("." + other.host) || other.host.hasSuffix("." + host)
  }

  /// A text that is the same for addresses that differ only in http and https, `www.` and a final slash.
  var key: String { host + (path.hasSuffix("/") ? String(path.dropLast()) : path) }
}
