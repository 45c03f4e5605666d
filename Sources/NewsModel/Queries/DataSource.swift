public import Foundation
public import ManagedContext
public import WebAddress

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

  /// The region of a name, spelt like this or as ``Region/normalized(_:)``; nil when there is none.
  public func region(named name: String) throws(StoreError) -> Region? {
    let regions = try context.fetch(FetchRequest(Region.self, where: Region.isNamed([name])))
    return regions.first { $0.name.utf8.elementsEqual(name.utf8) } ?? regions.first
  }

  /// Deletes a region and its memberships; its feeds and their articles stay.
  public func remove(_ region: Region) throws(StoreError) {
    let memberships = try context.fetch(
      FetchRequest(Membership.self, where: \.region == region.id))
    for membership in memberships { context.delete(membership) }
    context.delete(region)
  }

  // MARK: Feeds

  /// All feeds, in the order in which they were added.
  public func feeds() throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self))
  }

  /// The feeds of a region, in the order in which they were added to the store.
  public func feeds(of region: Region) throws(StoreError) -> [Feed] {
    try context.fetch(Self.members(of: region))
  }

  /// As ``feeds(of:)``, without loading them.
  public func feedIDs(of region: Region) throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(Self.members(of: region))
  }

  static func members(of region: Region) -> FetchRequest<Feed> {
    let isMember = \Membership.region == region.id
    return FetchRequest(Feed.self, where: .referenced(by: \Membership.feed, where: isMember))
  }

  /// The feed of an address: its own, the one that it moved to, or one that it had before; nil when there is none.
  public func feed(at url: WebAddress) throws(StoreError) -> Feed? {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: \.url == url || \.movedTo == url))
    if let feed = feeds.first(where: { $0.url == url }) ?? feeds.first { return feed }
    return try context.fetch(FetchRequest(Feed.self, where: Self.wasAt(\.url == url))).first
  }

  /// Feeds whose address, or one that they had before, has a text in it, by address.
  public func feeds(containing text: String, limit: Int) throws(StoreError) -> [Feed] {
    let has = FetchPredicate<Feed>.contains(\.url, text) || Self.wasAt(.contains(\.url, text))
    return try context.fetch(
      FetchRequest(Feed.self, where: has, sortedBy: [.ascending(\.url)], limit: limit))
  }

  private static func wasAt(_ address: FetchPredicate<FormerAddress>) -> FetchPredicate<Feed> {
    .referenced(by: \FormerAddress.feed, where: address)
  }

  /// The addresses that a feed had before it moved, in the order in which it left them.
  public func formerAddresses(of feed: Feed) throws(StoreError) -> [WebAddress] {
    try context.fetch(FetchRequest(FormerAddress.self, where: \.feed == feed.id)).map(\.url)
  }

  /// Those of addresses that feeds have left, each with the address that its feed has now.
  public func moves(from urls: [WebAddress]) throws(StoreError) -> [(from: WebAddress, to: WebAddress)] {
    let left = try movedFeeds(from: urls)
    return urls.compactMap { url in left[url].map { (url, $0.url) } }
  }

  /// The feeds that have left these addresses, by the bytes of the address that they left.
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

  /// The regions that a feed is in, by name.
  public func regions(of feed: Feed) throws(StoreError) -> [Region] {
    try context.fetch(
      FetchRequest(
        Region.self, where: .referenced(by: \Membership.region, where: \Membership.feed == feed.id),
        sortedBy: [.ascending(\.name)]))
  }

  /// The last answers of a feed, the newest first, whatever the clock said.
  public func log(of feed: Feed) throws(StoreError) -> [FetchRecord] {
    let newest = feed.fetches - 1
    let log = try context.fetch(FetchRequest(FetchRecord.self, where: \.feed == feed.id))
    func age(_ record: FetchRecord) -> Int {
      ((newest - record.slot) % FetchRecord.kept + FetchRecord.kept) % FetchRecord.kept
    }
    return log.sorted { age($0) < age($1) }
  }

  /// The feeds that want to be left alone until after `now`, of all regions.
  public func pausedFeeds(at now: Date) throws(StoreError) -> [Feed] {
    try context.fetch(FetchRequest(Feed.self, where: \.notBefore > now))
  }

  // MARK: Articles

  /// Whether the store has any article.
  public func hasArticles() throws(StoreError) -> Bool {
    try context.count(FetchRequest(Article.self, limit: 1)) > 0
  }

  /// The articles that were imported then or later, without loading them; all are looked at.
  public func articles(importedSince date: Date) throws(StoreError) -> [ManagedObjectID] {
    // The time of an import has no fraction: all of its second may be since then.
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    return try context.fetchIDs(FetchRequest(Article.self, where: \.imported >= second))
  }

  /// The article of a number, which is its row's in the written store; nil when there is none.
  public func article(numbered number: Int64) throws(StoreError) -> Article? {
    try articles(numbered: [number]).first
  }

  /// The articles of these numbers, as far as they are there, in any order.
  public func articles(numbered numbers: [Int64]) throws(StoreError) -> [Article] {
    try context.fetch(FetchRequest(Article.self, where: .ids(numbers.compactMap(articleID))))
  }

  /// The ID of the article of a number, be it there or not.
  public func articleID(_ number: Int64) -> ManagedObjectID? { context.id(Article.self, row: number) }

  /// The number of an article; nil for one of an attached store, which has its own numbers.
  public func number(of article: Article) -> Int64? { isOwn(article.id) ? article.id.key : nil }

  /// Whether an object is in the written store, and not in an attached one.
  func isOwn(_ id: ManagedObjectID) -> Bool { id.store == context.parent.writtenStoreNumber }

  /// The feeds that articles came from, by their IDs.
  public func feeds(of articles: [Article]) throws(StoreError) -> [ManagedObjectID: Feed] {
    let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(Array(Set(articles.map(\.feed))))))
    return Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })
  }

  /// The feed that an article came from; nil where it is no more.
  public func feed(of article: Article) throws(StoreError) -> Feed? {
    try context.fetch(FetchRequest(Feed.self, where: .ids([article.feed]))).first
  }

  /// Visits the articles of the regions of a name, newest first, without holding more than a page of them.
  ///
  /// Where several stores are read together, each may have a region of that name. An article that the written store
  /// has as well as another one is visited once.
  /// - Parameters:
  ///   - since: Only articles published (or, undated, imported) then or later; nil for all.
  ///   - marks: Only articles for which each mark is as said; empty for all.
  ///   - limit: At most so many; nil for all.
  ///   - now: The reader's clock, by which dates are judged.
  ///   - body: Gets each article with the feed that it belongs to, and its marks; the article is forgotten afterwards.
  ///     Says whether it wants more.
  public func forEachArticle(
    ofRegionNamed name: String, since: Date? = nil, marked marks: [ArticleMark: Bool] = [:],
    limit: Int? = nil, at now: Date = Date(), _ body: (Article, Feed?, Set<ArticleMark>) -> Bool
  ) throws(StoreError) {
    var predicate = Self.articles(ofRegionNamed: name, since: since, at: now)
    for (mark, isSet) in marks { predicate = predicate && (isSet ? mark.articles : !mark.articles) }
    var early = try earlyArticles(predicate, at: now)[...]
    if !early.isEmpty { predicate = predicate && \.timelineDate <= now }
    var request = FetchRequest(
      Article.self, where: predicate, sortedBy: Article.newestFirst, limit: limit)
    var left = limit ?? .max
    func visit(_ article: Article, _ marks: Set<ArticleMark>) -> Bool {
      guard left > 0, body(article, context.object(Feed.self, with: article.feed), marks) else {
        return false
      }
      left -= 1
      return true
    }
    func visitEarly(before date: Date) throws(StoreError) -> Bool {
      while let next = early.first, next.date >= date {
        early.removeFirst()
        let marks = try self.marks(of: [next.id])
        for article in try articles([next.id]) {
          guard visit(article, marks[next.id] ?? []) else { return false }
        }
      }
      return true
    }
    func visit(_ ids: [ManagedObjectID]) throws(StoreError) -> Bool {
      for start in stride(from: 0, to: ids.count, by: Self.page) {
        let page = Array(ids[start..<min(start + Self.page, ids.count)])
        let marks = try self.marks(of: page)
        for article in try articles(page) {
          guard try visitEarly(before: article.timelineDate), visit(article, marks[article.id] ?? []) else {
            return false
          }
        }
      }
      return true
    }
    // The first are there at once, also where a million follow.
    var first: Set<ManagedObjectID> = []
    var isAtEnd = false
    if left > Self.page {
      request.limit = Self.page
      let ids = try context.fetchIDs(request)
      guard try visit(ids) else { return }
      isAtEnd = ids.count < Self.page
      first = Set(ids)
      request.limit = limit
    }
    while left > 0, !isAtEnd {
      let ids = try context.fetchIDs(request)
      guard try visit(ids.filter { !first.contains($0) }) else { return }
      // Some of them were in two stores: as many are asked for again, from where this ended.
      guard let limit = request.limit, ids.count == limit else { break }
      request.offset += ids.count
      request.limit = left
    }
    _ = try visitEarly(before: .distantPast)
  }

  /// The articles that are dated in the future, with the dates by which they are listed, the newest first; none where there
  /// are so many that it is the clock that is wrong.
  private func earlyArticles(
    _ predicate: FetchPredicate<Article>, at now: Date
  ) throws(StoreError) -> [(id: ManagedObjectID, date: Date)] {
    // Asked alone, the condition is answered by a few entries of the index.
    let early = try context.fetchIDs(
      FetchRequest(Article.self, where: \.timelineDate > now, limit: Self.mostEarly + 1))
    guard !early.isEmpty, early.count <= Self.mostEarly else { return [] }
    let request = FetchRequest(
      Article.self, where: predicate && .ids(early), sortedBy: Article.newestFirst)
    let rows = try context.rows(
      request, columns: [Article.Key.timelineDate.index, Article.Key.imported.index])
    return (0..<rows.count).map { row in
      let article = RowValues(rows, row: row, model: context.model)
      let date = Article.listDate(
        article[Article.Key.timelineDate], imported: article[Article.Key.imported], at: now)
      return (article.id, date)
    }.sorted { $0.date > $1.date }
  }

  /// One page of articles in their order, without those of other stores that the written one has too.
  private func articles(_ page: [ManagedObjectID]) throws(StoreError) -> [Article] {
    let scratch = ManagedObjectContext(parent: context.parent)
    let articles = try scratch.fetch(FetchRequest(Article.self, where: .ids(page)))
    let byID = Dictionary(uniqueKeysWithValues: articles.map { ($0.id, $0) })
    let foreign = articles.filter { !isOwn($0.id) }
    var own: Set<Identity> = []
    if !foreign.isEmpty {
      let same = FetchRequest(Article.self, where: .among(\.guid, foreign.map(\.guid)))
      for (id, (guid, feed)) in zip(
        try scratch.fetchIDs(same), try scratch.fetchValues(same, \.guid, \.feed)) where isOwn(id)
      {
        own.insert(identity(guid, feed))
      }
    }
    return page.compactMap { byID[$0] }.filter { article in
      isOwn(article.id) || !own.contains(identity(article.guid, article.feed))
    }
  }

  /// An article by what it is in every store.
  private struct Identity: Hashable {
    let guid: [UInt8]
    let feed: [UInt8]
  }

  private func identity(_ guid: String, _ feed: ManagedObjectID) -> Identity {
    let url = context.object(Feed.self, with: feed)?.url.text ?? ""
    return Identity(guid: Array(guid.utf8), feed: Array(url.utf8))
  }

  /// How many regions, feeds and articles there are.
  public func counts() throws(StoreError) -> (regions: Int, feeds: Int, articles: Int) {
    (
      try context.count(FetchRequest(Region.self)), try context.count(FetchRequest(Feed.self)),
      try context.count(FetchRequest(Article.self))
    )
  }

  // MARK: Attachments

  /// The stores that are read together with this one, by name.
  public func attachments() throws(StoreError) -> [Attachment] {
    try context.fetch(FetchRequest(Attachment.self, sortedBy: [.ascending(\.name)]))
  }

  /// The attachment of a name; nil when there is none.
  public func attachment(named name: String) throws(StoreError) -> Attachment? {
    try context.fetch(FetchRequest(Attachment.self, where: \.name == name)).first
  }

  private static let page = 200
  private static let mostEarly = 10_000
}
