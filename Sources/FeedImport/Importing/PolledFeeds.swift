public import ManagedContext
public import NewsModel

/// The polled feeds' outcomes, and where the store has their results: 24 bytes for each feed.
public struct PolledFeeds: Sendable {
  private struct Poll: Sendable {
    /// The feed's key.
    let feed: Int64
    /// The record's key in the fetch log.
    let record: Int64
    let outcome: FetchOutcome
  }

  private var polls: [Poll] = []
  private var feedPlace = ManagedObjectID.none
  private var recordPlace = ManagedObjectID.none

  init() {}

  /// Adds another feed's record with its outcome.
  mutating func add(_ record: ManagedObjectID, of feed: ManagedObjectID, _ outcome: FetchOutcome) {
    (feedPlace, recordPlace) = (feed, record)
    polls.append(Poll(feed: feed.key, record: record.key, outcome: outcome))
  }

  /// Sorts the polls, after all were added.
  mutating func sort() {
    polls.sort { $0.feed < $1.feed }
  }

  /// The feed count.
  public var count: Int { polls.count }
  /// True if no feed was polled.
  public var isEmpty: Bool { polls.isEmpty }
  /// The feeds, in the order in which they were added to the store.
  public var feeds: some Collection<ManagedObjectID> { polls.lazy.map { feedPlace.with(key: $0.feed) } }

  /// A feed's outcome; nil if it was not polled.
  public subscript(feed: ManagedObjectID) -> FetchOutcome? { poll(of: feed)?.outcome }

  /// Returns the ``FetchRecord`` with a feed's result; nil if the feed was not polled.
  public func record(of feed: ManagedObjectID) -> ManagedObjectID? {
    poll(of: feed).map { recordPlace.with(key: $0.record) }
  }

  private func poll(of feed: ManagedObjectID) -> Poll? {
    guard feed.entity == feedPlace.entity, feed.store == feedPlace.store else { return nil }
    var range = polls[...]
    while let last = range.indices.last {
      let middle = range.startIndex + (last - range.startIndex) / 2
      if polls[middle].feed == feed.key { return polls[middle] }
      range = polls[middle].feed < feed.key ? range[(middle + 1)...] : range[..<middle]
    }
    return nil
  }
}

extension ManagedObjectID {
  /// Returns the ID for another object with this entity and store.
  func with(key: Int64) -> ManagedObjectID {
    ManagedObjectID(entity: entity, store: store, key: key)
  }
}
