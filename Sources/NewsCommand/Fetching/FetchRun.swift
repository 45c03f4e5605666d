import FeedImport
import Foundation
import ManagedContext
import NewsModel
import Threading
import WebAddress
import TextOutput

/// One `fetch`: reads the regions in the main context, runs the importer, and prints what the main context merged.
@MainActor
final class FetchRun {
  private let command: FetchCommand
  private let stack: NewsStack
  private let configuration: LoadedConfiguration
  private let options: ImportOptions
  private let report: FetchReport
  private let progress: Progress
  /// Answers that the store has and the main context has not merged yet.
  private let answers = Locked<[FeedResult]>([])

  init(_ command: FetchCommand) throws {
    self.command = command
    configuration = try command.configurationOptions.load()
    options = configuration.importOptions(command)
    let stack =
      if let name = command.regions.first {
        try NewsStack.existing(command.storeOptions, forRegion: name)
      } else {
        try NewsStack(command.storeOptions)
      }
    self.stack = stack
    let names =
      try command.regions.isEmpty ? stack.reading { try stack.source.regions().map(\.name) } : command.regions
    var regions: [FetchReport.RegionFeeds] = []
    var seen: Set<ManagedObjectID> = []
    for name in names {
      let region = try stack.region(named: name)
      guard seen.insert(region.id).inserted else { continue }
      regions.append(
        .init(name: name, feeds: try stack.reading { try stack.source.feedOutlines(of: region) }))
    }
    report = FetchReport(regions)
    report.mail = command.mailAfter.map(FailureMail.init(after:))
    progress = Progress(isShown: Style.canRedraw(.error) && !command.quiet && !command.json)
  }

  func run() async throws {
    let began = Date()
    do {
      try await fetch(at: began)
    } catch let failure as CommandFailure {
      try end(with: failure) { try writeMetrics(since: began, status: $0) }
    }
    try writeMetrics(since: began, status: 0)
  }

