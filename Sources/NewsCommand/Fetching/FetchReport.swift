import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// What a fetch did, feed by feed, as the main context has merged it.
@MainActor
final class FetchReport {
  /// A region that was asked for, and its feeds.
  struct RegionFeeds {
    let name: String
    let feeds: [FeedOutline]
  }

  /// Numbers of one region, or of all.
  struct Totals: Equatable {
    var feeds = 0
    var updated = 0
    var unchanged = 0
    var failed = 0
    var skipped = 0
    var inserted = 0
    var edited = 0

    /// Feeds whose answer is known.
    var answered: Int { updated + unchanged + failed }
  }

  /// What became of feeds, by their IDs: side by side, because a table of them would be half empty.
  struct Results {
    private var places: [ManagedObjectID: Int] = [:]
    private var all: [FeedResult] = []

    fileprivate init(capacity: Int) {
      all.reserveCapacity(capacity)
    }

    /// What became of a feed; nil where that is not known.
    subscript(_ feed: ManagedObjectID) -> FeedResult? { places[feed].map { all[$0] } }

    /// Whether it is the first that is known of its feed; others change nothing.
    fileprivate mutating func insert(_ result: FeedResult) -> Bool {
      guard places[result.feed] == nil else { return false }
      places[result.feed] = all.count
      all.append(result)
      return true
    }
  }

  /// The regions, in the order in which they were named.
  let regions: [RegionFeeds]
  /// Every feed once, in the order of the regions.
  let feeds: [FeedOutline]
  /// The reason of those that were not asked.
  private(set) var refusals: [ManagedObjectID: AskPolicy.Refusal] = [:]
  /// What the configuration lacks for feeds that are therefore not asked.
  private(set) var mistakes: [ManagedObjectID: String] = [:]
  /// Feeds that somebody removed meanwhile.
  var removed: Set<ManagedObjectID> = []
  /// The regions of each feed.
  private(set) lazy var regionNames: [ManagedObjectID: [String]] = regions.reduce(into: [:]) {
    names, region in
    for feed in region.feeds { names[feed.id, default: []].append(region.name) }
  }
  /// Feeds whose answers the store refused.
  var unsaved: [FeedImporter.UnsavedFeed] = []
  /// How many fetches in a row had failed before this one, of feeds that were asked; others had none.
  var failuresBefore: [ManagedObjectID: Int] = [:]
  /// Feeds that failed because no server at all could be reached, each with the cause; no failure was counted.
  private(set) var unreachable: [ManagedObjectID: String] = [:]
  /// Whether any server has answered.
  var isReached = false
  /// What is known of an outage of the network; nil for nothing.
  var outage: OutageNews?

  /// What a run finds out about an outage.
  enum OutageNews: Equatable {
    /// No server could be reached; whether that is so for the first time.
    case goesOn(isNew: Bool)
    /// Servers can be reached again.
    case over(since: Date)
  }

  /// When the feeds were last fetched whose schedules a clock that was ahead has made; they are fetched now.
  var wrongClockDates: [Date] = []
  /// Which failures are told; nil for all.
  var mail: FailureMail?
  /// Feeds of which somebody was told, before this run, that they fail.
  var toldFailures: Set<ManagedObjectID> = []
  /// Those of them that were not asked by this run, and have worked in one that told nothing.
  var recoveredBefore: Set<ManagedObjectID> = []
  /// Feeds that got a new address for good.
  var moves: [FeedMoves.Move] = []
  /// Numbers over all feeds, each counted once.
  private(set) var totals = Totals()
  /// What became of each feed that was asked.
  private(set) var results: Results

  init(_ regions: [RegionFeeds]) {
    self.regions = regions
    var seen: Set<ManagedObjectID> = []
    feeds =
      regions.count == 1 ? regions[0].feeds : regions.flatMap(\.feeds).filter { seen.insert($0.id).inserted }
    totals.feeds = feeds.count
    results = Results(capacity: feeds.count)
  }

  /// Whether there is no feed to ask.
  var isEmpty: Bool { feeds.isEmpty }

  /// Notes a feed that is not asked.
  func skip(_ feed: FeedOutline, _ refusal: AskPolicy.Refusal) {
    refusals[feed.id] = refusal
    totals.skipped += 1
  }

  /// Notes a feed that cannot be asked, by a mistake of the configuration.
  func fail(_ feed: ManagedObjectID, _ mistake: String) {
    mistakes[feed] = mistake
    totals.failed += 1
  }

  /// Notes feeds that failed because no server at all could be reached.
  func note(unreachable: [ManagedObjectID: String]) {
    for (feed, cause) in unreachable where self.unreachable.updateValue(cause, forKey: feed) == nil {
      totals.failed += 1
    }
  }

  /// Notes what became of a feed.
  func note(_ result: FeedResult) {
    if results.insert(result) { Self.add(result, to: &totals) }
  }

  /// The numbers of a region.
  func totals(of region: RegionFeeds) -> Totals {
    var totals = Totals(feeds: region.feeds.count)
    for feed in region.feeds {
      if let result = results[feed.id] {
        Self.add(result, to: &totals)
      } else if refusals[feed.id] != nil {
        totals.skipped += 1
      } else if mistakes[feed.id] != nil || unreachable[feed.id] != nil {
        totals.failed += 1
      }
    }
    return totals
  }

  /// What is told of a feed's failures; nil for nothing.
  func news(of feed: ManagedObjectID) -> FailureMail.News? {
    guard let result = results[feed] else { return recoveredBefore.contains(feed) ? .recovered : nil }
    guard let mail else { return result.outcome == .failed ? .broken : nil }
    return mail.news(
      failures: result.outcome == .failed ? max(1, result.failures) : 0, wasTold: toldFailures.contains(feed),
      isGone: result.isGone)
  }

  /// The exit status for feeds that failed, as far as that is told: some, or all that were asked; nil when none did.
  var failureStatus: ExitStatus? {
    let isNewOutage = outage == .goesOn(isNew: true)
    let told =
      mail == nil
      ? totals.failed
      : mistakes.count + feeds.count { news(of: $0.id) == .broken } + (isNewOutage ? unreachable.count : 0)
    guard told + unsaved.count > 0 else { return nil }
    return totals.failed == totals.answered ? .unavailable : .someFeedsFailed
  }

  private static func add(_ result: FeedResult, to totals: inout Totals) {
    switch result.outcome {
    case .updated: totals.updated += 1
    case .unchanged: totals.unchanged += 1
    case .failed: totals.failed += 1
    }
    totals.inserted += result.inserted
    totals.edited += result.edited
  }
}
