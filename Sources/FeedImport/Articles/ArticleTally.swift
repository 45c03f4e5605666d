import ManagedContext
import NewsModel
import Threading

/// Counts the articles of one response that the store has saved, over all its parts.
///
/// Only the store knows: another process may have saved an article that seemed new to the worker.
final class ArticleTally: Sendable {
  struct Counts: Sendable, Equatable {
    var inserted = 0
    var edited = 0
  }

  private let state = Locked(Counts())

  var counts: Counts { state.withLock { $0 } }

  func count(_ changes: ContextChanges) {
    let article = NewsModel.Place.article
    let inserted = changes.inserted.count(of: article)
    let edited = changes.updated.keys.count { $0.entity == article }
    state.withLock { counts in
      counts.inserted += inserted
      counts.edited += edited
    }
  }
}
