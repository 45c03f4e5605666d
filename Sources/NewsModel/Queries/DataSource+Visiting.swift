public import Foundation
public import ManagedContext
import WebAddress
import Sequences

/// Visiting chosen articles in list order.
extension DataSource {
  /// Returns which of some articles meet a further condition.
  public typealias ArticleFilter = (_ page: [ManagedObjectID]) throws(StoreError) -> Set<ManagedObjectID>

  /// A chosen article with what belongs to it.
  public struct Visited {
    /// The article.
    public let article: StoredRow<Article>
    /// Its feed; nil if it was deleted.
    public let feed: Feed?
    /// The feeds of the page of articles that were read together.
    public let feeds: [Feed]
    /// The user's marks, as far as they were wanted.
    public let marks: Set<ArticleMark>
    /// The copies of its story, with the article itself; empty without others.
    public let copies: [ArticleCopy]
  }

  /// Visits chosen articles, newest first, with at most one page of them in memory.
  ///
  /// If several stores are read together, each may have a region with a name.
  /// - Parameters:
  ///   - choice: The articles.
  ///   - now: The time on the reader's clock, which decides about dates.
  ///   - columns: The attributes to read.
  ///   - marks: The marks to read.
  ///   - filter: A condition that the store cannot check; nil for none.
  ///   - body: Called with each article. Returns false to stop.
  public func forEachArticle(
    _ choice: ArticleChoice, at now: Date = Date(), columns: AttributeSet = .all,
    marks: Set<ArticleMark> = ArticleMark.all, filter: ArticleFilter? = nil, _ body: (Visited) -> Bool
  ) throws(StoreError) {
    var visit = ArticleVisit(self, choice, at: now, columns, marks, filter)
    try visit.run(body)
  }

  /// Returns the chosen articles with dates in the future and their list dates, newest first, and whether any
  /// article has such a date; nil if there are so many that the clock must be wrong.
  fileprivate func earlyArticles(
    _ predicate: FetchPredicate<Article>, at now: Date
  ) throws(StoreError) -> (chosen: [(id: ManagedObjectID, date: Date)], exist: Bool)? {
    // This condition alone needs only a few index entries, as long as the order is the index's order.
    let early = try context.fetchIDs(
      FetchRequest(
        Article.self, where: \.timelineDate > now, sortedBy: Article.newestFirst,
        limit: ArticleVisit.mostEarly + 1))
    guard !early.isEmpty else { return ([], false) }
    guard early.count <= ArticleVisit.mostEarly else { return nil }
    let request = FetchRequest(
      Article.self, where: predicate && .ids(early), sortedBy: Article.newestFirst)
    let rows = try context.rows(of: request) { [$0.timelineDate, $0.imported] }
    let chosen = rows.map { (id: $0.id, date: $0.listDate(at: now)) }
    return (chosen.sorted { $0.date > $1.date }, true)
  }

  /// Returns an article page in order.
  public func articles(
    _ page: [ManagedObjectID], columns: AttributeSet = .all
  ) throws(StoreError) -> [StoredRow<Article>] {
    try context.rows(of: FetchRequest(Article.self, where: .ids(page)), columns: columns).inOrder(of: page)
  }
}

/// One visit of chosen articles.
private struct ArticleVisit {
  private let source: DataSource
  private let choice: ArticleChoice
  private let now: Date
  private let columns: AttributeSet
  private let marks: Set<ArticleMark>
  private let filter: DataSource.ArticleFilter?
  /// The articles with dates in the future, the newest first, that were not visited yet.
  private var early: ArraySlice<(id: ManagedObjectID, date: Date)> = []
  /// The count of articles to visit.
  private var left: Int
  private var stories = ListedStories()

  /// The most articles with dates in the future that are sorted in memory.
  static let mostEarly = 10_000
  /// The file pages with these articles stay in SQLite's cache while their stories are looked up. Their texts
  /// stay in one reused memory block.
  private static let page = 50
  private static let firstFilteredPages = [50, 1000, filteredPage]
  private static let filteredPage = 10_000

  init(
    _ source: DataSource, _ choice: ArticleChoice, at now: Date, _ columns: AttributeSet,
    _ marks: Set<ArticleMark>, _ filter: DataSource.ArticleFilter?
  ) {
    (self.source, self.choice, self.now, self.columns) = (source, choice, now, columns)
    (self.marks, self.filter) = (marks, filter)
    left = choice.limit ?? .max
  }

