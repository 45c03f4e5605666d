import Foundation
import ManagedContext
import NewsModel
import Threading
import WebAddress
import Sequences

/// One import for regions: the main context's part before, during and after a ``FeedImporter``'s polls.
@MainActor
final class RegionImport {
  let importer: FeedImporter
  private let main: MainContext
  let source: DataSource
  let selection: ImportSelection
  let began: Date
  private let claims: Claims
  private let pauses: ServerPauses
  /// The pauses that other runs have met, until this run receives them.
  private var newPauses = ServerPauses()
  /// The start of an outage that earlier runs met; nil without one.
  let outage: Date?
  var report: ImportReport
  /// The feeds from publishers that are not claimed yet.
  private var queue = PollQueue(WantedFeeds(), smallest: 1)
  /// The first requests, until the run takes them.
  private var first: FeedImporter.RequestPart?
  /// The feeds that their hosts will allow in a few seconds, with that time.
  private var soon: [(feed: Claims.Wanted, refusal: PollPolicy.Refusal, until: Date)] = []
  /// The time that the run may still spend waiting for hosts, in seconds.
  private var hostPatience = HostWait.patience
  /// The claimed feeds that have moved to another address.
  private(set) var moved: [ManagedObjectID] = []

  /// Runs the import. Without feeds it reads and saves nothing.
  static func run(
    _ feeds: ImportFeeds, in main: MainContext, by importer: FeedImporter, _ selection: ImportSelection
  ) async throws(StoreError) -> ImportReport {
    if feeds.count == 0 { return ImportReport(feeds) }
    return try await RegionImport(feeds, in: main, by: importer, selection).run()
  }

  private init(
    _ feeds: ImportFeeds, in main: MainContext, by importer: FeedImporter, _ selection: ImportSelection
  ) throws(StoreError) {
    self.importer = importer
    self.main = main
    self.selection = selection
    began = importer.options.now()
    source = DataSource(main.context)
    let paused = try source.pausedFeeds(at: began)
    pauses = ServerPauses(of: paused, try source.hostLimits(), at: began)
    claims = Claims(
      in: importer.root,
      pauses: Dictionary(paused.map { ($0.id, $0.notBefore ?? .distantPast) }) { first, _ in first })
    outage = try source.outage()?.began
    report = ImportReport(feeds)
    report.unusable = selection.unusable
  }

  private func run() async throws(StoreError) -> ImportReport {
    let count = try choose()
    first = try await nextPart()
    guard first != nil else {
      try await claims.releaseAll()
      try await claims.removeDead()
      return report
    }
    let records = Locked(ManagedObjectIDSet())
    let observation = main.notices.observe { changes in
      let saved = Self.records(in: changes)
      if !saved.isEmpty { records.withLock { $0.formUnion(saved) } }
    }
    defer { observation.cancel() }
    let newest = try source.newestNumber()
    await poll(count)
    // Their hosts would have allowed these feeds soon.
    leaveWaiting(soon.map { ($0.feed.feed, $0.refusal) })
    soon = []
    queue = PollQueue(WantedFeeds(), smallest: 1)
    do throws(StoreError) {
      try main.flush()
      for part in records.withLock({ $0 }).chunks(of: Self.part) {
        let own = FetchRequest(FetchRecord.self, where: .ids(part) && \.run == claims.run)
        report.add(try main.context.fetch(own))
      }
    } catch {
      report.failure = report.failure ?? .store(error)
      report.unreadCount = max(0, records.withLock { $0.count } - report.polled.count)
    }
    report.sortResults()
    await settleMoves()
    await settleOutage()
    await settleMarks(ofArticlesAfter: newest)
    return report
  }

  // MARK: Before the polls

  /// Queues the feeds that may be polled, and reports the rest.
  ///
  /// - Returns: The number of queued feeds.
  private func choose() throws(StoreError) -> Int {
    var wanted = WantedFeeds()
    var site: String?
    var isOneSite = true
    for part in report.feeds.parts {
      for feed in try source.schedules(part) where selection.unusable[feed.id] == nil {
        let address = feed.currentURL
        if let refusal = refusal(to: feed, at: address) {
          report.refusals.set(refusal, for: feed.id)
          continue
        }
        wanted.append(Claims.Wanted(feed.id, at: address))
        if isOneSite {
          let own = address.site
          isOneSite = own == site ?? own
          site = own
        }
        guard PollPolicy.isFromWrongClock(feed, at: began), let date = feed.scheduleDate else { continue }
        let known = report.wrongClock
        report.wrongClock = ((known?.feeds ?? 0) + 1, max(known?.latest ?? date, date))
      }
    }
    report.claimed = wanted.count
    importer.activity.begin(wanted.count, at: isOneSite ? site : nil)
    queue = pollQueue(wanted, patience: importer.options.patience)
    return wanted.count
  }

