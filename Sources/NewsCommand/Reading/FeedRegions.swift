import ManagedContext
import NewsModel

/// The names of the regions of feeds, as JSON. Each is read once, when a record needs it.
///
/// It belongs to the queue of its context.
final class FeedRegions {
  private let source: DataSource
  private var names: [ManagedObjectID: RecordValue] = [:]
  /// The feed before; often, the next article is of the same feed.
  private var last: (feed: ManagedObjectID, names: RecordValue)?

  init(_ source: DataSource) { self.source = source }

  /// Returns the names, ordered; an empty list if they cannot be read.
  func names(of feed: Feed?) -> RecordValue {
    guard let feed else { return [String]().recordValue }
    if let last, last.feed == feed.id { return last.names }
    let value = names[feed.id] ?? read(feed.id)
    last = (feed.id, value)
    return value
  }

  private func read(_ feed: ManagedObjectID) -> RecordValue {
    let read = ((try? source.regionNames(of: [feed])) ?? [:])[feed] ?? []
    let value = read.recordValue
    names[feed] = value
    return value
  }
}
