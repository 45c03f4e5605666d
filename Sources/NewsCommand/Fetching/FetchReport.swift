import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// The data that `fetch` prints: the results of an import, the feeds as they are now, and the failures to
/// report.
@MainActor
struct FetchReport {
  let results: ImportReport
  /// The feeds after the import, of those that are printed with details.
  private(set) var feedsNow: [ManagedObjectID: FeedOutline] = [:]
  /// The titles of the feeds that are printed as JSON; a feed without one is left out.
  private(set) var titles: [ManagedObjectID: String] = [:]
  /// The rules that select the failures to report; nil to report all.
  private let mail: FailureMail?
  /// The feeds with failures that were reported before this run.
  private var reportedFailures: Set<ManagedObjectID> = []
  /// The feeds of the regions among them that this run did not poll, and that worked in a run without a report.
  private(set) var recoveredBefore: [FeedOutline] = []

  /// Reads the feeds in the main context, and records which failures are reported now.
  ///
  /// If the store fails, details are missing, and the next run reports the failures again.
  init(_ results: ImportReport, _ command: FetchCommand, _ stack: NewsStack) async {
    self.results = results
    mail = command.mailAfter.map(FailureMail.init(after:))
    let isDetailed = command.json || command.verbose || Output.standard.isTerminal
    let shown = results.results.values.filter { isDetailed || $0.outcome == .failed }.map(\.feed)
    let outlines = (try? stack.source.feedOutlines(shown)) ?? []
    feedsNow = Dictionary(uniqueKeysWithValues: outlines.map { ($0.id, $0) })
    if command.json { titles = (try? stack.source.titles(of: results.feeds.map(\.id))) ?? [:] }
    if mail != nil { try? await settleMail(in: stack) }
  }

  /// True if only some failures are reported.
  var isMail: Bool { mail != nil }

  /// The number of consecutive failures of a feed, this run included.
  func failures(of feed: ManagedObjectID) -> Int {
    guard results.results[feed]?.outcome == .failed else { return 0 }
    return max(1, feedsNow[feed]?.failures ?? 1)
  }

  /// Returns the report about a feed's failures; nil for no report.
  func news(of feed: ManagedObjectID) -> FailureMail.News? {
    guard let result = results.results[feed] else { return nil }
    guard let mail else { return result.outcome == .failed ? .broken : nil }
    return mail.news(
      failures: failures(of: feed), wasReported: reportedFailures.contains(feed),
      isGone: feedsNow[feed]?.isGone410 ?? false)
  }

  /// The exit status for the failures that are reported: some feeds failed, or all that were polled; nil if none did.
  var failureStatus: ExitStatus? {
    let totals = results.totals
    let isNewOutage = results.outage == .continues(isNew: true)
    let reported =
      mail == nil
      ? totals.failed
      : results.unusable.count + results.feeds.count { news(of: $0.id) == .broken }
        + (isNewOutage ? results.unreachable.count : 0)
    guard reported + results.unsaved.count > 0 else { return nil }
    return totals.failed == totals.answered ? .unavailable : .someFeedsFailed
  }

  /// Determines the failures to report, and records that they were reported.
  private mutating func settleMail(in stack: NewsStack) async throws(StoreError) {
    let context = BackgroundContext(parent: stack.root, name: "mail", mergePolicy: .storeTrumps)
    let all = results.feeds.map(\.id)
    let failing = Set(all.filter { results.results[$0]?.outcome == .failed })
    let polled = Set(results.results.keys)
    let known = try await context.perform { (context) throws(StoreError) in
      try ReportedFailure.known(failing: failing, polled: polled, in: context)
    }
    reportedFailures = known.reported
    recoveredBefore = try feeds(known.recovered, in: stack.source)
    // The end of a feed is reported each time: a feed that is added again begins without a report.
    let news = all.map { ($0, self.news(of: $0), feedsNow[$0]?.isGone410 == true) }
    let broken = news.filter { $0.1 == .broken && !$0.2 }.map(\.0)
    let over = news.filter { $0.1 == .recovered || $0.2 }.map(\.0) + recoveredBefore.map(\.id)
    guard !broken.isEmpty || !over.isEmpty else { return }
    let now = Date()
    try await context.perform { (context) throws(StoreError) in
      try ReportedFailure.note(broken, at: now, in: context)
      try context.deleteAll(ReportedFailure.self, where: .among(\.feed, over))
    }
    try await context.save()
  }

  /// Returns those of some feeds that are in the regions of the run.
  private func feeds(
    _ feeds: Set<ManagedObjectID>, in source: DataSource
  ) throws(StoreError) -> [FeedOutline] {
    guard !feeds.isEmpty else { return [] }
    let regions = Set(results.regions.map(\.name))
    let places = try source.regionNames(of: Array(feeds))
    return try source.feedOutlines(Array(feeds)).filter { feed in
      places[feed.id]?.contains(where: regions.contains) ?? false
    }
  }
}
