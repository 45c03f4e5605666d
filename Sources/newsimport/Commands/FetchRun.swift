import FeedImport
import Foundation
import ManagedContext
import NewsModel
import Threading

/// One `fetch`: reads the regions in the main context, runs the importer, and prints what the main context merged.
@MainActor
final class FetchRun {
  private let command: FetchCommand
  private let stack: NewsStack
  private let report: FetchReport
  private let progress: Progress
  /// Answers that the store has and the main context has not merged yet.
  private let answers = Locked<[FeedResult]>([])

  init(_ command: FetchCommand) throws {
    self.command = command
    let stack =
      if let name = command.regions.first {
        try NewsStack.existing(command.storeOptions, forRegion: name)
      } else {
        try NewsStack(command.storeOptions)
      }
    self.stack = stack
    let names = try command.all ? stack.reading { try stack.source.regions().map(\.name) } : command.regions
    var regions: [FetchReport.RegionFeeds] = []
    for name in names where !regions.contains(where: { $0.name == name }) {
      let region = try stack.region(named: name)
      regions.append(.init(name: name, feeds: try stack.reading { try stack.source.feeds(of: region) }))
    }
    report = FetchReport(regions)
    progress = Progress(isShown: Output.error.isTerminal && !command.quiet && !command.json)
  }

  func run() async throws {
    guard !report.isEmpty else {
      let hint = command.all ? "Next: newsimport region add NAME URL" : "the region has no feeds yet"
      if !command.quiet { Output.error.write("nothing to fetch.   \(hint)\n") }
      return
    }
    let requests = askableFeeds().map(FeedRequest.init)
    stack.main.mergeInterval = progress.isShown ? 0.1 : 1
    stack.main.didMerge = { [weak self] _ in self?.noteAnswers() }
    progress.begin(total: requests.count)

    let importer = FeedImporter(root: stack.root, options: options)
    let signals = SignalWatch { importer.stop() }
    let failure = await outcome(of: importer, requests)
    let storeFailure = finishStore()
    progress.end()
    let printer = FetchPrinter(report: report, command: command)
    printer.printResults()
    if let failure = failure ?? storeFailure { throw failure }
    if let status = signals.status {
      let missing = report.totals.feeds - report.totals.answered - report.totals.skipped
      let feeds = "\(counted(missing, "feed")) \(missing == 1 ? "was" : "were") not answered"
      throw CommandFailure(status, "stopped: \(feeds), what was saved is kept; the next fetch goes on")
    }
    if let status = report.failureStatus { throw CommandFailure(status) }
  }

  /// The feeds to ask, each once however many regions it is in.
  private func askableFeeds() -> [Feed] {
    let now = Date()
    return report.feeds.filter { feed in
      guard let refusal = AskPolicy.refusal(to: feed, at: now) else { return true }
      report.skip(feed, refusal)
      return false
    }
  }

  private var options: ImportOptions {
    var options = ImportOptions(userAgent: Version.userAgent)
    options.jobs = command.jobs
    options.timeout = command.timeout
    options.maxBody = command.maxBody.bytes
    options.workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
    return options
  }

  private func outcome(of importer: FeedImporter, _ requests: [FeedRequest]) async -> CommandFailure? {
    do throws(FeedImporter.Failure) {
      let answers = answers
      report.unsaved = try await importer.run(requests) { result in answers.withLock { $0.append(result) } }
      return nil
    } catch {
      switch error {
      case .store(let error): return CommandFailure(error, store: stack.path)
      case .download(let cause): return CommandFailure(.inputOutput, "cannot download: \(cause)")
      }
    }
  }

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
