import ArticleHooks
import FeedImport
import Foundation
import Glibc
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// A `fetch` run: imports regions, and prints the results that the main context has merged.
@MainActor
final class FetchRun {
  private let command: FetchCommand
  private let stack: NewsStack
  private let configuration: LoadedConfiguration
  private let regions: [ManagedObjectID]
  private let progress: Progress
  /// Nil if the configuration has no hooks.
  private let hooks: HookRunner?
  /// The start by the store's clock, because it is compared with dates in the store.
  private let began: Date
  /// The results; nil until the import ends.
  private var report: ImportReport?

  /// Opens the store and finds the regions.
  init(_ command: FetchCommand) throws {
    self.command = command
    configuration = try command.configurationOptions.load()
    let stack = try NewsStack.needed(command.storeOptions, region: command.regions.first)
    self.stack = stack
    began = stack.now
    regions =
      try command.regions.isEmpty
      ? stack.reading { try stack.source.regions().map(\.id) }
      : command.regions.map { try stack.region(named: $0).id }
    hooks = HookRunner(configuration, stack)
    progress = Progress(isShown: Style.canRedraw(.error) && !command.quiet && !command.json)
  }

  func run() async throws {
    do {
      try await hooks?.prepare()
      try await hooks?.keepWaiting()
      let ofFeeds = try await fetch()
      let ofHooks =
        command.noHooks ? nil : try await hooks?.run(reporting: command.failuresToReport)
      stack.root.close()
      if let status = ofFeeds ?? ofHooks { throw CommandFailure(status) }
    } catch let failure as CommandFailure {
      try FetchMetrics.end(failure, writing: writeMetrics)
    }
    try writeMetrics(status: 0)
  }

  /// Imports the regions and prints the results.
  ///
  /// - Returns: The exit status for failed feeds; nil without any.
  private func fetch() async throws -> ExitStatus? {
    var options = configuration.importOptions(command.settings)
    // A cron run need not wait: the next run fetches the feeds that it leaves to others.
    if !command.due { options.patience = ImportOptions.usualPatience }
    // With --verbose, each feed that is not due is also printed.
    let isDueOnly = command.due && !command.verbose
    let feeds = try stack.reading {
      try ImportFeeds(of: regions, dueAt: isDueOnly ? began : nil, in: stack.main.context)
    }
    if feeds.count > 0 {
      let lastRun = try stack.reading { try stack.source.fetchers() }.map(\.polled).max()
      options.runInterval = lastRun.map { max(0, began.timeIntervalSince($0)) }
      options.waiting = try HookBacklog(of: stack) { configuration }
    }
    let importer = FeedImporter(root: stack.root, options: options)
    var selection = try ImportSelection(of: feeds, configuration, stack)
    selection.dueOnly = command.due
    selection.failedOnly = command.failed
    selection.keepsFailures = command.failuresToReport != nil
    let signals = SignalWatch { [ending = hooks?.ending] in
      importer.stop()
      ending?.stop()
    }
    hooks?.signals = signals
    let report = try await importNews(of: feeds, by: importer, selection)
    let details = await FetchReport(report, command, stack)
    if !report.polled.isEmpty { await noteRun(report) }
    // The results are printed even if the deletion fails.
    let deletion: Result<PruneReport?, any Error>
    do {
      let isRunning = report.failure == nil && signals.status == nil
      deletion = .success(
        isRunning
          ? try await DailyRetention(configuration: configuration, stack: stack, now: began)
            .run { signals.status != nil } : nil)
    } catch {
      deletion = .failure(error)
    }
    guard !feeds.isEmpty else {
      if !command.quiet { Output.error.print(try nothingToFetch()) }
      if let deleted = try deletion.get() {
        FetchPrinter(report: details, command: command).printRetention(deleted)
      }
      return nil
    }
    if hooks == nil { stack.root.close() }
    let printer = FetchPrinter(report: details, command: command)
    let printing = Result {
      try stack.reading {
        try printer.printResults()
        if report.claimed == 0 { try printer.printNextPoll(at: began) }
      }
    }
    let failure = report.failure.map { CommandFailure($0, store: stack.location) }
    // After a user stops a run, a busy store or server is not worth reporting.
    if let status = signals.status, failure.map({ $0.status == .busy }) ?? true {
      if failure == nil { try printing.get() }
      throw CommandFailure(status, Self.stopped(report))
    }
    if let failure {
      throw CommandFailure(failure.status, failure.message.map { $0 + Self.unread(report) })
    }
    try printing.get()
    if let deleted = try deletion.get() { printer.printRetention(deleted) }
    return details.failureStatus
  }