  /// Returns the reason not to poll a feed; nil if it may be polled.
  private func refusal(to feed: StoredRow<Feed>, at address: WebAddress) -> PollPolicy.Refusal? {
    if let refusal = PollPolicy.refusal(to: feed, at: began) { return refusal }
    switch pauses.refusal(of: address, at: began) {
    // Such a feed is taken when its host allows it.
    case .waiting(let wait)? where wait.isShort(at: began): break
    case let refusal?: return refusal
    case nil: break
    }
    if selection.failedOnly, !feed.hasFailed { return .notFailed }
    if selection.dueOnly, !PollPolicy.isDue(feed, at: began) {
      return .notDue(PollPolicy.nextPoll(of: feed, server: nil, at: began) ?? began)
    }
    return nil
  }

  /// Claims the next feeds' publishers, and reports the feeds that other runs poll.
  ///
  /// - Parameter isProbe: True for a few feeds from other publishers.
  /// - Returns: The next requests; nil at the end.
  private func nextPart(isProbe: Bool = false) async throws(StoreError) -> FeedImporter.RequestPart? {
    if let first = first.take() { return first }
    if isProbe { return try await part(queue.takeProbe()) }
    while !importer.isStopping {
      switch queue.next(at: .now, openPolls: claims.openPolls) {
      case .claim(let wanted):
        let part = try await part(wanted)
        guard !part.requests.isEmpty else { continue }
        importer.activity.noteWait(false)
        return part
      case .wait(let time):
        importer.activity.noteWait(true)
        await importer.options.wait(time)
      case .waitForPolls(let time): await importer.options.wait(time)
      case .end(let held):
        importer.activity.noteWait(false)
        leaveToOthers(held.map(\.feed))
        guard let time = takeSoon() else { return nil }
        importer.activity.noteWait(true)
        await importer.options.wait(.seconds(time))
        importer.activity.noteWait(false)
      }
    }
    return nil
  }

  /// Queues the feeds that their hosts will allow in a few seconds.
  ///
  /// - Returns: The time until then, in seconds; nil without such feeds.
  private func takeSoon() -> TimeInterval? {
    guard let first = soon.map(\.until).min() else { return nil }
    let time = max(first.timeIntervalSince(importer.options.now()), 0.1)
    hostPatience -= time
    queue = pollQueue(WantedFeeds(soon.map(\.feed)))
    soon = []
    return time
  }

  /// Claims feeds' publishers, and reports the feeds that other runs poll.
  private func part(_ wanted: [Claims.Wanted]) async throws(StoreError) -> FeedImporter.RequestPart {
    let part = try await claims.take(
      wanted, dueOnly: selection.dueOnly, since: began, at: importer.options.now()
    ) { [settings = selection.settings] request in
      guard let settings = settings[request.feed] else { return request }
      var request = request
      request.apply(settings)
      return request
    }
    newPauses.merge(part.pauses)
    queue.note(held: part.held, hasRequests: !part.requests.isEmpty)
    leaveToOthers(part.left)
    leave(part.waiting, of: wanted)
    guard !part.requests.isEmpty else { return FeedImporter.RequestPart([]) }
    note(part.requests)
    defer { newPauses = ServerPauses() }
    return FeedImporter.RequestPart(part.requests, pauses: newPauses)
  }

  /// Notes the facts that the report needs about feeds before their polls.
  private func note(_ requests: [FeedRequest]) {
    for request in requests {
      if request.isMoved { moved.append(request.feed) }
      if request.hasMove {
        report.earlierTargets[request.feed] = request.row.currentURL.hashValue
      }
      if selection.keepsFailures, request.failures > 0 {
        report.earlierFailures.set(request.failures, for: request.feed)
      }
    }
  }

  /// Reports feeds that other runs poll, or have polled.
  private func leaveToOthers(_ feeds: [ManagedObjectID]) {
    leaveWaiting(feeds.map { ($0, .claimed) })
  }

