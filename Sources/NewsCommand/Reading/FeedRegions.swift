import ManagedContext
import NewsModel

/// The names of the regions of feeds, read when a record needs them.
///
/// It belongs to the queue of its context.
final class FeedRegions {
  private let source: DataSource
  private var names: [ManagedObjectID: RecordValue] = [:]
  /// True if the regions of all feeds were read.
  private var hasAll = false
  private var failure: StoreError?
  /// The feed before; often, the next article is of the same feed.
  private var last: (feed: ManagedObjectID, names: RecordValue)?

  /// The number of feeds that are read one by one. For more of them, one query for all is faster.
  private static let mostSingle = 20

  init(_ source: DataSource) { self.source = source }

  /// Returns the names, ordered; an empty list if they cannot be read, see ``check()``.
  func names(of feed: Feed?) -> RecordValue {
    guard let feed else { return Self.none }
    if let last, last.feed == feed.id { return last.names }
    let value = names[feed.id] ?? read(feed.id)
    last = (feed.id, value)
    return value
  }

  /// Throws the error because of which regions are missing in the values that were returned.
  func check() throws(StoreError) {
    if let failure { throw failure }
  }

  private static let none = [String]().recordValue

  private func read(_ feed: ManagedObjectID) -> RecordValue {
    guard !hasAll, failure == nil else { return Self.none }
    do throws(StoreError) {
      let isSingle = names.count < Self.mostSingle
      let read = try source.regionNames(of: isSingle ? [feed] : nil)
      names.merge(read.mapValues(\.recordValue)) { $1 }
      hasAll = !isSingle
      return names[feed] ?? Self.none
    } catch {
      failure = error
      return Self.none
    }
  }
}
