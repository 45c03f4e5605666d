import ManagedContext
import NewsModel
import Threading

/// Counts the articles of one response that the store took, over all its parts.
///
/// The store alone knows: what a worker takes for new another process may have saved a moment before.
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
