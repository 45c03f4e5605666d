public import Foundation
public import ManagedContext
import NewsModel

/// Finds the articles of many feeds that are older than an age, in one pass through the index of dates. ``Pruning``
/// would read all articles of each feed.
public struct AgePruning: Sendable {
  /// The feeds.
  public let feeds: Set<ManagedObjectID>
  /// The age in seconds.
  public let age: TimeInterval
  /// The reference time for ages.
  public let now: Date
  /// Articles that stay although they are older.
  public let spared: Set<ManagedObjectID>

  /// The number of feeds from which a pass through all old articles is faster.
  public static let leastFeeds = 100

  /// Creates a pruning; nothing is read yet.
  public init(
    feeds: Set<ManagedObjectID>, age: TimeInterval, now: Date, sparing spared: Set<ManagedObjectID> = []
  ) {
    (self.feeds, self.age, self.now, self.spared) = (feeds, age, now, spared)
  }

  /// The articles to delete.
  public struct Selection: Sendable {
    /// The articles with their feeds, in the order of their rows: a deletion in another order would write most
    /// pages many times.
    public fileprivate(set) var articles: [(feed: ManagedObjectID, article: RowVersion)] = []
    /// For each feed, the count of articles that are kept only because they are starred.
    public fileprivate(set) var starred: [ManagedObjectID: Int] = [:]
    /// For each feed, the count of other articles that are kept only because they are ``AgePruning/spared``.
    public fileprivate(set) var spared: [ManagedObjectID: Int] = [:]
  }

  /// Returns the articles to delete now. It uses memory for a few numbers per old article.
  public func selection(in context: ManagedObjectContext) throws(StoreError) -> Selection {
    let before = now.addingTimeInterval(-age)
    var selection = Selection()
    // Two requests, because SQLite then reads a range of the index for each.
    let ranges: [FetchPredicate<Article>] = [
      \Article.timelineDate < before, \Article.timelineDate > now && \Article.imported < before,
    ]
    for old in ranges {
      let rows = try context.rows(of: FetchRequest(Article.self, where: old)) {
        [$0.feed, $0.timelineDate, $0.imported]
      }
      for row in rows where feeds.contains(row.feed) {
        guard now.timeIntervalSince(Pruning.age(of: row, at: now)) > age else { continue }
        selection.articles.append((row.feed, RowVersion(id: row.id, version: row.version)))
      }
    }
    guard !selection.articles.isEmpty else { return selection }
    let starred = Set(try context.fetchIDs(FetchRequest(Article.self, where: ArticleMark.starred.articles)))
    selection.articles.removeAll { feed, article in
      if starred.contains(article.id) {
        selection.starred[feed, default: 0] += 1
      } else if spared.contains(article.id) {
        selection.spared[feed, default: 0] += 1
      } else {
        return false
      }
      return true
    }
    selection.articles.sort { $0.article.id.key < $1.article.id.key }
    return selection
  }
}
