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
  private let plan: DocumentImport.Plan
  private let configuration: LoadedConfiguration
  /// Nil for a dry run without a store.
  private let stack: NewsStack?
  private let status: StatusLine
  private let began = Date()
  private var tally = ImportTally()

  init(_ command: ImportCommand, _ plan: DocumentImport.Plan, _ configuration: LoadedConfiguration) throws {
    (self.command, self.configuration) = (command, configuration)
    stack =
      command.dryRun
      ? try NewsStack.ifThere(command.storeOptions, for: .reading) : try NewsStack(command.storeOptions)
    status = StatusLine(isWanted: !command.quiet && !command.json)
    var plan = plan
    plan.settings = configuration.articleSettings
    self.plan = plan
  }

  func run() async throws {
    var settings = FetchSettings()
    settings.maxBody = command.maxBody?.bytes
    let options = configuration.importOptions(settings)
    let (results, queue) = AsyncStream.makeStream(of: DocumentImport.Result.self)
    let documents = DocumentImport(plan, root: root, options: options) { queue.yield($0) }
    let signals = SignalWatch { documents.stop() }
    async let end = outcome(of: documents, queue)
    for await result in results { show(result) }
    status.clear()
    let failure = await end
    Output.standard.finish()
    if let failure { throw self.failure(failure) }
    if !command.json, !command.quiet { Output.standard.print(tally.text(of: command)) }
    if let status = signals.status {
      throw CommandFailure(
        status, "stopped: \(counted(tally.documents, "document")) read; run the command again for the rest")
    }
    if tally.isEmpty { Output.error.print("nothing to import: no files\n") }
    if let status = tally.status { throw CommandFailure(status) }
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
    case .store(let error): CommandFailure(error, store: NewsStack.path(command.storeOptions))
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
    if !result.causes.isEmpty { status.clear() }
    for cause in result.causes {
      Output.error.warn(printable(result.name.isEmpty ? cause : "\(result.name): \(cause)"))
    }
    if command.json, !command.quiet || result.cause != nil { writeJSON(json(of: result)) }
    if Date().timeIntervalSince(began) >= 1 { status.show(tally.progress) }
  }

  private func json(of result: DocumentImport.Result) -> JSONLine {
    [
      "file": result.name, "feed": result.feed?.withoutPassword,
      "outcome": result.isKnown ? "known" : result.outcome.rawValue,
      "inserted": result.inserted, "edited": result.edited, "skipped": result.skipped,
      "error": result.cause,
    ]
  }
}

/// The numbers of an import.
private struct ImportTally {
  private(set) var documents = 0
  private var failed = 0
  private var unreadable = 0
  private var missing = 0
  private var known = 0
  private var inserted = 0
  private var edited = 0
  private var feeds: Set<WebAddress> = []
  /// True if the end of an archive is missing.
  var hasDoubts = false

  var isEmpty: Bool { documents == 0 }

  mutating func add(_ result: DocumentImport.Result) {
    documents += 1
    inserted += result.inserted
    edited += result.edited
    if let feed = result.feed, !result.isKnown { feeds.insert(feed) }
    if result.cause != nil { failed += 1 }
    if result.isUnreadable { unreadable += 1 }
    if result.isMissing { missing += 1 }
    if result.isKnown { known += 1 }
  }

  /// Nil if all documents were imported.
  var status: ExitStatus? {
    if missing > 0 { return .noInput }
    if failed == 0 { return !hasDoubts ? nil : isEmpty ? .badInput : .someFeedsFailed }
    return unreadable == documents ? .badInput : .someFeedsFailed
  }

  var progress: String {
    "\(counted(documents, "document"))  \(grouped(inserted)) new"
      + (edited > 0 ? "  \(grouped(edited)) edited" : "") + (failed > 0 ? "  \(grouped(failed)) failed" : "")
  }

  /// Returns the result in one line; empty if no document was imported.
  func text(of command: ImportCommand) -> String {
    let done = documents - failed
    guard done > 0 || inserted + edited > 0 else { return "" }
    // The lines of an export have the feeds.
    let place = feeds.isEmpty ? "" : " of \(counted(feeds.count, "feed"))"
    let verb = command.dryRun ? "would import" : "imported"
    var parts = ["\(verb)  \(counted(documents - unreadable - known, "document"))\(place)"]
    parts.append("\(grouped(inserted)) new")
    if edited > 0 { parts.append("\(grouped(edited)) edited") }
    if known > 0 { parts.append("\(counted(known, "document")) known from before") }
    if failed > 0 { parts.append("\(grouped(failed)) failed") }
    let next = command.region.map(shellWord) ?? "--all"
    return parts.joined(separator: "   ") + (command.dryRun ? "" : ".   Next: newsimport list \(next)") + "\n"
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
