public import Foundation
public import ManagedContext
import NewsModel
import Sequences

/// A region and its feeds.
public struct RegionFeeds: Sendable {
  /// The region's name.
  public let name: String
  /// The feeds that are read.
  public let feeds: ManagedObjectIDSet
  /// The number of other feeds, which are not read because they are not due.
  public let notDue: Int
}

/// The feeds in some regions that an import may poll. It holds only IDs: there may be a million.
public struct ImportFeeds: Sendable {
  /// The regions, in the order in which they were named, each once.
  public let regions: [RegionFeeds]
  /// The date when the next unread feed will be due; nil without such a feed.
  public let nextDue: Date?
  /// Each region's feeds that are not in an earlier region.
  private let distinct: [ManagedObjectIDSet]

  /// True if the regions have no feeds.
  public var isEmpty: Bool { count == 0 && regions.allSatisfy { $0.notDue == 0 } }

  /// The count of feeds that are read, each counted once.
  public var count: Int { distinct.reduce(0) { $0 + $1.count } }

  /// All feeds that are read, each once: by region, and then in the order of their addition to the store.
  public var all: FlattenSequence<[ManagedObjectIDSet]> { distinct.joined() }

  /// The feeds in ``all`` in parts, which can be read with one query each. A part is in store order.
  public var parts: some Sequence<[ManagedObjectID]> { distinct.lazy.flatMap { $0.chunks(of: Self.part) } }

  /// The maximum number of feeds that are read together.
  private static let part = 1000

  /// Finds regions' feeds, in a context on its queue. Feeds of files are omitted: they are never polled.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - date: The date by which feeds must be due to be read; nil to read all. The cost does not depend on
  ///     the other feeds then.
  ///   - context: A context on its queue.
  public init(of regions: [ManagedObjectID], dueAt date: Date?, in context: ManagedObjectContext)
    throws(StoreError)
  {
    var seen: Set<ManagedObjectID> = []
    var there: [Region] = []
    for id in regions where seen.insert(id).inserted {
      do throws(StoreError) {
        there.append(try context.existingObject(Region.self, with: id))
      } catch .notFound {
        continue
      }
    }
    let due = try date.map { (date) throws(StoreError) in
      try DueFeeds(of: there.map(\.id), at: date, in: context)
    }
    let source = DataSource(context)
    let mayHaveFiles = due.map { !$0.feeds.isEmpty } ?? true
    let ofFiles = try mayHaveFiles ? source.feedsOfFiles() : []
    self.regions = try there.map { (region) throws(StoreError) in
      var feeds = if let due { due.feeds[region.id] ?? [] } else { try source.members(of: region.id) }
      feeds.subtract(ofFiles)
      return RegionFeeds(name: region.name, feeds: feeds, notDue: due?.others[region.id] ?? 0)
    }
    var listed = ManagedObjectIDSet()
    distinct = self.regions.map { region in
      var feeds = region.feeds
      feeds.subtract(listed)
      listed.formUnion(feeds)
      return feeds
    }
    nextDue = due?.next
  }

  /// Returns the names of a feed's regions, in their order.
  public func regionNames(of feed: ManagedObjectID) -> [String] {
    regions.filter { $0.feeds.contains(feed) }.map(\.name)
  }
}
