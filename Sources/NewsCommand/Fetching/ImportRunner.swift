import DocumentReading
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput
import WebAddress

/// One `import`: passes documents to a ``DocumentImport``, and prints the result of each.
@MainActor
final class ImportRunner {
  private let command: ImportCommand
  private var plan: DocumentImport.Plan
  private let configuration: LoadedConfiguration
  /// Nil without a store: for a dry run, and until something can be imported.
  private var stack: NewsStack?
  private let status: StatusLine
  private let began = Date()
  private var tally = ImportTally()

  init(_ command: ImportCommand, _ plan: DocumentImport.Plan, _ configuration: LoadedConfiguration) throws {
    (self.command, self.configuration) = (command, configuration)
    stack = try NewsStack.ifThere(command.storeOptions, for: command.dryRun ? .reading : .writing)
    status = StatusLine(isWanted: !command.quiet && !command.json)
    var plan = plan
    plan.settings = configuration.articleSettings
    self.plan = plan
  }

  func run() async throws {
    var settings = FetchSettings()
    settings.maxBody = command.maxBody?.bytes
    let options = configuration.importOptions(settings)
    if stack == nil, !command.dryRun {
      // A mistake creates no store.
      if let refused = try await refusedDocuments(options) {
        for result in refused { show(result) }
        if let status = try end(signal: nil) { throw CommandFailure(status) }
        return
      }
      stack = try NewsStack(command.storeOptions)
    }
    let (results, queue) = AsyncStream.makeStream(of: DocumentImport.Result.self)
    let documents = DocumentImport(plan, root: root, options: options) { queue.yield($0) }
    let hooks = command.dryRun ? nil : stack.flatMap { HookRunner(configuration, $0) }
    try await hooks?.prepare()
    try await hooks?.keepWaiting()
    let signals = SignalWatch { [ending = hooks?.ending] in
      documents.stop()
      ending?.stop()
    }
    hooks?.signals = signals
    async let end = outcome(of: documents, queue)
    for await result in results { show(result) }
    status.clear()
    if let failure = await end {
      Output.standard.finish()
      throw self.failure(failure)
    }
    let ofDocuments = try self.end(signal: signals.status)
    let ofHooks = try await hooks?.run(reporting: nil)
    if let status = ofDocuments ?? ofHooks { throw CommandFailure(status) }
  }

  /// Returns the results of all documents if none can be imported; nil as soon as one can. The run after it gets what was read
  /// of pipes.
  private func refusedDocuments(_ options: ImportOptions) async throws -> [DocumentImport.Result]? {
    let pipes = RepeatedPipes()
    plan.pipes = pipes
    defer { pipes.restart() }
    var plan = plan
    (plan.isDryRun, plan.isTrial) = (true, true)
    let (results, queue) = AsyncStream.makeStream(of: DocumentImport.Result.self)
    let documents = DocumentImport(plan, root: root, options: options) { queue.yield($0) }
    let signals = SignalWatch { documents.stop() }
    async let end = outcome(of: documents, queue)
    var refused: [DocumentImport.Result] = []
    var isUsable = false
    for await result in results {
      refused.append(result)
      guard result.isOngoing || result.doubt == nil && !result.isUnreadable && !result.isMissing else {
        continue
      }
      isUsable = true
      documents.stop()
    }
    if let failure = await end { throw self.failure(failure) }
    if let signal = signals.status { throw CommandFailure(signal, "stopped: nothing was imported") }
    return isUsable || pipes.isFull ? nil : refused
  }

  /// Prints the result of the run.
  ///
  /// - Parameter signal: The exit status of a run that was stopped; nil for another one.
  /// - Returns: The exit status for documents that failed; nil if none did.
  /// - Throws: ``CommandFailure`` for a run that was stopped.
  private func end(signal: ExitStatus?) throws -> ExitStatus? {
    status.clear()
    Output.standard.finish()
    if !command.json, !command.quiet {
      let regionless = try regionlessCount()
      Output.standard.print(tally.text(of: command, regionless: regionless))
    }
    if let signal {
      throw CommandFailure(
        signal, "stopped: \(counted(tally.documents, "document")) read; run the command again for the rest")
    }
    if tally.isEmpty { Output.error.print("nothing to import: no files\n") }
    return tally.status
  }

  /// Returns the number of imported feeds that are in no region and could be polled.
  private func regionlessCount() throws -> Int {
    guard let stack, !command.dryRun, command.region == nil else { return 0 }
    let feeds = tally.feeds
    return try stack.reading {
      let all = try stack.source.regionlessFeeds()
      return all.count {
        stack.source.context.object(Feed.self, with: $0).map { feeds.contains($0.url) } ?? false
      }
    }
  }

  /// Runs the import, and ends the queue of its results.
  private nonisolated func outcome(
    of documents: DocumentImport, _ queue: AsyncStream<DocumentImport.Result>.Continuation
  ) async -> DocumentImport.Failure? {
    defer { queue.finish() }
    do throws(DocumentImport.Failure) {
      try await documents.run()
      return nil
    } catch {
      return error
    }
  }

  private var root: RootContext {
    if let stack { return stack.root }
    let store = InMemoryStore(model: NewsModel.model)
    return RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: store))
  }

  private func failure(_ failure: DocumentImport.Failure) -> CommandFailure {
    switch failure {
    case .store(let error): CommandFailure(error, store: NewsStack.location(command.storeOptions))
    case .settings(let cause): CommandFailure(.configuration, cause)
    case .thread(let error): CommandFailure(.system, "\(error)")
    }
  }

  private func show(_ result: DocumentImport.Result) {
    if let doubt = result.doubt {
      status.clear()
      tally.hasDoubts = true
      return Output.error.warn(printable("\(result.name): \(doubt)"))
    }
    tally.add(result)
    if result.isOngoing { return showProgress() }
    if !result.causes.isEmpty { status.clear() }
    for cause in result.causes {
      Output.error.warn(printable(result.name.isEmpty ? cause : "\(result.name): \(cause)"))
    }
    if command.json, !command.quiet || result.cause != nil { writeJSON(json(of: result)) }
    showProgress()
  }

  private func showProgress() {
    if Date().timeIntervalSince(began) >= 1 { status.show(tally.progress) }
  }

  private func json(of result: DocumentImport.Result) -> JSONLine {
    [
      "file": result.name, "feed": result.feed?.withoutPassword,
      "outcome": result.isKnown ? "known" : result.isPartial ? "partial" : result.outcome.rawValue,
      "inserted": result.inserted, "edited": result.edited, "skipped": result.skipped,
      "error": result.cause, "failed_lines": result.failedLines,
    ]
  }
}

extension LoadedConfiguration {
  /// The user's settings for articles; nil if no table has any.
  fileprivate var articleSettings: DocumentImport.Plan.Settings? {
    guard !configuration.regions.isEmpty || !configuration.feeds.isEmpty else { return nil }
    return { (address, names) throws(DocumentImport.Failure) in
      do throws(ConfigurationError) {
        let own = try configuration.settings(ofFeed: address, inRegions: names)
        return own.ofArticles
      } catch {
        throw .settings(failure(error).message ?? error.cause)
      }
    }
  }
}
