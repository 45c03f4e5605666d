public import ManagedContext
import NewsModel

/// Deletes feeds with everything that came from them.
public enum FeedRemoval {
  /// How many articles are deleted in one save.
  private static let page = 2000

  /// Deletes a feed, its articles with their marks, starred ones too, its tombstones, its log and its memberships. Killed in
  /// between, the next call goes on: the feed is deleted last.
  ///
  /// - Parameters:
  ///   - feed: One that is no more is left so.
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
      try context.deleteAll(ToldFailure.self, where: \.feed == feed)
      try context.deleteAll(FormerAddress.self, where: \.feed == feed)
      try context.deleteAll(Membership.self, where: \.feed == feed)
      try context.deleteAll(Feed.self, where: .ids([feed]))
    }
    try await context.save()
  }
}