  /// Keeps feeds that their hosts allow in a few seconds, if the run has time, and reports the rest.
  private func leave(
    _ feeds: [(feed: ManagedObjectID, refusal: PollPolicy.Refusal)], of wanted: [Claims.Wanted]
  ) {
    guard !feeds.isEmpty else { return }
    let now = importer.options.now()
    let refusals = Dictionary(feeds) { first, _ in first }
    var later: [(feed: ManagedObjectID, refusal: PollPolicy.Refusal)] = []
    for feed in wanted {
      guard let refusal = refusals[feed.feed] else { continue }
      if case .waiting(let wait) = refusal, hostPatience > 0, wait.isShort(at: now) {
        soon.append((feed, refusal, wait.until))
      } else {
        later.append((feed.feed, refusal))
      }
    }
    leaveWaiting(later)
  }

  /// Reports feeds on hosts that do not allow more requests now.
  private func leaveWaiting(_ feeds: [(feed: ManagedObjectID, refusal: PollPolicy.Refusal)]) {
    guard !feeds.isEmpty else { return }
    for (feed, refusal) in feeds { report.refusals.set(refusal, for: feed) }
    report.claimed -= feeds.count
    importer.activity.leaveOut(feeds.count)
  }

  /// Reports the feeds that are not polled because no server can be reached: the queued feeds, and `others`.
  private func leaveUntilOnline(_ others: [ManagedObjectID]) {
    let known = report.refusals.count
    queue.forEachLeft { report.refusals.set(.offline, for: $0) }
    for feed in others { report.refusals.set(.offline, for: feed) }
    report.claimed -= report.refusals.count - known
    importer.activity.leaveOut(report.refusals.count - known)
  }

  // MARK: The polls

  /// Polls feeds while renewing their claims. Reports results that the log lacks.
  private func poll(_ count: Int) async {
    let countsUnreachable = outage.map { began.timeIntervalSince($0) > Self.longestOutage } ?? false
    let claims = claims
    await withTaskGroup { group in
      group.addTask { await claims.keep() }
      // Another run would poll during this run's unfinished requests.
      group.addTask { [importer] in await claims.watch { importer.withhold() } }
      do throws(ImportFailure) {
        var rest = count
        while rest > 0 {
          let end = try await importer.run(
            about: rest, pauses: pauses, claims: claims, countsUnreachable: countsUnreachable
          ) { (isProbe) async throws(StoreError) -> FeedImporter.RequestPart? in
            try await self.nextPart(isProbe: isProbe)
          }
          report.add(end)
          guard !end.isOffline else {
            leaveUntilOnline(end.withheld)
            break
          }
          // The claims may have expired. Feeds are polled now if no other run has claimed their publishers.
          if !end.withheld.isEmpty {
            // The run's life sign may be missing for a moment.
            await importer.options.wait(Self.pause)
            queue = try queued(end.withheld)
          }
          rest = end.withheld.count
        }
      } catch {
        report.failure = error
      }
      group.cancelAll()
    }
    // If the store fails here, the claims expire.
    try? await claims.releaseAll()
  }

  /// Returns the queue for feeds that were not polled because another run may have claimed their publishers.
  private func queued(_ withheld: [ManagedObjectID]) throws(ImportFailure) -> PollQueue {
    var wanted = WantedFeeds()
    try ImportFailure.ofStore { () throws(StoreError) in
      for part in withheld.sorted(by: { $0.key < $1.key }).chunks(of: Self.part) {
        for feed in try source.schedules(part) {
          wanted.append(Claims.Wanted(feed.id, at: feed.currentURL))
        }
      }
    }
    return pollQueue(wanted)
  }

  private func pollQueue(_ wanted: WantedFeeds, patience: Duration = .zero) -> PollQueue {
    let options = importer.options
    let first = options.window ?? options.jobs
    // Later parts only fill the slots, and replace the publishers whose feeds are done.
    return PollQueue(
      wanted, first: first, smallest: first / 4, largest: ImportOptions.largestPart,
      perPublisher: options.perHost, patience: patience)
  }

  /// The time before withheld feeds are claimed again.
  private static let pause = Duration.milliseconds(250)
  /// The number of feeds or records that are read together.
  private static let part = 1000

  /// Returns the fetch-log records among saved objects.
  private nonisolated static func records(in changes: ContextChanges) -> ManagedObjectIDSet {
    var records = changes.inserted.ids(of: NewsModel.Place.fetchRecord)
    for id in changes.updated.keys where id.entity == NewsModel.Place.fetchRecord { records.insert(id) }
    return records
  }

  /// The seconds without any reachable server after which failures count again: the network is not the cause.
  private static let longestOutage: TimeInterval = 86400
}
