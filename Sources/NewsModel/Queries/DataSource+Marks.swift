public import Foundation
public import ManagedContext

/// What people note of an article.
public enum ArticleMark: Sendable, CaseIterable {
  /// It was read: ``ReadMark``.
  case read
  /// Somebody wants to keep it: ``Star``.
  case starred
}

extension ArticleMark {
  /// The articles that have it.
  public var articles: FetchPredicate<Article> {
    switch self {
    case .read: .referenced(by: \ReadMark.article, where: .constant(true))
    case .starred: .referenced(by: \Star.article, where: .constant(true))
    }
  }
}

extension DataSource {
  /// The marks of those of some articles that have any; articles of attached stores have none here.
  public func marks(of articles: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID: Set<ArticleMark>]
  {
    let own = articles.filter(isOwn)
    var marks: [ManagedObjectID: Set<ArticleMark>] = [:]
    let read = FetchRequest(ReadMark.self, where: .among(\.article, own))
    for article in try context.fetchValues(read, \.article) { marks[article, default: []].insert(.read) }
    let starred = FetchRequest(Star.self, where: .among(\.article, own))
    for article in try context.fetchValues(starred, \.article) {
      marks[article, default: []].insert(.starred)
    }
    return marks
  }

  /// Whether any article was ever marked read, so that others are worth telling from them.
  public func hasReadMarks() throws(StoreError) -> Bool {
    try context.count(FetchRequest(ReadMark.self, limit: 1)) > 0
  }

  /// How many articles of a feed are starred.
  public func starredCount(of feed: Feed) throws(StoreError) -> Int {
    try context.count(FetchRequest(Article.self, where: \.feed == feed.id && ArticleMark.starred.articles))
  }

  /// The articles of the regions of a name.
  ///
  /// - Parameters:
  ///   - since: Only articles published (or, undated, imported) then or later; nil for all.
  ///   - before: Only articles published (or, undated, imported) before; nil for all.
  ///   - now: The reader's clock, by which dates are judged.
  public static func articles(
    ofRegionNamed name: String, since: Date? = nil, before: Date? = nil, at now: Date = Date()
  ) -> FetchPredicate<Article> {
    let isMember = FetchPredicate<Membership>.to(\.region, Region.self, where: Region.isNamed([name]))
    let feeds = FetchPredicate<Feed>.referenced(by: \Membership.feed, where: isMember)
    let predicate = FetchPredicate<Article>.to(\.feed, Feed.self, where: feeds)
    return Article.isListed(since: since, before: before, at: now).map { predicate && $0 } ?? predicate
  }

  /// Marks articles, or takes the mark from them, with the next save of the context; doing it twice changes nothing.
  ///
  /// - Parameters:
  ///   - mark: Which mark.
  ///   - isSet: Whether they have it afterwards.
  ///   - articles: Of the written store.
  /// - Returns: How many of them it changes, as the store is now.
  public func setMark(
    _ mark: ArticleMark, _ isSet: Bool, where articles: FetchPredicate<Article>
  ) throws(StoreError) -> Int {
    let changed = isSet ? articles && !mark.articles : articles && mark.articles
    let ids = try context.fetchIDs(FetchRequest(Article.self, where: changed)).filter(isOwn)
    guard !ids.isEmpty else { return 0 }
    switch (mark, isSet) {
    case (.read, true): context.insert(Self.rows(NewsModel.Place.readMark, ids))
    case (.starred, true): context.insert(Self.rows(NewsModel.Place.star, ids))
    case (.read, false): try context.deleteAll(ReadMark.self, where: .among(\.article, ids))
    case (.starred, false): try context.deleteAll(Star.self, where: .among(\.article, ids))
    }
    return ids.count
  }

  /// A row for each article; where another process was first, its row stays.
  private static func rows(_ entity: EntityIndex, _ articles: [ManagedObjectID]) -> BatchUpsert {
    let article = ReadMark.Key.article.index
    var rows = RowBatch(entity: entity, columns: [article])
    rows.reserveCapacity(articles.count)
    for id in articles {
      rows.beginRow()
      rows.append(integer: id.key)
    }
    return BatchUpsert(rows, unique: [article], changeMark: article)
  }
}
