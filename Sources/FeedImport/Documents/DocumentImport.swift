public import ManagedContext
import NewsModel
import Synchronization
import Threading

/// Imports documents from files, folders and standard input, without a network.
///
/// A document takes the same path as a poll's answer: the same parser, known articles, filter and tombstones,
/// one transaction. The feed's schedule and validators do not change, because this is not a poll.
public final class DocumentImport: Sendable {
  let plan: Plan
  let root: RootContext
  let options: ImportOptions
  /// Receives results, on any thread.
  let report: @Sendable (Result) -> Void
  let unfinished: UnfinishedDocuments
  private let isEnding = Atomic(false)
  private let failure = Locked<ImportFailure?>(nil)
  /// The hashes of the articles that a dry run has counted.
  private let counted = Locked<Set<Int>>([])

  /// Creates an import that saves through `root`.
  ///
  /// - Parameters:
  ///   - plan: The documents to import, and how.
  ///   - root: The store's writer.
  ///   - options: The document limits, and the clock.
  ///   - report: Receives each document's result after its save, on any thread.
  public init(
    _ plan: Plan, root: RootContext, options: ImportOptions, report: @escaping @Sendable (Result) -> Void
  ) {
    (self.plan, self.root, self.report) = (plan, root, report)
    self.options = options.with(clockOf: root)
    unfinished = UnfinishedDocuments(root)
  }

  /// Ends the import after the documents that are being read.
  public func stop() { isEnding.store(true, ordering: .relaxed) }

  /// True if the import must end. It is read before each line, so it takes no lock and wakes no thread.
  var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

  /// Imports all documents. Returns when the store has all articles.
  public func run() async throws(ImportFailure) {
    let contents = try ImportFailure.ofStore { () throws(StoreError) in try StoreContents(of: root) }
    let isLarge = { [plan, options] in !plan.isDryRun && plan.isLarge(options) }
    try await contents.loading(into: root, options, if: isLarge) { () async throws(ImportFailure) in
      try await read(contents)
    }
  }

  private func read(_ contents: StoreContents) async throws(ImportFailure) {
    await withCheckedContinuation { continuation in
      do throws(OwnThread.StartError) {
        try OwnThread(name: "reader") {
          DocumentReader(of: self, contents).readAll()
          continuation.resume()
        }.detach()
      } catch {
        end(with: .thread(.inputOutput("the system has no thread (error \(error.code))")))
        continuation.resume()
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  // MARK: Any thread

  /// Ends the import early. The first failure is reported.
  func end(with failure: ImportFailure) {
    self.failure.withLock { $0 = $0 ?? failure }
    stop()
  }

  func end(_ task: DocumentTask, _ result: Result) {
    task.report(result)
    unfinished.end()
  }

  /// Ends a document that the store rejected. If the store itself failed, the import ends, because it would
  /// reject the rest as well.
  func end(_ task: DocumentTask, _ result: Result, rejectedFor error: StoreError) {
    guard error.isRefusal else {
      end(with: .store(error))
      return unfinished.end()
    }
    var result = result
    (result.outcome, result.causes) = (.failed, ["cannot be saved: \(error)"])
    end(task, result)
  }

  /// Returns whether a dry run sees an article for the first time, and notes it.
  func isFirst(guid: some Sequence<UInt8>, ofFeedAt address: String) -> Bool {
    var hasher = Hasher()
    hasher.combine(address)
    for byte in guid { hasher.combine(byte) }
    let hash = hasher.finalize()
    return counted.withLock { $0.insert(hash).inserted }
  }
}
