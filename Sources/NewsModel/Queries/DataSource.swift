public import Foundation
public import ManagedContext
public import WebAddress

/// Queries about regions, feeds and articles, and changes to them, in one context.
///
/// It must be used on the queue of its context, to which the returned objects belong.
public struct DataSource {
  /// The context of the queries.
  public let context: ManagedObjectContext

  /// Creates a data source for a context.
  public init(_ context: ManagedObjectContext) {
    self.context = context
  }

  // MARK: Regions

  /// Returns all regions, ordered by name.
  public func regions() throws(StoreError) -> [Region] {
    try context.fetch(FetchRequest(Region.self, sortedBy: [.ascending(\.name)]))
  }

  /// Returns the region with a name, as given or as ``Region/normalized(_:)``; nil if it does not exist.
  public func region(named name: String) throws(StoreError) -> Region? {
    let regions = try context.fetch(FetchRequest(Region.self, where: Region.isNamed([name])))
    return regions.first { $0.name.utf8.elementsEqual(name.utf8) } ?? regions.first
  }

  /// Deletes a region and its memberships. Its feeds and their articles stay.
  public func remove(_ region: Region) throws(StoreError) {
    let memberships = try context.fetch(
      FetchRequest(Membership.self, where: \.region == region.id))
    for membership in memberships { context.delete(membership) }
    context.delete(region)
  }

  // MARK: Feeds

