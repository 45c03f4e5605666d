public import Foundation
import ManagedContext
public import NewsModel
import WebAddress

/// A region and its feeds.
public struct RegionFeeds: Sendable {
  /// The name.
  public let name: String
  /// The feeds that were read, in the order in which they were added to the store.
  public let feeds: [FeedOutline]
  /// The number of other feeds, which were not read because they are not due.
  public let notDue: Int
}

/// The feeds of regions that an import may poll, as they were before it.
public struct ImportFeeds: Sendable {
  /// The regions, in the order in which they were named, each once.
  public let regions: [RegionFeeds]
  /// Each feed that was read once, in the order of the regions.
  public let all: [FeedOutline]
  /// The date of the next poll of a feed that was not read; nil for none.
  public let nextDue: Date?

  /// True if the regions have no feeds.
  public var isEmpty: Bool { all.isEmpty && regions.allSatisfy { $0.notDue == 0 } }

  /// Reads the feeds of regions, in a context on its queue. Feeds of articles from files are omitted: they are never polled.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - date: The date at which feeds must be due to be read; nil to read all.
  init(of regions: [ManagedObjectID], dueAt date: Date?, in context: ManagedObjectContext) throws(StoreError)
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
    self.regions = try there.map { (region) throws(StoreError) in
      let feeds =
        if let due { due.feeds[region.id] ?? [] } else { try DataSource(context).feedOutlines(of: region) }
      return RegionFeeds(
        name: region.name, feeds: feeds.filter { !$0.url.isFile }, notDue: due?.others[region.id] ?? 0)
    }
    var listed: Set<ManagedObjectID> = []
    all =
      self.regions.count == 1
      ? self.regions[0].feeds : self.regions.flatMap(\.feeds).filter { listed.insert($0.id).inserted }
    nextDue = due?.next
  }
}
