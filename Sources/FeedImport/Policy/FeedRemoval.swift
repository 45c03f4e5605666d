public import ManagedContext
import NewsModel

/// Deletes feeds with all their data.
public enum FeedRemoval {
  /// The number of articles that are deleted in one save.
  private static let page = 2000

  /// Deletes a feed, its articles with their marks, including starred ones, its tombstones, its log and its
  /// memberships. A feed with less than 2,000 articles is deleted in one transaction. If the deletion of a larger one
  /// is interrupted, the next call continues: the feed is deleted last.
  ///
  /// - Parameters:
  ///   - feed: The feed; nothing happens if it was deleted.
  ///   - context: A context of its own, whose changes are saved.
  public static func remove(
    _ feed: ManagedObjectID, in context: BackgroundContext
  ) async throws(StoreError) {
    var isDone = false
    while !isDone {
      isDone = try await context.perform { (context) throws(StoreError) in
        context.reset()
        let request = FetchRequest(Article.self, where: \.feed == feed, limit: page)
        let articles = try context.fetchIDs(request)
        if !articles.isEmpty {
          try context.deleteAll(ReadMark.self, where: .among(\.article, articles))
          try context.deleteAll(Star.self, where: .among(\.article, articles))
          try context.deleteAll(Article.self, where: .ids(articles))
        }
        guard articles.count < page else { return false }
        try removeRest(of: [feed], in: context)
        return true
      }
      try await context.save()
    }
  }

  /// Deletes those of some feeds that have no articles, in one transaction.
  public static func removeEmpty(
    _ feeds: [ManagedObjectID], in context: BackgroundContext
  ) async throws(StoreError) {
    try await context.perform { (context) throws(StoreError) in
      context.reset()
      let hasArticles = FetchPredicate<Feed>.referenced(by: \Article.feed, where: .among(\.feed, feeds))
      let empty = try context.fetchIDs(FetchRequest(Feed.self, where: .ids(feeds) && !hasArticles))
      try removeRest(of: empty, in: context)
    }
    try await context.save()
  }

  /// Deletes feeds without articles.
  private static func removeRest(
    of feeds: [ManagedObjectID], in context: ManagedObjectContext
  ) throws(StoreError) {
    try context.deleteAll(Tombstone.self, where: .among(\.feed, feeds))
    try context.deleteAll(FetchRecord.self, where: .among(\.feed, feeds))
    try context.deleteAll(ReportedFailure.self, where: .among(\.feed, feeds))
    try context.deleteAll(ImportedDocument.self, where: .among(\.feed, feeds.map(Optional.some)))
    try context.deleteAll(FormerAddress.self, where: .among(\.feed, feeds))
    try context.deleteAll(Membership.self, where: .among(\.feed, feeds))
    try context.deleteAll(Feed.self, where: .ids(feeds))
  }
}
