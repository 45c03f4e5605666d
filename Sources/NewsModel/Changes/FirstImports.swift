public import Foundation
public import ManagedContext

/// The first imports of feeds: their articles are older than the feed's time in the store.
///
/// It belongs to its context's queue.
public final class FirstImports {
  private let source: DataSource
  /// For each feed that was looked up, the date before which articles came with the first answer.
  private var ends: [ManagedObjectID: Date] = [:]

  /// Creates a value for the feeds in a context.
  public init(_ source: DataSource) { self.source = source }

  /// Returns the feeds that were still in their first import at a transaction's date.
  ///
  /// A feed is left out if its log no longer has its first answer.
  public func feeds(_ feeds: Set<ManagedObjectID>, at date: Date) throws(StoreError) -> Set<ManagedObjectID> {
    let unknown = feeds.filter { ends[$0] == nil }
    if !unknown.isEmpty { try lookUp(unknown) }
    return feeds.filter { date < ends[$0] ?? .distantPast }
  }

  private func lookUp(_ feeds: Set<ManagedObjectID>) throws(StoreError) {
    let request = FetchRequest(Feed.self, where: .ids(Array(feeds)))
    let counts = zip(
      try source.context.fetchIDs(request), try source.context.fetchValues(request, \.storedFetches))
    var young: [ManagedObjectID] = []
    for (feed, count) in counts where (0...FetchRecord.kept).contains(count) { young.append(feed) }
    for feed in feeds { ends[feed] = .distantPast }
    guard !young.isEmpty else { return }
    var answers: [ManagedObjectID: [Date]] = [:]
    for record in try source.context.fetch(FetchRequest(FetchRecord.self, where: .among(\.feed, young))) {
      if record.outcome?.isSuccess == true { answers[record.feed, default: []].append(record.date) }
    }
    // The first import is over at the second answer.
    for feed in young { ends[feed] = (answers[feed] ?? []).sorted().dropFirst().first ?? .distantFuture }
  }
}
