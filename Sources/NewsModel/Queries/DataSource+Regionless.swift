public import ManagedContext

/// Feeds that are in no region. They and their articles are kept, but not polled. Feeds for files, which are
/// never polled, do not count.
extension DataSource {
  private static var isRegionless: FetchPredicate<Feed> {
    !.to(some: \.regions, where: .constant(true)) && !.hasPrefix(\.url, "file:")
  }

  /// Returns the feeds that are in no region.
  public func regionlessFeeds() throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(FetchRequest(Feed.self, where: Self.isRegionless))
  }

  /// Counts the feeds that are in no region.
  public func regionlessCount() throws(StoreError) -> Int {
    try context.count(FetchRequest(Feed.self, where: Self.isRegionless))
  }

  /// Counts a region's feeds that are in no other region.
  public func exclusiveCount(of region: Region) throws(StoreError) -> Int {
    let elsewhere = FetchPredicate<Feed>.to(some: \.regions, where: !.ids([region.id]))
    return try context.count(FetchRequest(Feed.self, where: Self.isMember(of: region) && !elsewhere))
  }
}
