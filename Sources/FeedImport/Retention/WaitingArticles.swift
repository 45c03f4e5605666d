public import ManagedContext
public import NewsModel

/// Knows which events the configured hooks have not handled yet.
public protocol WaitingArticles: Sendable {
  /// Returns the events that wait for hooks, for some articles, including the events from all transactions
  /// committed before the call.
  @MainActor func events(of articles: [ManagedObjectID]) throws(StoreError) -> [WaitingEvent]
}
