import ArticleDocuments
import ArticleHooks
import DocumentReading
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import SQLiteStore
import TextOutput
import Threading
import WebAddress

/// An `import` run: passes documents to a ``DocumentImport``, and prints each result.
@MainActor
final class ImportRunner {
  private let command: ImportCommand
  private var plan: DocumentImport.Plan
  private let configuration: LoadedConfiguration
  /// Nil without a store: for a dry run, or if no file exists.
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
    if stack == nil, !plan.isDryRun {
      // A misspelt path must not create a store.
      if plan.converted != nil
        || plan.arguments.contains(where: { $0 == "-" || InputFile.absence(of: $0) == nil })
      {
        stack = try NewsStack(command.storeOptions)
      } else {
        plan.isDryRun = true
      }
    }
    let results = ResultQueue()
    let documents = DocumentImport(plan, root: root, options: options) { results.add($0) }
    let hooks = command.dryRun ? nil : stack.flatMap { HookRunner(configuration, $0) }
    try await hooks?.prepare()
    try await hooks?.keepWaiting()
    let signals = SignalWatch { [ending = hooks?.ending] in
      documents.stop()
      ending?.stop()
    }
    hooks?.signals = signals
    async let end = outcome(of: documents, results)
    for await result in results.stream {
      show(result)
      results.didTake()
    }
    status.clear()
    if let failure = await end {
      Output.standard.finish()
      throw CommandFailure(failure, store: NewsStack.location(command.storeOptions))
    }
    let ofDocuments = try self.end(signal: signals.status)
    let ofHooks = try await hooks?.run(reporting: nil)
    if let status = ofDocuments ?? ofHooks { throw CommandFailure(status) }
  }

  /// Prints the result of the run.
  ///
  /// - Parameter signal: The exit status for a stopped run; nil otherwise.
  /// - Returns: The exit status for failed documents; nil without any.
  /// - Throws: ``CommandFailure`` for a stopped run.
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

  /// Counts imported feeds that are in no region and could be polled.
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

  /// Runs the import, then ends the result queue.
  private nonisolated func outcome(
    of documents: DocumentImport, _ results: ResultQueue
  ) async -> ImportFailure? {
    defer { results.finish() }
    do throws(ImportFailure) {
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
    if let omission = result.omission {
      status.clear()
      Output.error.warn(printable("\(result.name): \(omission)"))
    }
    if command.json, !command.quiet || result.cause != nil || result.isIncomplete {
      writeJSON(json(of: result))
    }
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
      "error": result.cause ?? (result.isIncomplete ? result.omission : nil),
      "failed_lines": result.failedLines,
    ]
  }
}

extension DocumentImport.Result {
  /// The shortened or omitted parts, in words; nil without any.
  fileprivate var omission: String? {
    omissionText(texts: shortenedTexts, lists: shortenedLists, dropped: dropped)
  }
}

/// Carries results from the import's threads to the main queue. A thread that adds a result waits while the
/// queue is full.
private final class ResultQueue: Sendable {
  let stream: AsyncStream<DocumentImport.Result>
  private let continuation: AsyncStream<DocumentImport.Result>.Continuation
  private let count = Monitor(0)
  private static let most = 1000

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func add(_ result: DocumentImport.Result) {
    count.wait { count -> Void? in
      guard count < Self.most else { return nil }
      count += 1
      return ()
    }
    continuation.yield(result)
  }

  /// Notes that the main queue has taken a result.
  func didTake() { count.update { $0 -= 1 } }

  func finish() { continuation.finish() }
}

extension LoadedConfiguration {
  /// The user's settings for articles; nil if no table has any.
  fileprivate var articleSettings: DocumentImport.Plan.Settings? {
    guard !configuration.regions.isEmpty || !configuration.feeds.isEmpty else { return nil }
    return { (address, names) throws(ImportFailure) in
      do throws(ConfigurationError) {
        let own = try configuration.settings(ofFeed: address, inRegions: names)
        return own.ofArticles
      } catch {
        throw .settings(failure(error).message ?? error.cause)
      }
    }
  }
}
