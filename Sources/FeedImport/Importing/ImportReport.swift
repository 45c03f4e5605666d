public import Foundation
public import ManagedContext
public import NewsModel

/// The result of an import, feed by feed, as the main context has read it after its last merge.
public struct ImportReport: Sendable {
  /// The numbers of one region, or of all.
  public struct Totals: Sendable, Equatable {
    /// The number of feeds.
    public var feeds = 0
    /// The number of feeds with new or edited articles.
    public var updated = 0
    /// The number of feeds that answered without new or edited articles.
    public var unchanged = 0
    /// The number of feeds that failed.
    public var failed = 0
    /// The number of feeds that were not polled.
    public var skipped = 0
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0

    /// No feeds.
    public init() {}

    /// The number of feeds with a result.
    public var answered: Int { updated + unchanged + failed }

    mutating func add(_ result: PollResult) {
      switch result.outcome {
      case .updated: updated += 1
      case .unchanged: unchanged += 1
      case .failed: failed += 1
      }
      inserted += result.inserted
      edited += result.edited
    }
  }

  /// The end of one feed.
  public enum Ending: Sendable {
    /// It was polled, and the store has the result.
    case polled(PollResult)
    /// It was not polled.
    case refused(PollPolicy.Refusal)
    /// It cannot be polled with the present settings, for this reason.
    case unusable(String)
    /// It failed because no server at all could be reached. No failure was counted.
    case unreachable(PollFailure)
    /// It was removed during the import. Nothing of it was saved.
    case removed

    /// True if the feed counts as failed.
    public var hasFailed: Bool {
      switch self {
      case .polled(let result): result.outcome == .failed
      case .unusable, .unreachable: true
      case .refused, .removed: false
      }
    }
  }

  /// A change in whether servers can be reached at all.
  public enum Outage: Sendable, Equatable {
    /// No server could be reached; `isNew` is false if that was so in the run before.
    case continues(isNew: Bool)
    /// A server was reached again.
    case ended(began: Date)
  }

  /// The regions, in the order in which they were named, each once.
  public let regions: [RegionFeeds]
  /// Each feed once, in the order of the regions, as it was before the import; without feeds that were not read because
  /// they are not due.
  public let feeds: [FeedOutline]
  /// The date of the next poll of a feed that was not read; nil for none.
  public let nextDue: Date?
  /// The feeds that the import polls, also those that it has not claimed yet; without feeds that other runs have claimed.
  public internal(set) var claimed: Set<ManagedObjectID> = []
  /// The results of the feeds that were polled.
  public internal(set) var results: [ManagedObjectID: PollResult] = [:]
  /// The reasons of feeds that were not polled.
  public internal(set) var refusals: [ManagedObjectID: PollPolicy.Refusal] = [:]
  /// The reasons of feeds that cannot be polled with the present settings; see ``ImportSelection/unusable``.
  public internal(set) var unusable: [ManagedObjectID: String] = [:]
  /// The feeds that were removed during the import. Nothing of them was saved.
  public internal(set) var removed: Set<ManagedObjectID> = []
  /// The feeds with answers that the store rejected.
  public internal(set) var unsaved: [FeedImporter.UnsavedFeed] = []
  /// The feeds that failed because no server at all could be reached, each with the cause. No failure was counted.
  public internal(set) var unreachable: [ManagedObjectID: PollFailure] = [:]
  /// The feeds that have a new address of their own, after a permanent redirect has proved reliable.
  public internal(set) var moves: [FeedMoves.Move] = []
  /// The change in whether servers can be reached; nil for none.
  public internal(set) var outage: Outage?
  /// The dates of the last polls of feeds whose schedule was made by a clock that was ahead.
  public internal(set) var wrongClockDates: [Date] = []
  /// The reason why the import ended early; nil if it did not.
  public internal(set) var failure: FeedImporter.Failure?

  /// True if any server has answered.
  var isReached = false

  init(_ feeds: ImportFeeds) {
    (regions, self.feeds, nextDue) = (feeds.regions, feeds.all, feeds.nextDue)
  }

  /// The names of the regions of each feed.
  public var regionNames: [ManagedObjectID: [String]] {
    regions.reduce(into: [:]) { names, region in
      for feed in region.feeds { names[feed.id, default: []].append(region.name) }
    }
  }

  /// The numbers over ``feeds``, each counted once.
  public var totals: Totals { totals(of: feeds) }

  /// The numbers of a region, with its feeds that were not read.
  public func totals(of region: RegionFeeds) -> Totals {
    var totals = totals(of: region.feeds)
    totals.feeds += region.notDue
    totals.skipped += region.notDue
    return totals
  }

  /// The numbers of some feeds.
  public func totals(of feeds: [FeedOutline]) -> Totals {
    var totals = Totals()
    totals.feeds = feeds.count
    for feed in feeds {
      switch ending(of: feed.id) {
      case .polled(let result): totals.add(result)
      case .refused: totals.skipped += 1
      case .unusable, .unreachable: totals.failed += 1
      case .removed, nil: break
      }
    }
    return totals
  }

  /// Returns the end of a feed; nil if its answer was not saved, or if the import ended before it.
  public func ending(of feed: ManagedObjectID) -> Ending? {
    if let result = results[feed] { return .polled(result) }
    if let refusal = refusals[feed] { return .refused(refusal) }
    if let cause = unusable[feed] { return .unusable(cause) }
    if let failure = unreachable[feed] { return .unreachable(failure) }
    return removed.contains(feed) ? .removed : nil
  }

  mutating func add(_ results: [PollResult]) {
    for result in results { self.results[result.feed] = result }
  }

  /// Adds what a run reports beside the log.
  mutating func add(_ end: FeedImporter.End) {
    unsaved += end.unsaved
    unreachable.merge(end.unreachable) { first, _ in first }
    removed.formUnion(end.removed)
    refusals.merge(end.notPolled) { $1 }
    for feed in end.overtaken { refusals[feed] = .claimed }
    isReached = isReached || end.isReached
  }
}
