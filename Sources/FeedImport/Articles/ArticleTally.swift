import ManagedContext
import NewsModel
import Threading

/// The counts of articles that the store has saved from one response, over all its parts.
///
/// Only the store knows: another process may have saved an article that seemed new to the worker.
struct ArticleTally: Sendable, Equatable {
  var inserted = 0
  var edited = 0

  mutating func add(_ changes: ContextChanges) {
    inserted += changes.inserted.count(of: NewsModel.Place.article)
    edited += changes.updated.count {
      $0.key.entity == NewsModel.Place.article && ArticleChange(written: $0.value) == .edit
    }
  }
}

extension Locked<ArticleTally> {
  /// Adds the articles in saved changes, and returns the sum.
  func add(_ changes: ContextChanges) -> ArticleTally {
    withLock { tally in
      tally.add(changes)
      return tally
    }
  }
}
