import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import Sequences
import TextOutput

/// What `doctor` finds in feeds. They are read in parts, because a feed takes 2 KB as an object.
@MainActor
struct FeedExamination {
  private(set) var findings: [FeedFinding] = []
  private var pauses: [(feed: ManagedObjectID, until: Date)] = []
  private var failing: [ManagedObjectID] = []
  /// The number of feeds that were never polled, so that their state is unknown.
  private var neverPolled = 0
  private let stack: NewsStack
  private let loaded: LoadedConfiguration

  /// - Parameter isOfAll: False for the feeds of named regions, which restrict the answer to them.
  /// - Throws: ``CommandFailure`` from the store or the configuration.
  init(
    of feeds: [ManagedObjectID], isOfAll: Bool, _ loaded: LoadedConfiguration, in stack: NewsStack
  ) throws {
    (self.stack, self.loaded) = (stack, loaded)
    let unassigned = isOfAll ? Set(try stack.reading { try stack.source.regionlessFeeds() }) : []
    var candidates = FeedDuplicates.Candidates()
    for part in feeds.chunks(of: 1000) {
      let feeds = try stack.reading { try stack.source.feeds(part) }
      for feed in feeds { candidates.note(feed) }
      try examine(feeds, unassigned)
    }
    let similar = try stack.reading { try stack.source.feeds(candidates.ids) }
    findings += try FeedDuplicates.pairs(among: similar) { feeds in
      try stack.reading { try stack.source.feedsWithArticles(among: feeds) }
    }.map { FeedFinding($0, hasTable: loaded.configuration.table(ofFeed: $0.feed.url) != nil) }
    findings += try volatile(among: feeds)
  }

  /// Adds the findings and warning signs of some feeds.
  private mutating func examine(_ feeds: [Feed], _ unassigned: Set<ManagedObjectID>) throws {
    let configured = try ConfiguredFeeds(feeds, loaded, stack)
    let (bound, configurationErrors) = try (configured.boundElsewhere(), configured.selection().unusable)
    let broken = try stack.reading {
      try stack.source.brokenSince(feeds.filter { FeedProblem.dependsOnLog($0) })
    }
    let now = stack.now
    for feed in feeds {
      let problem = FeedProblem(
        of: feed, isUnassigned: unassigned.contains(feed.id), at: now, brokenSince: broken[feed.id])
      findings += FeedFinding.all(
        of: feed, problem, isBound: bound.contains(feed.id) || feed.isMoveForeign,
        hasTable: loaded.configuration.table(ofFeed: feed.url) != nil,
        configurationError: configurationErrors[feed.id], at: now)
      if case .notBefore(let date) = PollPolicy.refusal(to: feed, at: now) {
        pauses.append((feed.id, date))
      } else if feed.failures > 0 {
        failing.append(feed.id)
      }
      if feed.lastOutcome == nil && feed.notBefore == nil && !feed.isFromFiles { neverPolled += 1 }
    }
  }

  /// Returns the volatile feeds: their servers change article fields with each fetch. Fields that the
  /// configuration names do not count.
  private func volatile(among ids: [ManagedObjectID]) throws -> [FeedFinding] {
    let found = try stack.reading { try VolatileFields.all(stack.store.statistics) }
    guard !found.isEmpty else { return [] }
    let keys = Set(found.map(\.feed))
    let feeds = try stack.reading { try stack.source.feeds(ids.filter { keys.contains($0.key) }) }
    let named = try ConfiguredFeeds(feeds, loaded, stack).volatileFields()
    let byKey = Dictionary(feeds.map { ($0.id.key, $0) }, uniquingKeysWith: { first, _ in first })
    return found.compactMap { fields in
      guard let feed = byKey[fields.feed] else { return nil }
      let names = fields.names.filter { name in
        Article.volatileNames.contains(name) && named[feed.id]?.contains(name) != true
      }
      guard !names.isEmpty else { return nil }
      return FeedFinding(
        fields, names, of: feed, hasTable: loaded.configuration.table(ofFeed: feed.url) != nil)
    }
  }

  /// The warning signs in feeds without a finding; empty for none.
  var problems: [String] {
    let found = Set(findings.map(\.id))
    let dates = pauses.filter { !found.contains($0.feed) }.map(\.until)
    var problems: [String] = []
    if let last = dates.max() {
      let verb = dates.count == 1 ? "pauses" : "pause"
      problems.append(
        "\(counted(dates.count, "feed")) \(verb) until \(localMinute(last))\(dates.count == 1 ? "" : " at most")"
      )
    }
    let failing = failing.count { !found.contains($0) }
    if failing > 0 {
      problems.append("\(counted(failing, "feed")) failed when last fetched (newsimport feed list --failing)")
    }
    if findings.isEmpty, neverPolled > 0 {
      let verb = neverPolled == 1 ? "was" : "were"
      problems.append("\(counted(neverPolled, "feed")) \(verb) never polled (newsimport fetch --due)")
    }
    return problems
  }
}
