public import ManagedContext

/// A mark that the user puts on an article.
public enum ArticleMark: Sendable, CaseIterable {
  /// The article was read: ``ReadMark``.
  case read
  /// The user wants to keep the article: ``Star``.
  case starred

  /// All marks.
  public static let all = Set(allCases)
}

extension ArticleMark {
  /// A predicate for the articles with the mark.
  public var articles: FetchPredicate<Article> {
    switch self {
    case .read: .referenced(by: \ReadMark.article, where: .constant(true))
    case .starred: .referenced(by: \Star.article, where: .constant(true))
    }
  }
}

extension DataSource {
  /// Returns articles' marks, by ID. Articles without marks may be left out.
  ///
  /// - Parameter kinds: The marks to read; others may be left out.
  public func marks(
    of articles: [ManagedObjectID], _ kinds: Set<ArticleMark> = ArticleMark.all
  ) throws(StoreError) -> [ManagedObjectID: Set<ArticleMark>] {
    var marks: [ManagedObjectID: Set<ArticleMark>] = [:]
    if kinds.contains(.read) {
      let read = FetchRequest(ReadMark.self, where: .among(\.article, articles))
      for article in try context.fetchValues(read, \.article) { marks[article, default: []].insert(.read) }
    }
    if kinds.contains(.starred) {
      let starred = FetchRequest(Star.self, where: .among(\.article, articles))
      for article in try context.fetchValues(starred, \.article) {
        marks[article, default: []].insert(.starred)
      }
    }
    if !kinds.isEmpty { try applyAttachedMarks(to: articles, &marks) }
    return marks
  }

  /// Returns whether any article is marked as read. Only then do lists show which articles are unread.
  public func hasReadMarks() throws(StoreError) -> Bool {
    if try context.count(FetchRequest(ReadMark.self, limit: 1)) > 0 { return true }
    let read = FetchRequest(AttachedMark.self, where: \.isRead == true, limit: 1)
    return try context.count(read) > 0
  }

  func hasMarks() throws(StoreError) -> Bool {
    if try hasReadMarks() { return true }
    return try context.count(FetchRequest(Star.self, limit: 1)) > 0
  }

  /// Counts the starred articles of each feed; a feed without any is left out.
  public func starredCounts(of feeds: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID: Int] {
    let starred = FetchRequest(Article.self, where: ArticleMark.starred.articles && .among(\.feed, feeds))
    return Dictionary(try context.fetchValues(starred, \.feed).map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Returns the articles that would change if a mark was set or removed.
  ///
  /// - Parameters:
  ///   - mark: The mark.
  ///   - isSet: True to set the mark, false to remove it.
  ///   - articles: The articles to look at.
  public func changed(
    by mark: ArticleMark, _ isSet: Bool, among articles: FetchPredicate<Article>
  ) throws(StoreError) -> [ManagedObjectID] {
    let marked = try attachedMarks().articles(with: mark)
    return try context.fetchIDs(
      FetchRequest(Article.self, where: isSet ? articles && !marked : articles && marked))
  }

  /// Sets or removes a mark with the context's next save, also on the articles' copies in other feeds. Marks
  /// on articles in attached stores are saved in the written store.
  ///
  /// - Parameters:
  ///   - mark: The mark.
  ///   - isSet: True to set the mark, false to remove it.
  ///   - articles: The articles.
  /// - Returns: How many of these articles it changes, according to the present store.
  public func setMark(
    _ mark: ArticleMark, _ isSet: Bool, where articles: FetchPredicate<Article>
  ) throws(StoreError) -> Int {
    let ids = try changed(by: mark, isSet, among: articles)
    guard !ids.isEmpty else { return 0 }
    let all = try withCopies(ids)
    let own = all.filter(isOwn)
    switch mark {
    case _ where isSet: set(mark, of: own)
    case .read: try context.deleteAll(ReadMark.self, where: .among(\.article, own))
    case .starred: try context.deleteAll(Star.self, where: .among(\.article, own))
    }
    try setAttached(mark, isSet, of: all.filter { !isOwn($0) })
    return ids.count
  }

  /// Returns articles with their copies in all stores: copies in their own store, the same articles in other
  /// stores, and the copies of those.
  private func withCopies(_ articles: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID] {
    var (all, new) = (articles, articles)
    var known = Set(articles)
    while !new.isEmpty {
      let found = try otherCopies(of: new) + sameArticles(inOtherStoresAs: new)
      new = found.filter { known.insert($0).inserted }
      all += new
    }
    return all
  }

  /// Sets a mark with the context's next save. If another process was first, its row stays.
  public func set(_ mark: ArticleMark, of articles: [ManagedObjectID]) {
    let article = ReadMark.schema.article.index
    let entity = mark == .read ? NewsModel.Place.readMark : NewsModel.Place.star
    var rows = RowBatch(entity: entity, columns: [article])
    rows.reserveCapacity(articles.count)
    for id in articles {
      rows.beginRow()
      rows.append(integer: id.key)
    }
    context.insert(BatchUpsert(rows, unique: [article], changeMark: article))
  }
}