  /// Returns all feeds, in the order in which they were added.
  public func feeds() throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self))
  }

  /// Returns the feeds of a region, in the order in which they were added to the store.
  public func feeds(of region: Region) throws(StoreError) -> [Feed] {
    try context.fetch(Self.members(of: region))
  }

  /// Returns the IDs of a region's feeds, in the order of ``feeds(of:)``.
  public func feedIDs(of region: Region) throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(Self.members(of: region))
  }

  static func members(of region: Region) -> FetchRequest<Feed> {
    let isMember = \Membership.region == region.id
    return FetchRequest(Feed.self, where: .referenced(by: \Membership.feed, where: isMember))
  }

  /// Returns the feed with an address: its own, the target of its move, or a former one; nil if it does not exist.
  public func feed(at url: WebAddress) throws(StoreError) -> Feed? {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: \.url == url || \.movedTo == url))
    if let feed = feeds.first(where: { $0.url == url }) ?? feeds.first { return feed }
    return try context.fetch(FetchRequest(Feed.self, where: Self.wasAt(\.url == url))).first
  }

  /// Returns feeds whose present or former address contains a text, ordered by address.
  public func feeds(containing text: String, limit: Int) throws(StoreError) -> [Feed] {
    let has = FetchPredicate<Feed>.contains(\.url, text) || Self.wasAt(.contains(\.url, text))
    return try context.fetch(
      FetchRequest(Feed.self, where: has, sortedBy: [.ascending(\.url)], limit: limit))
  }

  private static func wasAt(_ address: FetchPredicate<FormerAddress>) -> FetchPredicate<Feed> {
    .referenced(by: \FormerAddress.feed, where: address)
  }

  /// Returns the former addresses of a feed, the oldest first.
  public func formerAddresses(of feed: Feed) throws(StoreError) -> [WebAddress] {
    try context.fetch(FetchRequest(FormerAddress.self, where: \.feed == feed.id)).map(\.url)
  }

  /// Returns the former addresses of feeds among some addresses, each with the present address of its feed.
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
    let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(left.map(\.feed))))
    var found: [WebAddress: Feed] = [:]
    for address in left where !here.contains(address.url) {
      found[address.url] = feeds.first { $0.id == address.feed }
    }
    return found
  }

  /// Returns the regions of a feed, ordered by name.
  public func regions(of feed: Feed) throws(StoreError) -> [Region] {
    try context.fetch(
      FetchRequest(
        Region.self, where: .referenced(by: \Membership.region, where: \Membership.feed == feed.id),
        sortedBy: [.ascending(\.name)]))
  }

  /// Returns the last answers of a feed, the newest first, independent of the clock.
  public func log(of feed: Feed) throws(StoreError) -> [FetchRecord] {
    // Another program may have written any number.
    let newest = feed.fetches &- 1
    let log = try context.fetch(FetchRequest(FetchRecord.self, where: \.feed == feed.id))
    func age(_ record: FetchRecord) -> Int {
      ((newest &- record.slot) % FetchRecord.kept + FetchRecord.kept) % FetchRecord.kept
    }
    return log.sorted { age($0) < age($1) }
  }

  /// Returns the time of the first of a feed's consecutive failures, as far as its log goes; nil if the last poll did not fail.
  public func brokenSince(_ feed: Feed) throws(StoreError) -> Date? {
    try log(of: feed).prefix { $0.outcome == .failed }.last?.date
  }

  /// Returns the feeds of all regions with a pause that ends after `now`.
  public func pausedFeeds(at now: Date) throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self, where: \.notBefore > now))
  }

  // MARK: Articles

  /// Returns whether the store has any article.
  public func hasArticles() throws(StoreError) -> Bool {
    try context.count(FetchRequest(Article.self, limit: 1)) > 0
  }

  /// Returns the IDs of the articles that were imported at a date or later. It scans all articles.
  public func articles(importedSince date: Date) throws(StoreError) -> [ManagedObjectID] {
    // Import times are whole seconds, so the whole second of the date is included.
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    return try context.fetchIDs(FetchRequest(Article.self, where: \.imported >= second))
  }

  /// Returns the IDs of the articles that were imported at a date or later, if they are among the newest rows; nil if there may
  /// be more. It needs a source of a single store.
  ///
  /// Rows are numbered in the order of imports, except that simultaneous imports may differ by the time of a transaction.
  public func recentArticles(importedSince date: Date) throws(StoreError) -> [ManagedObjectID]? {
    let end = Int64(date.timeIntervalSince1970.rounded(.down))
    for limit in [1000, 20_000] {
      let newest = FetchRequest(Article.self, sortedBy: [.newestFirst], limit: limit)
      let rows = try context.rows(newest, columns: [Article.Key.imported.index])
      let dates = (0..<rows.count).map { row -> Int64 in
        if case .integer(let date) = rows.cell(row: row, column: 0) { date } else { .max }
      }
      if rows.count < limit || dates.last.map({ $0 < end - 3600 }) == true {
        return zip(rows.ids, dates).filter { $0.1 >= end }.map(\.0)
      }
    }
    return nil
  }

  /// Returns the article with a number, which is its row number in a store; nil if it does not exist.
  public func article(numbered number: Int64, in store: StoreNumber) throws(StoreError) -> Article? {
    guard let entity = context.model.index(of: Article.self) else { return nil }
    let id = ManagedObjectID(entity: entity, store: store, key: number)
    return try context.fetch(FetchRequest(Article.self, where: .ids([id]))).first
  }

  /// Returns the existing articles with these numbers, in any order.
  public func articles(numbered numbers: [Int64]) throws(StoreError) -> [Article] {
    try context.fetch(FetchRequest(Article.self, where: .ids(numbers.compactMap(articleID))))
  }

  /// Returns the ID for an article number, whether or not the article exists.
  public func articleID(_ number: Int64) -> ManagedObjectID? { context.id(Article.self, row: number) }

  /// Returns whether an object is in the written store, not in an attached one.
  public func isOwn(_ id: ManagedObjectID) -> Bool { id.store == context.parent.writtenStoreNumber }

  /// Returns the feeds of articles, by ID.
  public func feeds(of articles: [Article]) throws(StoreError) -> [ManagedObjectID: Feed] {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(Array(Set(articles.map(\.feed))))))
    return Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })
  }

  /// Returns the feed of an article; nil if it was deleted.
  public func feed(of article: Article) throws(StoreError) -> Feed? {
    try context.fetch(FetchRequest(Feed.self, where: .ids([article.feed]))).first
  }

  /// Returns which of some articles meet a further condition.
  public typealias ArticleFilter = (_ page: [ManagedObjectID]) throws(StoreError) -> Set<ManagedObjectID>

  /// A chosen article with what belongs to it.
  public struct Visited {
    /// The article as a row, which is released after the visit.
    public let row: ArticleRow
    /// The article as an object.
    public var article: Article { row.article }
    /// Its feed; nil if it was deleted.
    public let feed: Feed?
    /// The user's marks.
    public let marks: Set<ArticleMark>
    /// The copies of its story, with the article itself; empty without others.
    public let copies: [ArticleCopy]
  }

  /// Visits chosen articles, newest first, with at most one page of them in memory.
  ///
  /// If several stores are read together, each may have a region with a name. An article that is in the written store and in
  /// another one is visited once.
  /// - Parameters:
  ///   - choice: The articles.
  ///   - now: The time of the reader's clock, which decides about dates.
  ///   - filter: A condition that the store cannot check; nil for none.
  ///   - body: Called with each article. Returns false to stop.
  public func forEachArticle(
    _ choice: ArticleChoice, at now: Date = Date(), filter: ArticleFilter? = nil,
    _ body: (Visited) -> Bool
  ) throws(StoreError) {
    // Dates in the future are visited separately: for all others a span of time is a range of the index.
    let future = try earlyArticles(choice.predicate(at: now), at: now)
    var predicate = choice.predicate(at: future == nil ? now : nil)
    var early = (future?.chosen ?? [])[...]
    if future?.exist == true { predicate = predicate && \.timelineDate <= now }
    // With a filter, nobody knows how many articles must be read.
    let limit = filter == nil ? choice.limit : nil
    var request = FetchRequest(
      Article.self, where: predicate, sortedBy: Article.newestFirst, limit: limit)
    var left = choice.limit ?? .max
    var stories = ListedStories()
    func visit(_ articles: [ArticleRow], _ visitEarlier: (Date) throws(StoreError) -> Bool) throws(StoreError)
      -> Bool
    {
      let marks = try marks(of: articles.map(\.id))
      let copies = try copies(ofStories: articles.compactMap(\.story))
      for article in articles {
        guard try visitEarlier(article.timelineDate) else { return false }
        if !choice.hasCopies, !stories.isFirst(article.story, copies) { continue }
        let visited = Visited(
          row: article, feed: context.object(Feed.self, with: article.feed),
          marks: marks[article.id] ?? [],
          copies: article.story.flatMap { copies[$0] } ?? [])
        guard left > 0, body(visited) else { return false }
        left -= 1
      }
      return true
    }
    func visitEarly(before date: Date) throws(StoreError) -> Bool {
      while let next = early.first, next.date >= date {
        early.removeFirst()
        if let filter, try !filter([next.id]).contains(next.id) { continue }
        guard try visit(try articles([next.id]), { _ in true }) else { return false }
      }
      return true
    }
    func visit(_ ids: [ManagedObjectID]) throws(StoreError) -> Bool {
      for page in ids.chunks(of: filter == nil ? Self.page : Self.filteredPage) {
        var page = page
        if let filter {
          let found = try filter(page)
          page = page.filter(found.contains)
        }
        guard try visit(try articles(page), visitEarly) else { return false }
      }
      return true
    }
    // The first page is small, so that output begins at once even if a million articles follow.
    var first: Set<ManagedObjectID> = []
    var isAtEnd = false
    if left > Self.page || filter != nil {
      for size in filter == nil ? [Self.page] : [Self.firstFilteredPage, Self.filteredPage] where !isAtEnd {
        request.limit = size
        let ids = try context.fetchIDs(request)
        guard try visit(ids.filter { !first.contains($0) }) else { return }
        isAtEnd = ids.count < size
        first = Set(ids)
      }
      request.limit = limit
    }
    while left > 0, !isAtEnd {
      let ids = try context.fetchIDs(request)
      guard try visit(ids.filter { !first.contains($0) }) else { return }
      // Articles that are in two stores, and copies, were dropped, so the page is filled from where it ended.
      guard let limit = request.limit, ids.count == limit else { break }
      request.offset += ids.count
      request.limit = left
    }
    _ = try visitEarly(before: .distantPast)
  }

  /// Returns the chosen articles with dates in the future and their list dates, the newest first, and whether any article has
  /// such a date; nil if there are so many that the clock must be wrong.
  private func earlyArticles(
    _ predicate: FetchPredicate<Article>, at now: Date
  ) throws(StoreError) -> (chosen: [(id: ManagedObjectID, date: Date)], exist: Bool)? {
    // This condition alone needs only a few entries of the index, as long as the order is that of the index.
    let early = try context.fetchIDs(
      FetchRequest(
        Article.self, where: \.timelineDate > now, sortedBy: Article.newestFirst, limit: Self.mostEarly + 1))
    guard !early.isEmpty else { return ([], false) }
    guard early.count <= Self.mostEarly else { return nil }
    let request = FetchRequest(
      Article.self, where: predicate && .ids(early), sortedBy: Article.newestFirst)
    let rows = try context.rows(
      request, columns: [Article.Key.timelineDate.index, Article.Key.imported.index])
    let chosen = (0..<rows.count).map { row -> (id: ManagedObjectID, date: Date) in
      let article = RowValues(rows, row: row, model: context.model)
      let date = Article.listDate(
        article[Article.Key.timelineDate], imported: article[Article.Key.imported], at: now)
      return (article.id, date)
    }
    return (chosen.sorted { $0.date > $1.date }, true)
  }

  /// Returns a page of articles in their order, without articles of other stores that the written store also has.
  public func articles(_ page: [ManagedObjectID]) throws(StoreError) -> [ArticleRow] {
    let scratch = ManagedObjectContext(parent: context.parent)
    let rows = ArticleRows(
      try scratch.rows(FetchRequest(Article.self, where: .ids(page)), columns: Article.Key.columns), scratch)
    let places = Dictionary(
      uniqueKeysWithValues: rows.batch.ids.enumerated().map { ($0.element, $0.offset) })
    let articles = page.compactMap { places[$0].map { ArticleRow(rows, $0) } }
    let foreign = articles.filter { !isOwn($0.id) }
    guard !foreign.isEmpty else { return articles }
    var own: Set<Identity> = []
    let same = FetchRequest(Article.self, where: .among(\.guid, foreign.map(\.guid)))
    for (id, (guid, feed)) in zip(
      try scratch.fetchIDs(same), try scratch.fetchValues(same, \.guid, \.feed)) where isOwn(id)
    {
      own.insert(identity(guid, feed))
    }
    return articles.filter { article in
      isOwn(article.id) || !own.contains(identity(article.guid, article.feed))
    }
  }

  /// The identity of an article, which is the same in every store.
  private struct Identity: Hashable {
    let guid: [UInt8]
    let feed: [UInt8]
  }

  private func identity(_ guid: String, _ feed: ManagedObjectID) -> Identity {
    let url = context.object(Feed.self, with: feed)?.url.text ?? ""
    return Identity(guid: Array(guid.utf8), feed: Array(url.utf8))
  }

  /// Returns the numbers of regions, feeds and articles.
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

  /// The pages of the file with these articles stay in SQLite's cache while their stories are looked up, and their texts in a
  /// block of memory that is used again.
  private static let page = 50
  private static let firstFilteredPage = 50
  private static let filteredPage = 10_000
  private static let mostEarly = 10_000
}
