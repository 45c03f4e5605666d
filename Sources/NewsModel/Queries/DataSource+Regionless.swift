public import ManagedContext

/// Feeds that are in no region: they and their articles are kept, and no command asks them.
extension DataSource {
  private static var isRegionless: FetchPredicate<Feed> {
    !.referenced(by: \Membership.feed, where: .constant(true))
  }

  /// Those of the whole store.
  public func regionlessFeeds() throws(StoreError) -> [ManagedObjectID] {
    try context.fetchIDs(FetchRequest(Feed.self, where: Self.isRegionless))
  }

  /// How many feeds are in no region.
  public func regionlessCount() throws(StoreError) -> Int {
    try context.count(FetchRequest(Feed.self, where: Self.isRegionless))
  }

  /// How many of a region's feeds are in no other.
  public func exclusiveCount(of region: Region) throws(StoreError) -> Int {
    let elsewhere = FetchPredicate<Feed>.referenced(by: \Membership.feed, where: \.region != region.id)
    let members = FetchPredicate<Feed>.referenced(by: \Membership.feed, where: \.region == region.id)
    return try context.count(FetchRequest(Feed.self, where: members && !elsewhere))
  }
}
