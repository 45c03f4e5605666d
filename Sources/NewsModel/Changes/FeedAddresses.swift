public import ManagedContext
public import WebAddress

/// Feed addresses, including those of feeds that were deleted after their articles.
///
/// It belongs to the queue of the contexts that it uses.
public final class FeedAddresses {
  private let coordinator: PersistentStoreCoordinator
  private var known: [ManagedObjectID: WebAddress?] = [:]
  private var removed: [ManagedObjectID: WebAddress] = [:]
  /// The transaction up to which ``removed`` is complete; nil before the first search.
  private var end: HistoryToken?

  /// Creates a value for the feeds in a coordinator's store.
  public init(_ coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }

  /// Returns a feed's address; nil if neither the store nor its history has it.
  ///
  /// - Parameters:
  ///   - source: Queries to a context with the coordinator.
  ///   - transaction: The first transaction in which the feed may have been deleted.
  public func address(
    of feed: ManagedObjectID, in source: DataSource, since transaction: HistoryTransaction
  ) throws(StoreError) -> WebAddress? {
    if let address = known[feed] { return address }
    let address: WebAddress?
    if let there = try source.context.fetchValues(FetchRequest(Feed.self, where: .ids([feed])), \.url).first {
      address = there
    } else {
      note(transaction)
      if removed[feed] == nil { try search(after: transaction.token) }
      address = removed[feed]
    }
    known[feed] = address
    return address
  }

  /// Reads the deleted feeds in transactions after a token that were not searched yet.
  private func search(after token: HistoryToken) throws(StoreError) {
    var start = end ?? token
    while true {
      let part = try coordinator.followedHistory(after: start, limit: Self.part)
      for transaction in part.transactions { note(transaction) }
      start = part.end ?? start
      guard part.transactions.count == Self.part else { break }
    }
    end = start
  }

  private func note(_ transaction: HistoryTransaction) {
    for (id, values) in transaction.deletedValues where id.entity == NewsModel.Place.feed {
      if case .text(let url)? = values.first { removed[id] = WebAddress(url) }
    }
  }

  private static let part = 50
}
