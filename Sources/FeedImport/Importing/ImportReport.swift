public import Foundation
public import ManagedContext
public import NewsModel
public import WebAddress

/// An import's result, as the main context has read it after its last merge.
///
/// It only has the place of each feed's result, or the reason without one. ``DataSource`` reads the rest.
public struct ImportReport: Sendable {
  /// The counts for one region, or for all.
  public struct Totals: Sendable, Equatable {
    /// The feed count.
    public var feeds = 0
    /// The feeds with new or edited articles.
    public var updated = 0
    /// The feeds that answered without new or edited articles.
    public var unchanged = 0
    /// The feeds that failed.
    public var failed = 0
    /// The feeds that were not polled, or that their hosts refused.
    public var skipped = 0
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0

    /// No feeds.
    public init() {}

    /// The feeds with a result.
    public var answered: Int { updated + unchanged + failed }

    mutating func add(_ result: FetchRecord, _ outcome: FetchOutcome) {
      switch outcome {
      case .updated: updated += 1
      case .unchanged: unchanged += 1
      case .failed: failed += 1
      case .refused: skipped += 1
      }
      inserted += result.inserted
      edited += result.edited
    }
  }

  /// The end of one feed's import.
  public enum Ending: Sendable {
    /// It was polled. The store has the result: this ``FetchRecord``.
    case polled(FetchOutcome, record: ManagedObjectID)
    /// It was not polled.
    case refused(PollPolicy.Refusal)
    /// It cannot be polled with the present settings, for this reason.
    case unusable(String)
    /// It failed because no server could be reached. No failure was counted.
    case unreachable(PollFailure)
    /// It was removed during the import. Nothing was saved for it.
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
    /// No server could be reached; `isNew` is false if this already held in the previous run.
    case continues(isNew: Bool)
    /// A server was reached again.
    case ended(began: Date)
  }

  /// The regions and their feeds.
  public let feeds: ImportFeeds
  /// The count of feeds that the import polls, including feeds that it has not claimed yet, but not feeds
  /// that other runs have claimed.
  public internal(set) var claimed = 0
  /// The polled feeds' outcomes.
  public private(set) var polled = PolledFeeds()
  /// The total size of bodies after decoding, in bytes.
  public private(set) var bytes = 0
  /// The feeds with encrypted addresses and unencrypted answers, in the order of their addition to the store.
  public private(set) var unencrypted: [ManagedObjectID] = []
  /// The reasons why feeds were not polled.
  public internal(set) var refusals = FeedNotes<PollPolicy.Refusal>()
  /// The reasons why feeds cannot be polled with the present settings; see ``ImportSelection/unusable``.
  public internal(set) var unusable: [ManagedObjectID: String] = [:]
  /// The feeds that were removed during the import, with their addresses. Nothing was saved for them.
  public internal(set) var removed: [ManagedObjectID: WebAddress] = [:]
  /// The feeds with answers that the store rejected.
  public internal(set) var unsaved: [FeedImporter.UnsavedFeed] = []
  /// The feeds that failed because no server could be reached, or because of a setting on this machine, with
  /// the cause. No failure was counted.
  public internal(set) var unreachable: [ManagedObjectID: PollFailure] = [:]
  /// The probable reason for the failures in ``unreachable``; nil if unknown.
  public internal(set) var outageCause: OutageCause?
  /// The feeds with a new address of their own, after a permanent redirect has proved reliable.
  public internal(set) var moves: [FeedMoves.Move] = []
  /// The former addresses of the feeds in ``moves``.
  public internal(set) var formerAddresses: [ManagedObjectID: WebAddress] = [:]
  /// The hashes of moved feeds' targets before the import: addresses would take much more memory.
  var earlierTargets: [ManagedObjectID: Int] = [:]
  /// The counts of consecutive failures before the import, if they are kept; see
  /// ``ImportSelection/keepsFailures``.
  public internal(set) var earlierFailures = FeedNotes<Int>()
  /// The change in whether servers can be reached; nil without a change.
  public internal(set) var outage: Outage?
  /// The number of feeds scheduled by a clock that ran ahead, and their latest poll; nil without any.
  public internal(set) var wrongClock: (feeds: Int, latest: Date)?
  /// The reason why the import ended early; nil if it did not.
  public internal(set) var failure: ImportFailure?
  /// The polled feeds with saved results that could not be read at the end; 0 without a ``failure``.
  public internal(set) var unreadCount = 0

  /// True if any server has answered.
  var isReached = false

  /// The counts for polled feeds: in total, and by region.
  private var polledTotals = Totals()
  private var polledOfRegions: [Totals]
  /// The failed polls by the codes of their causes.
  private var failures: [String: Int] = [:]

  init(_ feeds: ImportFeeds) {
    self.feeds = feeds
    polledOfRegions = feeds.regions.map { _ in Totals() }
  }

  /// The counts over ``feeds``, each feed counted once.
  public var totals: Totals {
    var totals = polledTotals
    totals.feeds = feeds.count
    addOthers(to: &totals) { _ in true }
    return totals
  }

  /// The counts for the region at an index, including its feeds that were not read.
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

  /// Returns how a feed ended; nil if its answer was not saved, or if the import ended before it.
  public func ending(of feed: ManagedObjectID) -> Ending? {
    if let outcome = polled[feed], let record = polled.record(of: feed) {
      return .polled(outcome, record: record)
    }
    if let refusal = refusals[feed] { return .refused(refusal) }
    if let cause = unusable[feed] { return .unusable(cause) }
    if let failure = unreachable[feed] { return .unreachable(failure) }
    return removed[feed] != nil ? .removed : nil
  }

  /// Returns whether an answer in the import has moved a feed to an address.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - url: The feed's own address before the import.
  ///   - target: The address of the feed's next poll.
  public func hasMoved(_ feed: ManagedObjectID, from url: WebAddress, to target: WebAddress) -> Bool {
    target != url && target.hashValue != earlierTargets[feed] ?? url.hashValue
  }

  /// Adds results; ``sortResults()`` must follow.
  mutating func add(_ records: [FetchRecord]) {
    for record in records {
      guard let outcome = record.outcome else { continue }
      let feed = record.feed
      polled.add(record.id, of: feed, outcome)
      bytes += record.bytes
      if record.isUnencrypted { unencrypted.append(feed) }
      polledTotals.add(record, outcome)
      if outcome == .failed { failures[record.failure?.code?.rawValue ?? "other", default: 0] += 1 }
      for (place, region) in feeds.regions.enumerated() where region.feeds.contains(feed) {
        polledOfRegions[place].add(record, outcome)
      }
    }
  }

  /// What the import adds to the store's counters.
  public var counted: [Counter.Key: Int] {
    var counted: [Counter.Key: Int] = [
      Counter.Key(.polls, FetchOutcome.updated.rawValue): polledTotals.updated,
      Counter.Key(.polls, FetchOutcome.unchanged.rawValue): polledTotals.unchanged,
      Counter.Key(.polls, FetchOutcome.failed.rawValue): polledTotals.failed,
      Counter.Key(.polls, FetchOutcome.refused.rawValue): polledTotals.skipped,
      Counter.Key(.articles, "new"): polledTotals.inserted,
      Counter.Key(.articles, "edited"): polledTotals.edited,
      Counter.Key(.bytes): bytes,
    ]
    for (code, count) in failures { counted[Counter.Key(.failures, code)] = count }
    return counted
  }

  /// Sorts the results after all were added.
  mutating func sortResults() {
    polled.sort()
    unencrypted.sort { $0.key < $1.key }
  }

  /// Adds the facts that a run reports outside the log.
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
