public import ManagedContext
import NewsModel

/// Deletes feeds with all their data.
public enum FeedRemoval {
  /// The number of articles that are deleted in one save.
  public static let mostArticles = 2000
  /// The number of feeds that should be deleted in one save.
  public static let mostFeeds = 500

  /// Deletes feeds, their articles with their marks, including starred ones, their tombstones, their log and their
  /// memberships. Feeds that have less than 2,000 articles together are deleted in one transaction. If the deletion of more
  /// is interrupted, the next call continues: the feeds are deleted last. Articles that others save meanwhile are also deleted.
  ///
  /// - Parameters:
  ///   - feeds: The feeds. Nothing happens for one that was deleted.
  ///   - deletion: The deletion of their articles.
  public static func remove(
    _ feeds: [ManagedObjectID], by deletion: ArticleDeletion
  ) async throws(StoreError) {
    var attempts = 1
    while true {
      do throws(StoreError) {
        // The feeds are deleted with the last articles, because readers of the history see a deleted feed only in a transaction
        // that also has articles.
        let isDone = try await deletion.deleteArticles(of: feeds, limit: mostArticles) {
          (context) throws(StoreError) in try removeRest(of: feeds, in: context)
        }
        if isDone { return }
        attempts = 1
      } catch {
        // Another process has saved or changed an article, which refers to the feed.
        guard error.isOvertaken, attempts < StoreError.mostAttempts else { throw error }
        attempts += 1
      }
    }
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