  /// Adds the run to the store's counters, and records this machine's configuration, which `doctor` compares
  /// with other machines. If the store cannot be written, the run is not counted, and the next run records the
  /// configuration.
  private func noteRun(_ report: ImportReport) async {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return }
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (hash, began) = (configuration.hash, began)
    try? await stack.change {
      try stack.source.noteFetcher(host, settings: hash, from: began, to: stack.now)
      try stack.source.add(report.counted)
    }
  }

  /// Imports the regions while progress is shown.
  private func importNews(
    of feeds: ImportFeeds, by importer: FeedImporter, _ selection: ImportSelection
  ) async throws -> ImportReport {
    stack.main.mergeInterval = progress.isShown ? 0.1 : 1
    if progress.isShown { stack.main.didMerge = { [progress] in progress.add($0) } }
    progress.observe(importer.activity)
    defer { progress.end() }
    do throws(ImportFailure) {
      let report = try await importer.importNews(of: feeds, in: stack.main, selection: selection)
      self.report = report
      return report
    } catch {
      throw CommandFailure(error, store: stack.location)
    }
  }

  private func nothingToFetch() throws -> String {
    guard command.regions.isEmpty else {
      let hasFiles = try stack.reading {
        try regions.contains { id in
          try !stack.source.feedIDs(of: stack.main.context.existingObject(Region.self, with: id)).isEmpty
        }
      }
      return hasFiles
        ? "nothing to fetch: the articles of all feeds come from files\n"
        : "nothing to fetch: the region has no feeds yet\n"
    }
    let regionless = try stack.reading { try stack.source.regionlessCount() }
    return "nothing to fetch\(regionless > 0 ? ": " : "")\(regionlessText(regionless))"
  }

  /// The end of a failed run's message: the feeds that are saved, but not in the printed results.
  private static func unread(_ report: ImportReport) -> String {
    guard report.unreadCount > 0 else { return "" }
    return "; \(counted(report.unreadCount, "polled feed")) \(report.unreadCount == 1 ? "is" : "are") saved"
  }

  /// The message for a run that a signal stopped.
  private static func stopped(_ report: ImportReport) -> String {
    let polled = report.feeds.count - report.refusals.count - report.unusable.count
    let done = report.polled.count + report.unreadCount
    let remaining = polled - done
    // The last results were saved while the run stopped.
    guard remaining > 0 else { return "stopped: \(counted(polled, "feed")) done, nothing remains" }
    return "stopped: \(grouped(done)) of \(counted(polled, "feed")) done, \(grouped(remaining)) "
      + "\(remaining == 1 ? "remains" : "remain"); all saved results are kept, and the next fetch continues"
  }

  /// Returns the totals over all feeds in the regions, each counted once. Unread feeds are counted only if
  /// the store can still be read.
  private func totals(of report: ImportReport) -> ImportReport.Totals {
    guard report.feeds.regions.contains(where: { $0.notDue > 0 }),
      let feeds = try? stack.source.feedCount(of: regions)
    else { return report.totals }
    var totals = report.totals
    totals.skipped += max(0, feeds - totals.feeds)
    totals.feeds = max(feeds, totals.feeds)
    return totals
  }

  private func writeMetrics(status: Int32) throws {
    guard let path = command.metrics else { return }
    let now = stack.now
    let query = stack.store.statistics
    let reader = StatisticsReader(by: .region, of: nil, at: now, days: 1, query)
    let metrics = FetchMetrics(
      totals: report.map(totals) ?? .init(), bytes: report?.bytes ?? 0,
      began: began, ended: now, status: status, regions: (try? reader.statistics()) ?? [],
      counters: (try? stack.source.counters()) ?? [:])
    do {
      try metrics.write(to: path, sparing: stack.location, command.configurationOptions)
    } catch let failure as CommandFailure {
      throw CommandFailure(failure.status, "\(failure.message ?? path); what was fetched is saved")
    }
  }
}
