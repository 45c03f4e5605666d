import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import Sequences

/// The data that `fetch` prints: an import's results, and the failures to report. Feeds and their results are
/// objects in the main context, loaded in parts and not kept.
@MainActor
struct FetchReport {
  /// A feed in the import, as it is printed.
  struct PolledFeed {
    let id: ManagedObjectID
    /// Its address before the import.
    let url: WebAddress
    /// The feed as it is now; nil if it was removed, or merged with another one.
    let now: Feed?
    let ending: ImportReport.Ending?
    /// The poll's result; nil if the feed was not polled.
    let result: FetchRecord?
  }

  let results: ImportReport
  /// The rules that select the failures to report; nil to report all.
  private let mail: FailureMail?
  private let context: ManagedObjectContext
  /// True if the fetch is not limited to due feeds.
  private let isByHand: Bool
  /// With ``mail``, the feeds that are reported as failing now, in import order.
  private(set) var mailed: [ManagedObjectID] = []
  /// With ``mail``, the polled feeds that work again after a reported failure, in import order.
  private(set) var recovered: [ManagedObjectID] = []
  /// With ``mail``, feeds in the run's regions that this run did not poll, and that recovered in a run
  /// without a report.
  private(set) var recoveredBefore: [Feed] = []

  /// Determines which failures are reported now, and records that.
  ///
  /// If the store fails, the next run reports the failures again.
  init(_ results: ImportReport, _ command: FetchCommand, _ stack: NewsStack) async {
    self.results = results
    context = stack.source.context
    mail = command.failuresToReport.map(FailureMail.init(after:))
    isByHand = !command.due
    if let mail { try? await settle(mail, in: stack) }
  }

  /// True if only some failures are reported.
  var isMail: Bool { mail != nil }

  // MARK: Feeds

  /// Calls a closure with feeds in the import. A feed that another process removed is left out if its address
  /// is not known.
  func forEach(
    _ feeds: some Sequence<ManagedObjectID>, _ body: (PolledFeed) throws -> Void
  ) throws {
    for part in feeds.chunks(of: Self.part) {
      let present = try load(Feed.self, part)
      let records = try load(FetchRecord.self, part.compactMap(results.polled.record(of:)))
      for id in part {
        let now = present[id]
        guard let url = results.formerAddresses[id] ?? now?.url ?? results.removed[id] else { continue }
        let result = results.polled.record(of: id).flatMap { records[$0] }
        try body(PolledFeed(id: id, url: url, now: now, ending: results.ending(of: id), result: result))
      }
    }
  }

  /// The number of feeds that are loaded together.
  private static let part = 500

  /// Returns the existing objects among IDs.
  private func load<Object: Entity>(
    _ type: Object.Type, _ ids: [ManagedObjectID]
  ) throws(StoreError) -> [ManagedObjectID: Object] {
    guard !ids.isEmpty else { return [:] }
    let objects = try context.fetch(FetchRequest(type, where: .ids(ids)))
    return Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The feeds in the import with an outcome, in import order.
  func feeds(_ outcome: FetchOutcome) -> some Sequence<ManagedObjectID> {
    results.feeds.all.lazy.filter { results.polled[$0] == outcome }
  }

  // MARK: Failures

  /// True if a fetch by hand lacks a feed because its host refused the request. Refusals do not count while
  /// feeds wait for their turns, because their hosts will answer soon.
  private var lacksRefused: Bool {
    guard isByHand, !isMail else { return false }
    let isWaiting = results.refusals.values.contains { if case .waiting = $0 { true } else { false } }
    return !isWaiting && results.polled.feeds.contains { results.polled[$0] == .refused }
  }

  /// The exit status for reported failures: some feeds failed, or all polled ones; nil without failures.
  var failureStatus: ExitStatus? {
    let totals = results.totals
    let isNewOutage = results.outage == .continues(isNew: true)
    let reported =
      isMail
      ? results.unusable.count + mailed.count + (isNewOutage ? results.unreachable.count : 0) : totals.failed
    guard reported + results.unsaved.count > 0 else { return lacksRefused ? .someFeedsFailed : nil }
    return totals.failed == totals.answered ? .unavailable : .someFeedsFailed
  }

  /// Determines the failures to report, and records that they were reported.
  private mutating func settle(_ mail: FailureMail, in stack: NewsStack) async throws(StoreError) {
    let context = BackgroundContext(parent: stack.root, name: "mail", mergePolicy: .storeTrumps)
    let polled = results.polled
    let known = try await context.perform { (context) throws(StoreError) in
      try ReportedFailure.known(
        isFailing: { polled[$0] == .failed }, isPolled: { polled[$0] != nil }, in: context)
    }
    recoveredBefore = try inRegions(known.recovered, stack.source)
    var ended: [ManagedObjectID] = []
    for part in feeds(.failed).chunks(of: Self.part) {
      let present = try load(Feed.self, part)
      for feed in part {
        let isGone = present[feed]?.isGone410 ?? false
        let failures = max(1, present[feed]?.failures ?? 1)
        let wasReported = known.reported.contains(feed)
        guard mail.news(failures: failures, wasReported: wasReported, isGone: isGone) == .broken else {
          continue
        }
        mailed.append(feed)
        if isGone { ended.append(feed) }
      }
    }
    let worksAgain = known.reported.filter { polled[$0]?.isSuccess == true }
    if !worksAgain.isEmpty { recovered = results.feeds.all.filter(worksAgain.contains) }
    // A feed's end is reported each time: a feed that is added again begins without a report.
    let gone = Set(ended)
    let broken = mailed.filter { !gone.contains($0) }
    let over = recovered + ended + recoveredBefore.map(\.id)
    guard !broken.isEmpty || !over.isEmpty else { return }
    let now = Date()
    try await context.perform { (context) throws(StoreError) in
      try ReportedFailure.note(broken, at: now, in: context)
      try context.deleteAll(ReportedFailure.self, where: .among(\.feed, over))
    }
    try await context.save()
  }

  /// Returns the feeds that are in the run's regions.
  private func inRegions(
    _ feeds: Set<ManagedObjectID>, _ source: DataSource
  ) throws(StoreError) -> [Feed] {
    guard !feeds.isEmpty else { return [] }
    let regions = Set(results.feeds.regions.map(\.name))
    let places = try source.regionNames(of: Array(feeds))
    return try context.fetch(FetchRequest(Feed.self, where: .ids(Array(feeds)))).filter { feed in
      places[feed.id]?.contains(where: regions.contains) ?? false
    }
  }
}
