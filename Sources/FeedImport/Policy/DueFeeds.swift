import Foundation
import ManagedContext
import NewsModel
import Sequences

/// The due feeds in regions, found through the store's indexes: other feeds are not read.
struct DueFeeds {
  /// The due feeds in each region.
  let feeds: [ManagedObjectID: ManagedObjectIDSet]
  /// The number of feeds in each region that are not due.
  let others: [ManagedObjectID: Int]
  /// The first poll date among the regions' feeds that are not due yet; nil for never.
  let next: Date?

  init(of regions: [ManagedObjectID], at now: Date, in context: ManagedObjectContext) throws(StoreError) {
    let reader = Reader(regions: Set(regions), now: now, context: context)
    var feeds: [ManagedObjectID: ManagedObjectIDSet] = [:]
    for part in try reader.due().chunks(of: Reader.part) {
      for (feed, places) in try reader.members(among: part).sorted(by: { $0.key.key < $1.key.key }) {
        for region in places { feeds[region, default: []].insert(feed) }
      }
    }
    var others: [ManagedObjectID: Int] = [:]
    for region in regions {
      let members = try context.countRelated(\Region.feeds, of: region)
      others[region] = max(0, members - (feeds[region]?.count ?? 0))
    }
    (self.feeds, self.others) = (feeds, others)
    next = others.values.contains { $0 > 0 } ? try reader.next() : nil
  }

  private struct Reader {
    let regions: Set<ManagedObjectID>
    let now: Date
    let context: ManagedObjectContext

    func due() throws(StoreError) -> ManagedObjectIDSet {
      var due = ManagedObjectIDSet()
      for request in PollPolicy.dueRequests(at: now) {
        due.formUnion(ManagedObjectIDSet(try context.fetchIDs(request).sorted { $0.key < $1.key }))
      }
      return due
    }

    /// Returns the regions that contain each feed. Feeds outside the regions are omitted.
    func members(
      among feeds: [ManagedObjectID]
    ) throws(StoreError) -> [ManagedObjectID: [ManagedObjectID]] {
      try context.fetchRelatedIDs(\Feed.regions, of: feeds).compactMapValues { places in
        let wanted = places.filter(regions.contains)
        return wanted.isEmpty ? nil : wanted
      }
    }

    /// Returns the first date when a feed that is not due yet will be polled.
    func next() throws(StoreError) -> Date? {
      var request = FetchRequest(
        Feed.self,
        where: \.nextFetch > now && \.isGone410 == false
          && .to(some: \.regions, where: .ids(Array(regions))),
        sortedBy: [.ascending(\.nextFetch)], limit: Self.part)
      while true {
        let feeds = try DataSource(context).schedules(request)
        if let next = feeds.compactMap({ PollPolicy.nextPoll(of: $0, server: nil, at: now) }).min() {
          return next
        }
        guard feeds.count == Self.part else { return nil }
        request.offset += Self.part
      }
    }

    /// The number of feeds that are read together.
    static let part = 500
  }
}
