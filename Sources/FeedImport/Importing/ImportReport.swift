public import Foundation
public import ManagedContext
public import NewsModel
public import WebAddress

/// The result of an import, as the main context has read it after its last merge.
///
/// It has little of each feed: where its result is, or why there is none. ``DataSource`` reads the rest in parts.
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
    /// The number of feeds that were not polled, or that their hosts refused.
    public var skipped = 0
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0

    /// No feeds.
    public init() {}

    /// The number of feeds with a result.
    public var answered: Int { updated + unchanged + failed }

    mutating func add(_ result: PollOutcome) {
      switch result.outcome {
      case .updated: updated += 1
      case .unchanged: unchanged += 1
      case .failed: failed += 1
      case .refused: skipped += 1
      }
      inserted += result.inserted
      edited += result.edited
    }
  }

  /// The end of one feed.
  public enum Ending: Sendable {
    /// It was polled. The store has the result: this ``FetchRecord``.
    case polled(FetchOutcome, record: ManagedObjectID)
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
      case .polled(let outcome, _): outcome == .failed
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

  /// The regions and their feeds.
  public let feeds: ImportFeeds
  /// The number of feeds that the import polls, also of those that it has not claimed yet; without feeds that other runs have
  /// claimed.
  public internal(set) var claimed = 0
  /// The outcomes of the feeds that were polled.
  public private(set) var polled = PolledFeeds()
  /// The size of all bodies after decoding.
  public private(set) var bytes = 0
  /// The feeds with encrypted addresses that got unencrypted answers, in the order in which they were added to the store.
  public private(set) var unencrypted: [ManagedObjectID] = []
  /// The reasons of feeds that were not polled.
  public internal(set) var refusals = FeedNotes<PollPolicy.Refusal>()
  /// The reasons of feeds that cannot be polled with the present settings; see ``ImportSelection/unusable``.
  public internal(set) var unusable: [ManagedObjectID: String] = [:]
  /// The feeds that were removed during the import, with their addresses. Nothing of them was saved.
  public internal(set) var removed: [ManagedObjectID: WebAddress] = [:]
  /// The feeds with answers that the store rejected.
  public internal(set) var unsaved: [FeedImporter.UnsavedFeed] = []
  /// The feeds that failed because no server at all could be reached, or because of a setting of this machine, each with the
  /// cause. No failure was counted.
  public internal(set) var unreachable: [ManagedObjectID: PollFailure] = [:]
  /// The probable reason for the failures in ``unreachable``; nil for none.
  public internal(set) var outageCause: OutageCause?
  /// The feeds that have a new address of their own, after a permanent redirect has proved reliable.
  public internal(set) var moves: [FeedMoves.Move] = []
  /// The former addresses of the feeds in ``moves``.
  public internal(set) var formerAddresses: [ManagedObjectID: WebAddress] = [:]
  /// The hashes of the targets of feeds that had moved before the import: an address takes several times as much memory.
  var earlierTargets: [ManagedObjectID: Int] = [:]
  /// The numbers of consecutive failures before the import, if they are kept; see ``ImportSelection/keepsFailures``.
  public internal(set) var earlierFailures = FeedNotes<Int>()
  /// The change in whether servers can be reached; nil for none.
  public internal(set) var outage: Outage?
  /// The number of feeds whose schedule was made by a clock that was ahead, and the latest of their polls; nil for none.
  public internal(set) var wrongClock: (feeds: Int, latest: Date)?
  /// The reason why the import ended early; nil if it did not.
  public internal(set) var failure: ImportFailure?
  /// The number of polled feeds whose results are saved, but could not be read at the end; 0 without a ``failure``.
  public internal(set) var unreadCount = 0

  /// True if any server has answered.
  var isReached = false

  /// The numbers of polled feeds: of all, and of each region.
  private var polledTotals = Totals()
  private var polledOfRegions: [Totals]

  init(_ feeds: ImportFeeds) {
    self.feeds = feeds
    polledOfRegions = feeds.regions.map { _ in Totals() }
  }

  /// The numbers over ``feeds``, each counted once.
  public var totals: Totals {
    var totals = polledTotals
    totals.feeds = feeds.count
    addOthers(to: &totals) { _ in true }
    return totals
  }

  /// The numbers of the region at an index, with its feeds that were not read.
  public func totals(ofRegion index: Int) -> Totals {
    let region = feeds.regions[index]
    var totals = polledOfRegions[index]
    totals.feeds = region.feeds.count + region.notDue
    totals.skipped = region.notDue
    addOthers(to: &totals) { region.feeds.contains($0) }
    return totals
  }

  /// Adds the feeds without a result.
  private func addOthers(to totals: inout Totals, _ isMember: (ManagedObjectID) -> Bool) {
    func count(_ feeds: some Sequence<ManagedObjectID>) -> Int { feeds.count(where: isMember) }
    totals.skipped += count(refusals.feeds)
    totals.failed += count(unusable.keys) + count(unreachable.keys)
  }

  /// Returns the end of a feed; nil if its answer was not saved, or if the import ended before it.
  public func ending(of feed: ManagedObjectID) -> Ending? {
    if let outcome = polled[feed], let record = polled.record(of: feed) {
      return .polled(outcome, record: record)
    }
    if let refusal = refusals[feed] { return .refused(refusal) }
    if let cause = unusable[feed] { return .unusable(cause) }
    if let failure = unreachable[feed] { return .unreachable(failure) }
    return removed[feed] != nil ? .removed : nil
  }

  /// Returns whether an answer of the import has moved a feed to an address.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - url: The feed's own address before the import.
  ///   - target: The address at which it will be polled next.
  public func hasMoved(_ feed: ManagedObjectID, from url: WebAddress, to target: WebAddress) -> Bool {
    target != url && target.hashValue != earlierTargets[feed] ?? url.hashValue
  }

  /// Adds results; ``sortResults()`` must follow.
  mutating func add(_ outcomes: [PollOutcome]) {
    polled.add(outcomes)
    for outcome in outcomes {
      bytes += outcome.bytes
      if outcome.isUnencrypted { unencrypted.append(outcome.feed) }
      polledTotals.add(outcome)
      for (place, region) in feeds.regions.enumerated() where region.feeds.contains(outcome.feed) {
        polledOfRegions[place].add(outcome)
      }
    }
  }

  /// Ends the additions of results.
  mutating func sortResults() {
    polled.sort()
    unencrypted.sort { $0.key < $1.key }
  }

  /// Adds what a run reports beside the log.
  mutating func add(_ end: FeedImporter.End) {
    unsaved += end.unsaved
    unreachable.merge(end.unreachable) { first, _ in first }
    outageCause = outageCause ?? end.outageCause
    removed.merge(end.removed) { first, _ in first }
    refusals.merge(end.notPolled)
    for feed in end.overtaken { refusals.set(.claimed, for: feed) }
    isReached = isReached || end.isReached
  }
}
