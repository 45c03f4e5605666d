public import Foundation
public import ManagedContext
import TextOutput
public import WebAddress

/// Queries about one feed, and changes to it.
extension DataSource {
  /// Counts a feed's articles.
  public func articleCount(of feed: Feed) throws(StoreError) -> Int {
    try context.count(FetchRequest(Article.self, where: \.feed == feed.id))
  }

  /// Returns the feeds among some of which the store has an article.
  public func feedsWithArticles(among feeds: [ManagedObjectID]) throws(StoreError) -> Set<ManagedObjectID> {
    let isFilled = FetchPredicate<Feed>.referenced(by: \Article.feed, where: .constant(true))
    return Set(try context.fetchIDs(FetchRequest(Feed.self, where: .ids(feeds) && isFilled)))
  }

  /// Returns the addresses of the first feeds, in the order in which they were added.
  public func feedURLs(limit: Int) throws(StoreError) -> [WebAddress] {
    try context.fetchValues(FetchRequest(Feed.self, limit: limit), \.url)
  }

  /// Returns the feed with a row number in the written store; nil if it does not exist.
  public func feed(numbered number: Int64) throws(StoreError) -> Feed? {
    guard let id = context.id(Feed.self, row: number) else { return nil }
    return try context.fetch(FetchRequest(Feed.self, where: .ids([id]))).first
  }

  /// Returns the chosen articles among some IDs, with their feeds, in the order in which they were imported.
  ///
  /// - Parameter now: The time on the reader's clock, which decides about dates.
  public func articles(
    _ ids: [ManagedObjectID], in choice: ArticleChoice, at now: Date = Date()
  ) throws(StoreError) -> [(article: StoredRow<Article>, feed: Feed?)] {
    let chosen = try predicate(of: choice, at: now)
    let articles = try context.rows(of: FetchRequest(Article.self, where: .ids(ids) && chosen))
    let feeds = try feeds(of: articles)
    return articles.map { ($0, feeds[$0.feed]) }
  }

  /// Returns the feeds with these present addresses, by address.
  public func feeds(at urls: [WebAddress]) throws(StoreError) -> [WebAddress: Feed] {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: .among(\.url, urls)))
    return Dictionary(feeds.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns feed titles, without creating objects; see ``Feed/shownTitle``. Feeds without one are left out.
  public func titles(of feeds: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID: String] {
    let request = FetchRequest(Feed.self, where: .ids(feeds))
    let titles = zip(
      try context.fetchIDs(request), try context.fetchValues(request, \.ownTitle, \.title))
    return Dictionary(
      titles.compactMap { id, names in (names.0 ?? names.1).map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the ordered names of each feed's regions; a feed in no region is left out.
  ///
  /// - Parameter feeds: The feeds; nil for all.
  public func regionNames(
    of feeds: [ManagedObjectID]?
  ) throws(StoreError) -> [ManagedObjectID: [String]] {
    let names = Dictionary(
      try regions().map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    let regions = try context.fetchRelatedIDs(\Feed.regions, of: feeds)
    return regions.mapValues { $0.compactMap { names[$0] }.sorted(by: precedesInLists) }
  }

  /// Returns a region's feeds as a set. They are read in parts, so that a million take little memory.
  public func members(of region: ManagedObjectID) throws(StoreError) -> ManagedObjectIDSet {
    try context.fetchRelatedIDs(\Region.feeds, of: region)
  }

  /// Returns the feeds for articles from files, which are never polled.
  public func feedsOfFiles() throws(StoreError) -> ManagedObjectIDSet {
    ManagedObjectIDSet(try context.fetchIDs(FetchRequest(Feed.self, where: .hasPrefix(\.url, "file:"))))
  }

  /// Removes feeds from a region. The feeds and their articles stay.
  public func remove(_ feeds: [ManagedObjectID], from region: Region) throws(StoreError) {
    region.remove(feeds.compactMap { context.object(Feed.self, with: $0) }, from: Region.schema.feeds)
  }
}
