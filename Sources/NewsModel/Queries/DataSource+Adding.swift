public import ManagedContext
public import WebAddress

/// Adding feeds to regions.
extension DataSource {
  /// The feeds to add to a region.
  public struct ListedFeeds: Sendable, Equatable {
    /// The region's name.
    public let region: String
    /// Valid addresses.
    public let urls: [WebAddress]

    public init(region: String, urls: [WebAddress]) {
      (self.region, self.urls) = (region, urls)
    }
  }

  /// The result of adding ``ListedFeeds``.
  public struct AddedFeeds {
    /// Feeds added to the region.
    public fileprivate(set) var added = 0
    /// Feeds that were in the region before.
    public var known: Int { listed - added }
    /// Feeds that their publishers had ended (HTTP 410).
    public fileprivate(set) var ended = 0
    /// Former feed addresses, each with its feed's present address.
    public fileprivate(set) var moves: [(from: WebAddress, to: WebAddress)] = []
    private let listed: Int

    fileprivate init(listed: Int) { self.listed = listed }
  }

  /// Adds feeds to a region, which is created if necessary; see ``add(_:named:)``.
  ///
  /// - Parameter urls: Valid addresses.
  /// - Returns: How many feeds were added, and how many were in the region before.
  public func add(
    _ urls: [WebAddress], toRegionNamed name: String, isAnswering: Bool = false
  ) throws(StoreError) -> (added: Int, known: Int) {
    let result = try add([ListedFeeds(region: name, urls: urls)], isAnswering: isAnswering)
    return (result[0].added, result[0].known)
  }

  /// Adds feeds to regions, which are created if necessary. Existing feeds stay as they are. A feed's former
  /// address means that feed.
  ///
  /// - Parameters:
  ///   - names: The user's titles for new feeds, and their web sites, by address.
  ///   - isAnswering: True if each address was polled and is a feed. Former addresses then become new feeds.
  /// - Returns: The result for each list.
  public func add(
    _ lists: [ListedFeeds], named names: [WebAddress: FeedName] = [:], isAnswering: Bool = false
  ) throws(StoreError) -> [AddedFeeds] {
    // All queries come first, because each also evaluates all unsaved objects.
    let urls = lists.flatMap(\.urls)
    let moved = try isAnswering ? [:] : movedFeeds(from: urls)
    if isAnswering {
      let left = FetchRequest(FormerAddress.self, where: .among(\.url, urls))
      for address in try context.fetch(left) { context.delete(address) }
    }
    var feeds = try self.feeds(at: urls, moved: moved)
    let hasEnded = feeds.values.contains(where: \.isGone410)
    var regions: [String: Region] = [:]
    for list in lists where regions[list.region] == nil {
      regions[list.region] = try region(named: list.region)
    }
    return lists.map { list in
      let region = regions[list.region] ?? insertRegion(list.region)
      regions[list.region] = region
      var result = AddedFeeds(listed: list.urls.count)
      for url in list.urls {
        let feed = feeds[url] ?? insertFeed(url, names[url])
        feeds[url] = feed
        if feed.add(region, to: Feed.schema.regions) { result.added += 1 }
      }
      if hasEnded {
        result.ended = Set(list.urls).count { feeds[$0]?.isGone410 == true }
      }
      if !moved.isEmpty {
        result.moves = list.urls.compactMap { url in moved[url].map { (url, $0.url) } }
      }
      return result
    }
  }

  /// Returns the feeds that documents belong to, by the addresses that they state. Missing feeds are created.
  ///
  /// A feed is also found by a former address, by its move's target, and with `http` and `https` exchanged.
  /// - Parameters:
  ///   - urls: The addresses, also with the scheme `file`.
  ///   - name: A region that the feeds are added to, which is created if necessary; nil for none.
  public func feeds(
    ofDocumentsAt urls: [WebAddress], inRegionNamed name: String?
  ) throws(StoreError) -> [WebAddress: Feed] {
    let all = urls + urls.compactMap(\.withOtherScheme)
    let known = try feeds(at: all, moved: try movedFeeds(from: all))
    var targets: [WebAddress: Feed] = [:]
    let moved = FetchRequest(
      Feed.self, where: .among(\.movedTo, all.map(Optional.some)), prefetching: [\.regions])
    for feed in try context.fetch(moved) {
      if let target = feed.movedTo { targets[target] = feed }
    }
    let region = try name.map { (name) throws(StoreError) in
      try self.region(named: name) ?? insertRegion(name)
    }
    var feeds: [WebAddress: Feed] = [:]
    for url in urls where feeds[url] == nil {
      let other = url.withOtherScheme
      let feed =
        known[url] ?? targets[url] ?? other.flatMap { known[$0] ?? targets[$0] ?? feeds[$0] }
        ?? insertFeed(url, nil)
      feeds[url] = feed
      if let region { feed.add(region, to: Feed.schema.regions) }
    }
    return feeds
  }

  /// Makes feeds due again that their publishers had ended (HTTP 410).
  ///
  /// - Returns: The count of such feeds.
  public func askEndedAgain(_ urls: [WebAddress]) throws(StoreError) -> Int {
    let ended = try feeds(at: urls, moved: try movedFeeds(from: urls)).values.filter(\.isGone410)
    for feed in ended { feed.pollAgain() }
    return ended.count
  }

  /// Returns the feeds with these present or former addresses, by address.
  ///
  /// - Parameter moved: The feeds with these former addresses.
  private func feeds(at urls: [WebAddress], moved: [WebAddress: Feed]) throws(StoreError) -> [WebAddress:
    Feed]
  {
    var found = moved
    let here = FetchRequest(Feed.self, where: .among(\.url, urls), prefetching: [\.regions])
    for feed in try context.fetch(here) { found[feed.url] = feed }
    return found
  }

  /// Adds the feeds that do not exist, in no region.
  ///
  /// - Parameter names: The new feeds' titles and web sites, by address.
  public func addFeeds(_ urls: [WebAddress], named names: [WebAddress: FeedName]) throws(StoreError) {
    let there = Set<WebAddress>(
      try context.fetchValues(FetchRequest(Feed.self, where: .among(\.url, urls)), \.url))
    for url in urls where !there.contains(url) { _ = insertFeed(url, names[url]) }
  }

  private func insertRegion(_ name: String) -> Region {
    let region = context.insert(Region.self)
    region.name = Region.normalized(name)
    return region
  }

  private func insertFeed(_ url: WebAddress, _ name: FeedName?) -> Feed {
    let feed = context.insert(Feed.self)
    feed.url = url
    feed.ownTitle = name?.title
    feed.homePage = name?.homePage
    feed.failures = 0
    feed.fetches = 0
    feed.lastInserted = 0
    feed.lastEdited = 0
    feed.isGone410 = false
    return feed
  }
}
