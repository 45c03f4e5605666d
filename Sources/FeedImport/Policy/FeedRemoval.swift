public import ManagedContext
import NewsModel

/// Deletes feeds with all their data.
public enum FeedRemoval {
  /// The maximum number of articles that are deleted in one save.
  public static let mostArticles = 2000
  /// The maximum number of feeds that should be deleted in one save.
  public static let mostFeeds = 500

  /// Deletes feeds, their articles with their marks, including starred ones, their tombstones, their log and
  /// their memberships.
  ///
  /// If the feeds have fewer than 2,000 articles in total, one transaction deletes them. If a longer deletion
  /// is interrupted, the next call continues: the feeds are deleted last. Articles that others save in the
  /// meantime are also deleted.
  ///
  /// - Parameters:
  ///   - feeds: The feeds. A feed that no longer exists is ignored.
  ///   - deletion: Deletes their articles.
  public static func remove(
    _ feeds: [ManagedObjectID], by deletion: ArticleDeletion
  ) async throws(StoreError) {
    var attempts = 1
    while true {
      do throws(StoreError) {
        // The feeds are deleted with the last articles. Readers of the history see a deleted feed only in a
        // transaction that also has articles.
        let isDone = try await deletion.deleteArticles(of: feeds, limit: mostArticles) {
          (context) throws(StoreError) in try context.deleteAll(Feed.self, where: .ids(feeds))
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
}
