public import Foundation
public import ManagedContext
import WebAddress

/// Regions that follow a feed list which somebody else keeps.
extension DataSource {
  /// A feed that left a region, because the list has lost it.
  public struct LeavingFeed {
    /// The feed.
    public let feed: Feed
    /// The region's name.
    public let region: String
    /// True if the feed is in no other region.
    public let isAlone: Bool
    /// True if the feed stays after all, because another list that is followed has it.
    public let isKept: Bool
  }

  /// Returns the list as it was at the last sync; nil before the first.
  ///
  /// - Parameters:
  ///   - place: See ``FollowedList``.
  ///   - region: See ``FollowedList``.
  public func followedList(at place: String, inRegion region: String) throws(StoreError) -> FollowedList? {
    try context.fetch(FetchRequest(FollowedList.self, where: \.place == place && \.region == region))
      .first { isOwn($0.id) }
  }

  /// Returns all lists that are followed, by place.
  public func followedLists() throws(StoreError) -> [FollowedList] {
    try context.fetch(FetchRequest(FollowedList.self, sortedBy: [.ascending(\.place), .ascending(\.region)]))
      .filter { isOwn($0.id) }
  }

  /// Lets the lists that have a region to themselves follow its new name, with the context's next save.
  public func moveFollowedLists(ofRegion old: String, to new: String) throws(StoreError) {
    for list in try followedLists() where Region.normalized(list.region) == old {
      if try followedList(at: list.place, inRegion: new) != nil { continue }
      let parts = feeds(of: list).lists.map { ListedFeeds(region: new, urls: $0.urls) }
      (list.region, list.feeds) = (new, ListedRegions(parts).text)
    }
  }

  /// Returns the feeds that a list had at its last sync.
  public func feeds(of list: FollowedList) -> ListedRegions { ListedRegions(text: list.feeds) }

  /// Records the feeds that a list has at a sync, with the context's next save.
  ///
  /// - Parameters:
  ///   - feeds: The list's feeds.
  ///   - place: See ``FollowedList``.
  ///   - region: See ``FollowedList``.
  ///   - date: The date of the sync.
  /// - Returns: The list, without validators.
  public func note(
    _ feeds: ListedRegions, ofListAt place: String, inRegion region: String, at date: Date
  ) throws(StoreError) -> FollowedList {
    let list = try followedList(at: place, inRegion: region) ?? context.insert(FollowedList.self)
    (list.place, list.region, list.feeds, list.date) = (place, region, feeds.text, date)
    (list.etag, list.lastModified, list.validatorsURL) = (nil, nil, nil)
    return list
  }

  /// Removes from the regions the feeds that a list has lost, with the context's next save. The feeds and their
  /// articles stay.
  ///
  /// A feed stays in a region if the list, or another list that is followed, has it there under any of the
  /// feed's addresses.
  ///
  /// - Parameters:
  ///   - lost: The feeds that the list has lost.
  ///   - new: The list's feeds now.
  ///   - list: The list; nil before its first sync.
  /// - Returns: The feeds that leave, and those that only other lists keep.
  public func removeLost(
    _ lost: ListedRegions, from list: FollowedList?, nowWith new: ListedRegions
  ) throws(StoreError) -> [LeavingFeed] {
    let kept = try followedLists().filter { $0.id != list?.id }.map(feeds)
    var leaving: [LeavingFeed] = []
    for part in lost.lists {
      guard let region = try region(named: part.region) else { continue }
      func feeds(in lists: [ListedRegions]) throws(StoreError) -> Set<ManagedObjectID> {
        let urls = lists.flatMap(\.lists).filter { $0.region == part.region }.flatMap(\.urls)
        return Set(try feedsHere(at: urls).map(\.id))
      }
      let (own, ofOthers) = (try feeds(in: [new]), try feeds(in: kept))
      let members = try members(of: region.id)
      let missing = try feedsHere(at: part.urls).filter { members.contains($0.id) && !own.contains($0.id) }
      let gone = missing.filter { !ofOthers.contains($0.id) }
      let regions = try regionNames(of: gone.map(\.id))
      leaving += missing.map {
        LeavingFeed(
          feed: $0, region: region.name, isAlone: (regions[$0.id] ?? []).count < 2,
          isKept: ofOthers.contains($0.id))
      }
      region.remove(gone, from: Region.schema.feeds)
    }
    return leaving
  }

  /// Returns the feeds with these present or former addresses, each once.
  private func feedsHere(at urls: [WebAddress]) throws(StoreError) -> [Feed] {
    let (here, moved) = (try feeds(at: urls), try movedFeeds(from: urls))
    var seen: Set<ManagedObjectID> = []
    return urls.compactMap { here[$0] ?? moved[$0] }.filter { seen.insert($0.id).inserted }
  }
}
