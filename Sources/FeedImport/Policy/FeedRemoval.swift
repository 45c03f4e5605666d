public import ManagedContext
import NewsModel

/// Deletes feeds with all their data.
public enum FeedRemoval {
  /// The number of articles that are deleted in one save.
  private static let page = 2000

  /// Deletes a feed, its articles with their marks, including starred ones, its tombstones, its log and its
  /// memberships. If it is killed, the next call continues: the feed is deleted last.
  ///
  /// - Parameters:
  ///   - feed: The feed; nothing happens if it was deleted.
  ///   - context: A context of its own, whose changes are saved.
  public static func remove(
    _ feed: ManagedObjectID, in context: BackgroundContext
  ) async throws(StoreError) {
    var hasArticles = true
    while hasArticles {
      hasArticles = try await context.perform { (context) throws(StoreError) in
        context.reset()
        let request = FetchRequest(Article.self, where: \.feed == feed, limit: page)
        let articles = try context.fetchIDs(request)
        if !articles.isEmpty {
          try context.deleteAll(ReadMark.self, where: .among(\.article, articles))
          try context.deleteAll(Star.self, where: .among(\.article, articles))
          try context.deleteAll(Article.self, where: .ids(articles))
        }
        return !articles.isEmpty
      }
      try await context.save()
    }
    try await context.perform { (context) throws(StoreError) in
      context.reset()
      try context.deleteAll(Tombstone.self, where: \.feed == feed)
      try context.deleteAll(FetchRecord.self, where: \.feed == feed)
      try context.deleteAll(ReportedFailure.self, where: \.feed == feed)
      try context.deleteAll(FormerAddress.self, where: \.feed == feed)
      try context.deleteAll(Membership.self, where: \.feed == feed)
      try context.deleteAll(Feed.self, where: .ids([feed]))
    }
    try await context.save()
  }
}
