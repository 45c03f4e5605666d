public import Foundation
public import ManagedContext
import TextOutput
public import WebAddress
import Sequences

/// Queries about regions, feeds and articles, and changes to them, in one context.
///
/// It must be used on its context's queue, to which the returned objects belong.
public struct DataSource {
  /// The context for the queries.
  public let context: ManagedObjectContext

  /// Creates a data source for a context.
  public init(_ context: ManagedObjectContext) {
    self.context = context
  }

  // MARK: Regions

  /// Returns all regions, ordered by name.
  public func regions() throws(StoreError) -> [Region] {
    try context.fetch(FetchRequest(Region.self)).sorted { precedesInLists($0.name, $1.name) }
  }

  /// Returns the region with a name, as given or as ``Region/normalized(_:)``; nil if it does not exist.
  public func region(named name: String) throws(StoreError) -> Region? {
    let regions = try context.fetch(FetchRequest(Region.self, where: Region.isNamed([name])))
    return regions.first { $0.name.utf8.elementsEqual(name.utf8) } ?? regions.first
  }

  // MARK: Feeds

  /// Returns all feeds, in the order in which they were added.
  public func feeds() throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self))
  }

  /// Returns a region's feeds, in the order in which they were added to the store.
  public func feeds(of region: Region) throws(StoreError) -> [Feed] {
    try context.fetch(Self.members(of: region))
  }

  /// Calls `body` with 1,000 feeds at a time, in the order of their addition. Deleted feeds are left out.
  ///
  /// A feed takes 2 KB of memory as an object, and a store may have a million.
  public func forEachPart(
    of feeds: [ManagedObjectID], prefetching relationships: [any PartialKeyPath<Feed> & Sendable] = [],
    _ body: ([Feed]) throws(StoreError) -> Void
  ) throws(StoreError) {
    for part in feeds.chunks(of: 1000) { try body(try self.feeds(part, prefetching: relationships)) }
  }

  /// Returns the feeds with these IDs, in the order of their addition. Deleted feeds are left out.
  public func feeds(
    _ ids: [ManagedObjectID], prefetching relationships: [any PartialKeyPath<Feed> & Sendable] = []
  ) throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self, where: .ids(ids), prefetching: relationships))
  }

  /// Returns all feeds' IDs, in the order of ``feeds()``.
  public func feedIDs() throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(FetchRequest(Feed.self))
  }

  /// Returns a region's feed IDs, in the order of ``feeds(of:)``.
  public func feedIDs(of region: Region) throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(Self.members(of: region))
  }

  static func members(of region: Region) -> FetchRequest<Feed> {
    FetchRequest(Feed.self, where: isMember(of: region))
  }

  static func isMember(of region: Region) -> FetchPredicate<Feed> {
    isMember(of: [region.id])
  }

  private static func isMember(of regions: [ManagedObjectID]) -> FetchPredicate<Feed> {
    .to(some: \.regions, where: .ids(regions))
  }

  /// Counts the feeds in any of the regions, without feeds for articles from files.
  public func feedCount(of regions: [ManagedObjectID]) throws(StoreError) -> Int {
    try context.count(
      FetchRequest(Feed.self, where: Self.isMember(of: regions) && !.hasPrefix(\.url, "file:")))
  }

  /// Returns the feed with an address: its own, its move's target, or a former one; nil if it does not exist.
  public func feed(at url: WebAddress) throws(StoreError) -> Feed? {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: \.url == url || \.movedTo == url))
    if let feed = feeds.first(where: { $0.url == url }) ?? feeds.first { return feed }
    return try context.fetch(FetchRequest(Feed.self, where: Self.wasAt(\.url == url))).first
  }

  /// Returns feeds with a text in their present or former address, ordered by address.
  public func feeds(containing text: String, limit: Int) throws(StoreError) -> [Feed] {
    let has = FetchPredicate<Feed>.contains(\.url, text) || Self.wasAt(.contains(\.url, text))
    return try context.fetch(
      FetchRequest(Feed.self, where: has, sortedBy: [.ascending(\.url)], limit: limit))
  }

  private static func wasAt(_ address: FetchPredicate<FormerAddress>) -> FetchPredicate<Feed> {
    .referenced(by: \FormerAddress.feed, where: address)
  }

  /// Returns the former feed addresses among some addresses, each with its feed's present address.
  public func moves(from urls: [WebAddress]) throws(StoreError) -> [(from: WebAddress, to: WebAddress)] {
    let left = try movedFeeds(from: urls)
    return urls.compactMap { url in left[url].map { (url, $0.url) } }
  }

  /// Returns the feeds with these former addresses, by former address.
  func movedFeeds(from urls: [WebAddress]) throws(StoreError) -> [WebAddress: Feed] {
    let left = try context.fetch(FetchRequest(FormerAddress.self, where: .among(\.url, urls)))
    if left.isEmpty { return [:] }
    let here = Set<WebAddress>(
      try context.fetchValues(FetchRequest(Feed.self, where: .among(\.url, urls)), \.url))
    let feeds = try context.fetch(
      FetchRequest(Feed.self, where: .ids(left.map(\.feed)), prefetching: [\.regions]))
    var found: [WebAddress: Feed] = [:]
    for address in left where !here.contains(address.url) {
      found[address.url] = feeds.first { $0.id == address.feed }
    }
    return found
  }

  /// Returns a feed's regions, ordered by name.
  public func regions(of feed: Feed) throws(StoreError) -> [Region] {
    try context.fetch(FetchRequest(Region.self, where: .to(some: \.feeds, where: .ids([feed.id]))))
      .sorted { precedesInLists($0.name, $1.name) }
  }

  /// Returns a feed's last answers, newest first, independent of the clock.
  public func log(of feed: Feed) throws(StoreError) -> [FetchRecord] {
    Self.sorted(try context.fetch(FetchRequest(FetchRecord.self, where: \.feed == feed.id)), of: feed)
  }

  /// Returns a feed's log, newest first.
  private static func sorted<Record: EntityValues<FetchRecord>>(_ log: [Record], of feed: Feed) -> [Record] {
    // Another program may have written any number.
    let newest = feed.fetches &- 1
    func age(_ record: Record) -> Int {
      ((newest &- record.slot) % FetchRecord.kept + FetchRecord.kept) % FetchRecord.kept
    }
    return log.sorted { age($0) < age($1) }
  }

  /// Returns the time of each feed's first consecutive failure, or of its first refusal if it has not failed,
  /// as far as its log goes. Feeds that succeeded last are left out.
  public func brokenSince(_ feeds: [Feed]) throws(StoreError) -> [ManagedObjectID: Date] {
    var dates: [ManagedObjectID: Date] = [:]
    for part in feeds.chunks(of: 1000) {
      let request = FetchRequest(FetchRecord.self, where: .among(\.feed, part.map(\.id)))
      let rows = try context.rows(of: request) { [$0.feed, $0.slot, $0.storedOutcome, $0.date] }
      let logs = Dictionary(grouping: rows, by: \.feed)
      for feed in part {
        let broken = Self.sorted(logs[feed.id] ?? [], of: feed).prefix { $0.outcome?.isSuccess == false }
        dates[feed.id] = (broken.last { $0.outcome == .failed } ?? broken.last)?.date
      }
    }
    return dates
  }

  /// Returns the feeds in all regions with a pause that ends after `now`.
  public func pausedFeeds(at now: Date) throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self, where: \.notBefore > now, sortedBy: [.ascending(\.notBefore)]))
  }

  // MARK: Articles

  /// Returns whether the store has any article.
  public func hasArticles() throws(StoreError) -> Bool {
    try context.count(FetchRequest(Article.self, limit: 1)) > 0
  }

  /// Returns the article with a number, which is its row number in a store; nil if it does not exist.
  public func article(numbered number: Int64, in store: StoreNumber) throws(StoreError) -> StoredRow<Article>?
  {
    guard let entity = context.model.index(of: Article.self) else { return nil }
    let id = ManagedObjectID(entity: entity, store: store, key: number)
    return try context.rows(of: FetchRequest(Article.self, where: .ids([id]))).first
  }

  /// Returns the ID for an article number, whether or not the article exists.
  public func articleID(_ number: Int64) -> ManagedObjectID? { context.id(Article.self, row: number) }

  /// Returns whether an object is in the written store, not in an attached one.
  public func isOwn(_ id: ManagedObjectID) -> Bool { id.store == context.parent.writtenStoreNumber }

  /// Returns the articles' feeds, by ID.
  public func feeds(of articles: some Sequence<StoredRow<Article>>) throws(StoreError) -> [ManagedObjectID:
    Feed]
  {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(Array(Set(articles.map(\.feed))))))
    return Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })
  }

  /// Returns an article's feed; nil if it was deleted.
  public func feed(of article: StoredRow<Article>) throws(StoreError) -> Feed? {
    try context.fetch(FetchRequest(Feed.self, where: .ids([article.feed]))).first
  }

  /// Counts regions, feeds and articles.
  public func counts() throws(StoreError) -> (regions: Int, feeds: Int, articles: Int) {
    (
      try context.count(FetchRequest(Region.self)), try context.count(FetchRequest(Feed.self)),
      try context.count(FetchRequest(Article.self))
    )
  }

  // MARK: Attached stores

  /// Returns the attached stores, ordered by name.
  public func attachedStores() throws(StoreError) -> [AttachedStore] {
    try context.fetch(FetchRequest(AttachedStore.self, sortedBy: [.ascending(\.name)]))
  }

  /// Returns the attached store with a name; nil if it does not exist.
  public func attachedStore(named name: String) throws(StoreError) -> AttachedStore? {
    try context.fetch(FetchRequest(AttachedStore.self, where: \.name == name)).first
  }
}