  mutating func run(_ body: (DataSource.Visited) -> Bool) throws(StoreError) {
    // The first page is small, so that output begins at once even if a million articles follow.
    if let rows = try firstPage() {
      let isPart = rows.count == min(Self.page, left)
      guard try visit(rows, isEarly: false, body), isPart, left > 0 else { return }
      // None of the chosen articles has a date in the future.
      let predicate = try source.predicate(of: choice, at: nil) && \.timelineDate <= now
      return try visitRest(predicate, first: Set(rows.map(\.id)), body)
    }
    // Dates in the future are visited separately: for all others a time span is an index range.
    let future = try source.earlyArticles(source.predicate(of: choice, at: now), at: now)
    early = (future?.chosen ?? [])[...]
    var predicate = try source.predicate(of: choice, at: future == nil ? now : nil)
    if future?.exist == true { predicate = predicate && \.timelineDate <= now }
    var first: Set<ManagedObjectID> = []
    if left > Self.page || filter != nil {
      for size in filter == nil ? [Self.page] : Self.firstFilteredPages {
        let request = FetchRequest(
          Article.self, where: predicate, sortedBy: Article.newestFirst, limit: size)
        let ids = try source.context.fetchIDs(request)
        guard try visit(ids.filter { !first.contains($0) }, body) else { return }
        guard ids.count == size else {
          _ = try visitEarly(before: .distantPast, body)
          return
        }
        first = Set(ids)
      }
    }
    try visitRest(predicate, first: first, body)
    _ = try visitEarly(before: .distantPast, body)
  }

  /// Reads the newest articles; nil if the newest one has a date in the future, or may be hard to find.
  private func firstPage() throws(StoreError) -> [StoredRow<Article>]? {
    // With another condition on dates, no index has the articles in their order.
    guard filter == nil, !choice.hasEnd, left > 0 else { return nil }
    let newest = FetchRequest(
      Article.self, where: try source.predicate(of: choice, at: now), sortedBy: Article.newestFirst,
      limit: min(Self.page, left))
    let rows = try source.context.rows(of: newest, columns: columns)
    return rows.first.map { $0.timelineDate > now } == true ? nil : Array(rows)
  }

  /// Visits the articles with a condition, except for those that were visited first.
  private mutating func visitRest(
    _ predicate: FetchPredicate<Article>, first: Set<ManagedObjectID>, _ body: (DataSource.Visited) -> Bool
  ) throws(StoreError) {
    // With a filter there is no limit, because it is unknown how many articles must be read.
    let limit = filter == nil ? choice.limit : nil
    var request = FetchRequest(
      Article.self, where: predicate, sortedBy: Article.newestFirst,
      limit: limit.map { max($0, first.isEmpty ? 0 : 2 * Self.page) })
    while left > 0 {
      let ids = try source.context.fetchIDs(request)
      guard try visit(ids.filter { !first.contains($0) }, body) else { return }
      // Copies were dropped, so the list is filled from where it ended. There may be many more.
      guard let limit = request.limit, ids.count == limit else { break }
      request.offset += ids.count
      request.limit = max(left, min(2 * max(limit, Self.page), Self.filteredPage))
    }
  }

  /// Visits articles page by page, and inserts the articles with dates in the future at their places.
  ///
  /// - Returns: False if no further article is wanted.
  private mutating func visit(
    _ ids: [ManagedObjectID], _ body: (DataSource.Visited) -> Bool
  ) throws(StoreError) -> Bool {
    guard let filter else { return try visit(ids, isEarly: false, body) }
    for page in ids.chunks(of: Self.filteredPage) {
      let found = try filter(page)
      guard try visit(page.filter(found.contains), isEarly: false, body) else { return false }
    }
    return true
  }

  /// Visits articles with dates in the future from a date on.
  private mutating func visitEarly(
    before date: Date, _ body: (DataSource.Visited) -> Bool
  ) throws(StoreError) -> Bool {
    var ids = early.prefix { $0.date >= date }.map(\.id)
    guard !ids.isEmpty else { return true }
    early.removeFirst(ids.count)
    if let filter {
      let found = try filter(ids)
      ids = ids.filter(found.contains)
    }
    return try visit(ids, isEarly: true, body)
  }

  private mutating func visit(
    _ ids: [ManagedObjectID], isEarly: Bool, _ body: (DataSource.Visited) -> Bool
  ) throws(StoreError) -> Bool {
    for page in ids.chunks(of: Self.page) {
      guard try visit(try source.articles(page, columns: columns), isEarly: isEarly, body) else {
        return false
      }
    }
    return true
  }

  private mutating func visit(
    _ rows: [StoredRow<Article>], isEarly: Bool, _ body: (DataSource.Visited) -> Bool
  ) throws(StoreError) -> Bool {
    let marks = try source.marks(of: rows.map(\.id), marks)
    let copies = try stories.copies(of: rows.compactMap(\.story), in: source)
    let copiesOfRows = rows.map { copies.copies(of: $0.story, in: $0.feed) }
    // Feeds that a page does not show are not read; all others are read together.
    let feeds = source.context.objects(
      Feed.self, with: Set(rows.map(\.feed) + copiesOfRows.joined().map(\.feed)))
    for (row, ofStory) in zip(rows, copiesOfRows) {
      if !isEarly { guard try visitEarly(before: row.timelineDate, body) else { return false } }
      if !choice.hasCopies, !stories.isFirst(ofStory) { continue }
      let visited = DataSource.Visited(
        article: row, feed: source.context.object(Feed.self, with: row.feed), feeds: feeds,
        marks: marks[row.id] ?? [],
        copies: ofStory)
      guard left > 0, body(visited) else { return false }
      left -= 1
    }
    return true
  }
}
