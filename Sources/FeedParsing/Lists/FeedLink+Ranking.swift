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
