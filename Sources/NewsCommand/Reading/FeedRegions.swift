import ManagedContext
import NewsModel

/// The names of the regions of feeds, as JSON. Each is read once, when a record needs it.
///
/// It belongs to the queue of its context.
final class FeedRegions {
  private let source: DataSource
  private var names: [ManagedObjectID: RecordValue] = [:]

  init(_ source: DataSource) { self.source = source }

  /// Returns the names, ordered; an empty list if they cannot be read.
  func names(of feed: Feed?) -> RecordValue {
    guard let feed else { return [String]().recordValue }
    if let known = names[feed.id] { return known }
    let read = ((try? source.regionNames(of: [feed.id])) ?? [:])[feed.id] ?? []
    let value = read.recordValue
    names[feed.id] = value
    return value
  }
}
