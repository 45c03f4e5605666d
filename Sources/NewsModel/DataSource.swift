public import Foundation
public import ManagedContext

/// Questions about regions, feeds and articles, and changes to them, in one context.
///
/// Lives on its context's queue; objects that it returns belong to that context.
public struct DataSource {
  /// The context that is asked.
  public let context: ManagedObjectContext

  /// Asks in `context`.
  public init(_ context: ManagedObjectContext) {
    self.context = context
  }

  // MARK: Regions

  /// All regions, by name.
  public func regions() throws(StoreError) -> [Region] {
    try context.fetch(FetchRequest(Region.self, sortedBy: [.ascending(\.name)]))
  }

  /// The region of a name; nil when there is none.
  public func region(named name: String) throws(StoreError) -> Region? {
    try context.fetch(FetchRequest(Region.self, where: \.name == name)).first
  }

  /// Deletes a region and its memberships; its feeds and their articles stay.
  public func remove(_ region: Region) throws(StoreError) {
    let memberships = try context.fetch(
      FetchRequest(Membership.self, where: \.region == region.id))
    for membership in memberships { context.delete(membership) }
    context.delete(region)
  }

  // MARK: Feeds

  /// The feeds of a region, in the order in which they were added to the store.
  public func feeds(of region: Region) throws(StoreError) -> [Feed] {
    let isMember = \Membership.region == region.id
    return try context.fetch(
      FetchRequest(Feed.self, where: .referenced(by: \Membership.feed, where: isMember)))
  }

  /// Adds feeds to a region, which is made if need be; what is there already stays as it is.
  ///
  /// - Parameter urls: Checked addresses.
  /// - Returns: How many were added to the region, and how many were in it.
  public func add(_ urls: [String], toRegionNamed name: String) throws(StoreError) -> (added: Int, known: Int)
  {
    let region: Region
    if let existing = try self.region(named: name) {
      region = existing
    } else {
      region = context.insert(Region.self)
      region.name = name
    }
    var members: Set<ManagedObjectID> = []
    if !region.isInserted {
      let request = FetchRequest(Membership.self, where: \.region == region.id)
      members = Set(try context.fetch(request).map(\.feed))
    }
    var feeds = try self.feeds(at: urls)
    var added = 0
    for url in urls {
      let feed = feeds[Array(url.utf8)] ?? insertFeed(url)
      feeds[Array(url.utf8)] = feed
      guard members.insert(feed.id).inserted else { continue }
      let membership = context.insert(Membership.self)
      membership.region = region.id
      membership.feed = feed.id
      added += 1
    }
    return (added, urls.count - added)
  }

  /// The feeds with these addresses, by the bytes of the address.
  private func feeds(at urls: [String]) throws(StoreError) -> [[UInt8]: Feed] {
    var found: [[UInt8]: Feed] = [:]
    for feed in try context.fetch(FetchRequest(Feed.self, where: .among(\.url, urls))) {
      found[Array(feed.url.utf8)] = feed
    }
    return found
  }

  private func insertFeed(_ url: String) -> Feed {
    let feed = context.insert(Feed.self)
    feed.url = url
    feed.failures = 0
    feed.fetches = 0
    feed.lastInserted = 0
    feed.lastEdited = 0
    feed.isGone410 = false
    return feed
  }

  // MARK: Articles

  /// Visits the articles of a region, newest first, without holding more than a page of them.
  ///
  /// - Parameters:
  ///   - since: Only articles published (or, undated, imported) then or later; nil for all.
  ///   - limit: At most so many; nil for all.
  ///   - body: Gets each article with the feed that it belongs to; the article is forgotten afterwards. Says whether
  ///     it wants more.
  public func forEachArticle(
    of region: Region, since: Date? = nil, limit: Int? = nil, _ body: (Article, Feed?) -> Bool
  ) throws(StoreError) {
    let isMember = \Membership.region == region.id
    let feeds = FetchPredicate<Feed>.referenced(by: \Membership.feed, where: isMember)
    var predicate = FetchPredicate<Article>.to(\.feed, Feed.self, where: feeds)
    if let since { predicate = predicate && \.timelineDate >= since }
    let request = FetchRequest(
      Article.self, where: predicate, sortedBy: [.descending(\.timelineDate), .newestFirst], limit: limit)
    let ids = try context.fetchIDs(request)
    for start in stride(from: 0, to: ids.count, by: Self.page) {
      let page = Array(ids[start..<min(start + Self.page, ids.count)])
      let scratch = ManagedObjectContext(parent: context.parent)
      let articles = try scratch.fetch(FetchRequest(Article.self, where: .ids(page)))
      let byID = Dictionary(uniqueKeysWithValues: articles.map { ($0.id, $0) })
      for article in page.compactMap({ byID[$0] }) {
        guard body(article, context.object(Feed.self, with: article.feed)) else { return }
      }
    }
  }

  private static let page = 200
}
