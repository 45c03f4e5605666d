import ManagedContext
import NewsModel

/// The saves of an import in their order, of which each is examined when it has ended.
struct WatchedSaves {
  private var waiting: [(ticket: SaveTicket, content: String)] = []
  /// The articles of the saves that have succeeded.
  private(set) var tally = ArticleTally()
  /// The stored articles that the saves have changed.
  private(set) var changedArticles: [ManagedObjectID] = []
  /// The failure because of which the import must end; nil without one.
  private(set) var failure: StoreError?
  /// The causes why saves were refused, of which others may succeed.
  private(set) var refusals: [String] = []

  /// Adds a save.
  ///
  /// - Parameter content: What the save contains, for messages.
  mutating func add(_ ticket: SaveTicket?, of content: String) {
    if let ticket { waiting.append((ticket, content)) }
    settle { $0.outcome }
  }

  /// Waits until all saves have ended.
  mutating func wait(for root: RootContext) {
    if waiting.isEmpty { return }
    root.flush()
    settle { $0.wait() }
  }

  private mutating func settle(_ outcome: (SaveTicket) -> SaveTicket.Outcome?) {
    var count = 0
    for (ticket, content) in waiting {
      guard let outcome = outcome(ticket) else { break }
      count += 1
      switch outcome {
      case .success(let saved):
        tally.add(saved.changes)
        changedArticles += saved.changes.updated.keys.filter { $0.entity == NewsModel.Place.article }
      case .failure(let error) where error.isRefusal: refusals.append("\(content): cannot be saved: \(error)")
      case .failure(let error): failure = failure ?? error
      }
    }
    waiting.removeFirst(count)
  }
}