  /// What progress calls a feed: its host; where that is the same for all, what stands behind it.
  private static func place(of feed: FeedOutline, amongHosts count: Int) -> String {
    let origin = feed.currentURL.site
    let address = feed.currentURL.withoutPassword
    if count == 1, address.hasPrefix(origin) { return String(address.dropFirst(origin.count)) }
    return String(origin.trimmingPrefix(#/https?:\/\//#))
  }

  private func writeMetrics(since began: Date, status: Int32) throws {
    guard let path = command.metrics else { return }
    let now = Date()
    let reader = StatisticsReader(stack.store, by: .region, of: nil, at: now, days: 1)
    let metrics = FetchMetrics(
      totals: report.totals, bytes: report.feeds.reduce(0) { $0 + (report.results[$1.id]?.bytes ?? 0) },
      began: began, ended: now, status: status, regions: (try? reader.statistics()) ?? [])
    do {
      try metrics.write(to: path)
    } catch let failure as CommandFailure {
      throw CommandFailure(failure.status, "\(failure.message ?? path); what was fetched is saved")
    }
  }

  private func fetch(at began: Date) async throws {
    guard !report.isEmpty else {
      if !command.quiet { Output.error.tell(try nothingToFetch()) }
      return
    }
    let configured = try ConfiguredFeeds(configuration, report.feeds, stack)
    for (feed, cause) in configured.unusable { report.fail(feed, cause) }
    let asking = try FetchSelection(report, stack, now: began)
    let requests = configured.applied(to: try await asking.requests(dueOnly: command.due))
    for request in requests where request.failures > 0 {
      report.failuresBefore[request.feed] = request.failures
    }
    stack.main.mergeInterval = progress.isShown ? 0.1 : 1
    stack.main.didMerge = { [weak self] _ in self?.noteAnswers() }
    let hosts = progress.isShown ? Set(report.feeds.map { $0.currentURL.site }) : []
    progress.begin(total: requests.count) { [report] id in
      report.feeds.first { $0.id == id }.map { Self.place(of: $0, amongHosts: hosts.count) }
    }

    var options = options
    let outage = try stack.reading { try stack.source.outage()?.began }
    options.countsUnreachable = outage.map { began.timeIntervalSince($0) > Self.longestOutage } ?? false
    let claims = asking.claims
    let underWay = progress.isShown ? progress.underWay : nil
    options.mayAsk = { feed, date in
      let mayAsk = claims.hold(feed, at: date)
      if mayAsk { underWay?.begin(feed, at: date) }
      return mayAsk
    }
    options.didEndTransfer = { underWay?.end($0) }
    let importer = FeedImporter(root: stack.root, options: options)
    let signals = SignalWatch { importer.stop() }
    let keeping = Task { await claims.keep { await self.unanswered(requests) } }
    let failure = await outcome(of: importer, requests, asking)
    keeping.cancel()
    // The task owns this object, and with it the store, which is closed when its last owner is gone.
    await keeping.value
    await asking.releaseClaims(of: unanswered(requests))
    await settleMoves(of: requests)
    await settleMail()
    await settleOutage(since: outage, at: began)
    let storeFailure = finishStore()
    progress.end()
    let printer = FetchPrinter(report: report, command: command)
    printer.printResults()
    if requests.isEmpty { printer.printNextAsk(at: began) }
    let failed = failure ?? storeFailure
    // Who stops a run does not want to know that it then could not wait for somebody's lock.
    if let failed, signals.status == nil || failed.status != .busy { throw failed }
    if let status = signals.status {
      let asked = requests.count { report.refusals[$0.feed] == nil }
      let done = requests.count { report.results[$0.feed] != nil }
      let remaining = asked - done
      // The last ones were saved while it was stopped.
      if remaining == 0 {
        throw CommandFailure(status, "stopped: \(counted(asked, "feed")) done, nothing remains")
      }
      throw CommandFailure(
        status,
        "stopped: \(grouped(done)) of \(counted(asked, "feed")) done, \(grouped(remaining)) "
          + "\(remaining == 1 ? "remains" : "remain"); what was saved is kept, the next fetch goes on")
    }
    if command.summary { try printSummary() }
    if let status = report.failureStatus { throw CommandFailure(status) }
  }

  private func nothingToFetch() throws -> String {
    guard command.regions.isEmpty else { return "nothing to fetch.   the region has no feeds yet\n" }
    let regionless = try stack.reading { try stack.source.regionlessCount() }
    return "nothing to fetch\(regionless > 0 ? ": " : "")\(regionlessWords(regionless))"
  }

  private func printSummary() throws {
    let summary = FetchSummary(
      regions: command.regions.isEmpty ? nil : report.regions.map(\.name), isJSON: command.json)
    do throws(StoreError) {
      try summary.print(of: stack.store, at: Date())
    } catch {
      throw CommandFailure(error, store: stack.path)
    }
  }

  private func outcome(
    of importer: FeedImporter, _ requests: [FeedRequest], _ asking: FetchSelection
  ) async -> CommandFailure? {
    do throws(FeedImporter.Failure) {
      let answers = answers
      var waiting = requests
      while !waiting.isEmpty {
        let end = try await importer.run(waiting, pauses: asking.pauses) { result in
          answers.withLock { $0.append(result) }
        }
        report.unsaved += end.unsaved
        report.note(unreachable: end.unreachable)
        report.isReached = report.isReached || end.isReached
        report.removed.formUnion(end.removed)
        for feed in report.feeds {
          if let refusal = end.notAsked[feed.id] { report.skip(feed, refusal) }
          if end.overtaken.contains(feed.id) { report.skip(feed, .claimed) }
        }
        waiting = await asking.reclaimed(waiting, end.withheld)
      }
      return nil
    } catch {
      switch error {
      case .store(let error): return CommandFailure(error, store: stack.path)
      case .download(let cause): return CommandFailure(.inputOutput, "cannot download: \(cause)")
      }
    }
  }

  /// The feeds whose answers the store does not have.
  private func unanswered(_ requests: [FeedRequest]) -> [ManagedObjectID] {
    let waiting = Set(answers.withLock { $0 }.map(\.feed))
    return requests.map(\.feed).filter { report.results[$0] == nil && !waiting.contains($0) }
  }

  /// Gives feeds the addresses that they have moved to, where these have proved good. What fails here is done by
  /// the next fetch.
  private func settleMoves(of requests: [FeedRequest]) async {
    guard requests.contains(where: \.isMoved) else { return }
    let context = BackgroundContext(parent: stack.root, name: "moves", mergePolicy: .objectTrumps)
    let now = Date()
    do throws(StoreError) {
      // A feed with a table in the configuration would lose it with its address.
      let kept = Set(
        report.feeds.filter { configuration.configuration.table(ofFeed: $0.url) != nil }.map(\.id))
      let ids = requests.filter(\.isMoved).map(\.feed).filter { !kept.contains($0) }
      let proven = try await context.perform { (context) throws(StoreError) in
        try context.fetch(FetchRequest(Feed.self, where: .ids(ids))).filter {
          FeedMoves.isProven($0, at: now)
        }.map(\.id)
      }
      report.moves = try await FeedMoves.settle(proven, in: context)
    } catch {
      return
    }
  }

  /// Finds out of which failures is to be told, and keeps that it was told. Where that cannot be kept, the next run tells it
  /// again.
  private func settleMail() async {
    guard report.mail != nil else { return }
    let context = BackgroundContext(parent: stack.root, name: "mail", mergePolicy: .storeTrumps)
    do throws(StoreError) {
      try stack.main.flush()
      noteAnswers()
      let failing = Set(report.feeds.map(\.id).filter { report.results[$0]?.outcome == .failed })
      let idle = Set(report.feeds.map(\.id).filter { report.results[$0] == nil })
      let known = try await context.perform { (context) throws(StoreError) in
        try ToldFailure.known(failing: failing, idle: idle, in: context)
      }
      (report.toldFailures, report.recoveredBefore) = (known.told, known.recovered)
      // A feed that ended is told of each time, so that who adds it again begins anew.
      let news = report.feeds.map { ($0.id, report.news(of: $0.id), report.results[$0.id]?.isGone == true) }
      let broken = news.filter { $0.1 == .broken && !$0.2 }.map(\.0)
      let over = news.filter { $0.1 == .recovered || $0.2 }.map(\.0)
      guard !broken.isEmpty || !over.isEmpty else { return }
      let now = Date()
      try await context.perform { (context) throws(StoreError) in
        try ToldFailure.note(broken, at: now, in: context)
        try context.deleteAll(ToldFailure.self, where: .among(\.feed, over))
      }
      try await context.save()
    } catch {
      return
    }
  }

  /// Keeps whether servers can be reached at all. Where that cannot be kept, the next run reports it again.
  private func settleOutage(since began: Date?, at now: Date) async {
    let isOutage = !report.unreachable.isEmpty
    guard isOutage || (began != nil && report.isReached) else { return }
    report.outage = isOutage ? .goesOn(isNew: began == nil) : began.map { .over(since: $0) }
    let context = BackgroundContext(parent: stack.root, name: "outage", mergePolicy: .storeTrumps)
    do throws(StoreError) {
      try await context.perform { (context) throws(StoreError) in
        if !isOutage {
          try context.deleteAll(Outage.self, where: .constant(true))
        } else if try DataSource(context).outage() == nil {
          context.insert(Outage.self).began = now
        }
      }
      try await context.save()
    } catch {
      return
    }
  }

  /// After so many seconds without any server that can be reached it is not the network that is down.
  private static let longestOutage: TimeInterval = 86400

  /// Lets the root commit the rest, and merges it.
  private func finishStore() -> CommandFailure? {
    stack.root.close()
    do throws(StoreError) {
      try stack.main.flush()
      noteAnswers()
      return nil
    } catch {
      return CommandFailure(error, store: stack.path)
    }
  }

  /// The main context has merged what the workers saved: their answers may be shown.
  private func noteAnswers() {
    let merged = answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for result in merged { report.note(result) }
    progress.show(report.totals)
  }
}
