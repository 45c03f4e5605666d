public import ManagedContext
public import NewsModel

/// Knows what hooks of the configuration have not handled yet.
public protocol WaitingArticles: Sendable {
  /// Returns the events of some articles that wait for hooks, including those of all transactions that were committed before the
  /// call.
  @MainActor func events(of articles: [ManagedObjectID]) throws(StoreError) -> [WaitingEvent]
}
