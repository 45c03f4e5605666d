package import DocumentReading
import FeedParsing
import Foundation
public import ManagedContext
public import NewsModel
import Synchronization
import Threading
public import WebAddress

/// Imports the documents of files, folders and standard input, without a network.
///
/// A document takes the same path as the answer to a poll: the same parser, known articles, filter and tombstones, one
/// transaction. The feed's schedule and validators do not change, because nobody has polled it.
public final class DocumentImport: Sendable {
  /// What is imported, and how.
  public struct Plan: Sendable {
    /// Visits feeds of another program until `visit` returns false. Returns the files that cannot be read.
    public typealias Conversion = @Sendable (_ visit: (ConvertedFeed) -> Bool) -> [UnreadFile]
    /// A file of another program that cannot be read.
    public struct UnreadFile: Sendable {
      /// The name for messages.
      public let name: String
      /// The cause in words.
      public let cause: String

      /// Names a file.
      public init(name: String, cause: String) {
        (self.name, self.cause) = (name, cause)
      }
    }
    /// Returns the user's settings for the articles of a feed; the others are ignored.
    public typealias Settings =
      @Sendable (
        _ feed: WebAddress, _ regions: [String]
      ) throws(Failure) -> ImportSelection.Settings

    /// Paths of files and folders; `-` is standard input.
    public var arguments: [String]
    /// Reads the articles of another program instead of ``arguments``; nil for none.
    public var converted: Conversion?
    /// True if all documents are lists of `ReaderItems`, whose feeds are added to a region.
    public var isOfReader = false
    /// The feed that all documents belong to; nil for the one that each states.
    public var feed: WebAddress?
    /// The region that the feeds are added to; nil for none.
    public var region: String?
    /// True to read documents again that were imported before.
    public var readsAgain = false
    /// True to count, and to save nothing.
    public var isDryRun = false
    /// True to read one document after the other, for a run that ends with the first that can be imported.
    public var isTrial = false
    /// Standard input and pipes that a trial and the run after it read; nil to read each only once.
    package var pipes: RepeatedPipes?
    /// The user's settings for each feed; nil if there are none.
    public var settings: Settings?

    /// Creates a plan.
    public init(arguments: [String]) {
      self.arguments = arguments
    }
  }

  /// The result of one document.
  public struct Result: Sendable {
    /// The name of the document: a path, or `-`.
    public let name: String
    /// The feed that the document belongs to; nil if that is unknown.
    public var feed: WebAddress?
    /// The outcome. Of a failed document, the complete articles were saved.
    public var outcome = FetchOutcome.failed
    /// The number of new articles.
    public var inserted = 0
    /// The number of edited articles.
    public var edited = 0
    /// The number of articles that the user's filter excluded.
    public var skipped = 0
    /// The cause of a failure in words; nil without one.
    public var cause: String? {
      get { causes.first }
      set { causes = newValue.map { [$0] } ?? [] }
    }
    /// The causes of a failure: more than one for lines, of which each may fail.
    public var causes: [String] = []
    /// The number of lines that were not imported.
    public var failedLines = 0
    /// The number of articles that were left out: too damaged, or too long.
    public var dropped = 0
    /// The number of texts that were too long, and are kept in part.
    public var shortenedTexts = 0
    /// The number of lists that were too long, and are kept in part.
    public var shortenedLists = 0
    /// True if the document was not read to its end yet: the numbers are those of the articles so far.
    public var isOngoing = false
    /// True if the import was stopped before the end of the document.
    public var isStopped = false
    /// True if texts or lists of another program's articles are kept in part.
    public var hasCopiesInPart = false
    /// True if a part of the document was imported, and the rest was not.
    public var isPartial: Bool {
      isStopped || (!causes.isEmpty || isIncomplete) && !isUnreadable && !isMissing
    }
    /// True if articles, or parts of another program's articles, were left out.
    public var isIncomplete: Bool { dropped > 0 || hasCopiesInPart }
    /// A doubt about an archive that was read, in words; nil for a document.
    public var doubt: String?
    /// True if the document was imported before, and was passed over.
    public var isKnown = false
    /// True if the store failed, which is reported once, and not for each document.
    var isLost = false
    /// True if no such file exists.
    public var isMissing = false
    /// True if the document is no feed at all, or could not be opened.
    public var isUnreadable = false
  }

  /// The reason why an import ended early.
  public enum Failure: Error, Sendable {
    /// The store rejected further saves. Earlier saves are kept.
    case store(StoreError)
    /// The settings of a feed are wrong, for this reason.
    case settings(String)
    /// The system has no thread left.
    case thread(StoreError)
  }

  private struct Progress: Sendable {
    /// The documents that have not ended.
    var documents = 0
    /// The bytes that wait for a worker.
    var bytes = 0
    var failure: Failure?
  }

  let root: RootContext
  let options: ImportOptions
  let plan: Plan
  private let report: @Sendable (Result) -> Void
  private let isStopped = Atomic(false)
  private let hasFailed = Atomic(false)
  private let progress = Monitor(Progress())
  /// The hashes of the articles that a dry run has counted.
  private let counted = Locked<Set<Int>>([])
  /// The context of the reader's own queries.
  private let reading: BackgroundContext

  /// Creates an import that saves through `root`.
  ///
  /// - Parameters:
  ///   - plan: What is imported, and how.
  ///   - root: The writer of the store.
  ///   - options: The limits of documents, and the clock.
  ///   - report: Receives the result of each document after its save, on any thread.
  public init(
    _ plan: Plan, root: RootContext, options: ImportOptions, report: @escaping @Sendable (Result) -> Void
  ) {
    (self.plan, self.root, self.report) = (plan, root, report)
    self.options = options.with(clockOf: root)
    reading = BackgroundContext(parent: root, name: "documents")
  }

  /// Ends the import after the documents that are being read.
  public func stop() { isStopped.store(true, ordering: .relaxed) }

  /// True if the import must end. It is asked before each line, so that it takes no lock and wakes no thread.
  var mustEnd: Bool { isStopped.load(ordering: .relaxed) || hasFailed.load(ordering: .relaxed) }

  /// Imports all documents. Returns when the store has all articles.
  public func run() async throws(Failure) {
    let contents: StoreContents
    do throws(StoreError) {
      contents = try StoreContents(of: root)
    } catch {
      throw .store(error)
    }
    guard !contents.hasArticles, !plan.isDryRun, options.loadsInBulk, isLarge else {
      return try await run(contents)
    }
    // No reader of this process is active yet.
    return try await root.withBulkLoad { () async throws(Failure) in try await run(contents) }
  }

  /// True if there are as many documents as feeds in a first import that prepares the store, or as many bytes. A pipe may
  /// be slow, so it does not count.
  private var isLarge: Bool {
    plan.converted != nil
      || InputReader(plan.arguments.filter { $0 != "-" })
        .has(files: options.leastBulkFeeds, orBytes: options.leastBulkBytes)
  }

  private func run(_ contents: StoreContents) async throws(Failure) {
    let outcome: Swift.Result<Void, Failure> = await withCheckedContinuation { continuation in
      do throws(OwnThread.StartError) {
        try OwnThread(name: "reader") { continuation.resume(returning: self.readAll(contents)) }.detach()
      } catch {
        continuation.resume(
          returning: .failure(.thread(.inputOutput("the system has no thread (error \(error.code))"))))
      }
    }
    try outcome.get()
  }

  // MARK: The reader's thread

  /// Reads all documents, passes them to workers, and waits for these.
  private func readAll(_ contents: StoreContents) -> Swift.Result<Void, Failure> {
    let workers = (0..<max(1, options.workers)).map { DocumentWorker(number: $0 + 1, contents, of: self) }
    let feeds = DocumentFeeds(plan, root: root)
    let reader = InputReader(plan.arguments, pipes: plan.pipes) { self.mustEnd }
    var group: [InputDocument] = []
    var bytes = 0
    do throws(Failure) {
      if let conversion = plan.converted { try readConverted(conversion, feeds, workers) }
      while !mustEnd, let part = reader.next() {
        switch part {
        case .failure(let name, let failure): report(Result(name: name, failure))
        case .doubt(let name, let cause):
          var result = Result(name: name)
          result.doubt = cause
          report(result)
        case .document(let document):
          group.append(document)
          bytes += document.headCount
          guard
            plan.isTrial || group.count >= Self.groupCount || bytes >= Self.groupBytes || document.isStreamed
          else {
            break
          }
          try start(group, feeds, workers)
          if plan.isTrial { awaitDocuments() }
          (group, bytes) = ([], 0)
        }
      }
      try start(group, feeds, workers)
    } catch {
      end(with: error)
    }
    root.flush()
    awaitDocuments()
    let failure = progress.update { $0.failure }
    return failure.map { .failure($0) } ?? .success(())
  }

  private static let databaseCause =
    "a SQLite database, not a document; newsimport list --all --store FILE --json --full writes the articles of a news store "
    + "for import, and newsimport store attach reads it beside this one"

  /// The documents whose feeds are created in one save.
  private static let groupCount = 64
  private static let groupBytes = 4 << 20
  /// The bytes that wait for the workers.
  private static let mostWaiting = 8 << 20
  /// The documents that may wait: small ones take more memory than their bytes.
  private static let mostDocuments = 4096

  private func start(
    _ group: [InputDocument], _ feeds: DocumentFeeds, _ workers: [DocumentWorker]
  ) throws(Failure) {
    var tasks: [(document: InputDocument, address: WebAddress)] = []
    let known = try known(among: group)
    for document in group {
      // The feeds of lines are known only from the lines.
      if let feed = known[document.address], feed != nil || plan.region == nil {
        // A feed that is in the store already may be new to the region.
        if let feed, plan.region != nil { _ = try feeds.requests(at: [feed]) }
        var result = Result(name: document.name)
        (result.feed, result.outcome, result.isKnown) = (feed, .unchanged, true)
        report(result)
        continue
      }
      switch plan.isOfReader ? .reader : DocumentKind(of: document) {
      case .database:
        var result = Result(name: document.name)
        (result.cause, result.isUnreadable) = (Self.databaseCause, true)
        report(result)
        continue
      case .list:
        awaitDocuments()
        try readListed(document, feeds, workers)
        continue
      case .reader:
        awaitDocuments()
        try readReader(document, feeds, workers)
        continue
      case .feed: break
      }
      do throws(FeedError) {
        let stated = try DocumentProbe.address(of: document)
        tasks.append((document, plan.feed ?? stated ?? WebAddress(document.address)))
      } catch {
        var result = Result(name: document.name)
        (result.cause, result.isUnreadable) = (error.description, true)
        report(result)
      }
    }
    guard !tasks.isEmpty else { return }
    let requests = try feeds.requests(at: tasks.map(\.address))
    for (document, address) in tasks {
      guard let request = requests[address] else { continue }
      count(document)
      let base = address.isFile ? nil : address
      workers.one(of: request).read(
        DocumentTask(document: document, request: request, base: base) { self.end($0) })
      if document.isStreamed { awaitDocuments() }
    }
  }

  /// Imports the articles of another program.
  private func readConverted(
    _ conversion: Plan.Conversion, _ feeds: DocumentFeeds, _ workers: [DocumentWorker]
  ) throws(Failure) {
    var failure: Failure?
    var group: [ConvertedFeed] = []
    var bytes = 0
    func startGroup() {
      do throws(Failure) {
        try start(group, feeds, workers) { [report] in if !$0.isLost { report($0) } }
      } catch {
        failure = error
      }
      (group, bytes) = ([], 0)
    }
    let unread = conversion { feed in
      group.append(feed)
      bytes += feed.byteCount
      if plan.isTrial || group.count >= Self.groupCount || bytes >= Self.groupBytes { startGroup() }
      return failure == nil && !mustEnd
    }
    if failure == nil, !mustEnd { startGroup() }
    for file in unread {
      var result = Result(name: file.name)
      (result.cause, result.isUnreadable) = (file.cause, true)
      report(result)
    }
    if let failure { throw failure }
  }

  /// Imports the lines of a list of articles.
  private func readListed(
    _ document: InputDocument, _ feeds: DocumentFeeds, _ workers: [DocumentWorker]
  ) throws(Failure) {
    var lines = ListedLines(document, feed: plan.feed)
    let last = try lastArticle()
    let sum = Locked(Result(name: document.name))
    var isWhole = false
    while !mustEnd {
      guard let group = lines.next(until: { mustEnd }) else {
        isWhole = true
        break
      }
      // The next lines are read meanwhile.
      try start(group, feeds, workers, lastArticle: last) { result in sum.withLock { $0.add(result) } }
      reportOngoing(sum.withLock { $0 })
    }
    awaitDocuments()
    var result = sum.withLock { $0 }
    result.causes += lines.mistakes.causes
    result.failedLines = lines.mistakes.lines
    result.isStopped = !isWhole
    if result.causes.isEmpty, result.dropped == 0 {
      try note(document, feeds)
    } else {
      result.outcome = .failed
      result.isUnreadable = !lines.hasArticles
    }
    report(result)
  }

  /// Imports the articles of a file in the JSON of Google Reader's API.
  private func readReader(
    _ document: InputDocument, _ feeds: DocumentFeeds, _ workers: [DocumentWorker]
  ) throws(Failure) {
    var result = Result(name: document.name)
    let bytes: [UInt8]
    do throws(InputFailure) {
      bytes = try document.allBytes(upTo: options.maxBody)
    } catch {
      (result.cause, result.isUnreadable) = (error.cause, true)
      return report(result)
    }
    let sum = Locked(result)
    var failure: Failure?
    func start(_ feed: ConvertedFeed) {
      guard failure == nil, !mustEnd else { return }
      do throws(Failure) {
        try self.start([feed], feeds, workers) { part in sum.withLock { $0.add(part) } }
      } catch {
        failure = error
      }
    }
    let items = ReaderItems(bytes, regions: plan.isOfReader ? [ReaderItems.region] : [], start)
    for group in items.feeds.chunks(of: Self.groupCount) where failure == nil && !mustEnd {
      try self.start(Array(group), feeds, workers) { part in sum.withLock { $0.add(part) } }
    }
    if let failure { throw failure }
    awaitDocuments()
    result = sum.withLock { $0 }
    result.causes += items.mistakes.causes
    result.isStopped = mustEnd
    if result.causes.isEmpty, result.dropped == 0 {
      try note(document, feeds)
    } else {
      result.outcome = .failed
      result.isUnreadable = items.count == 0
    }
    report(result)
  }

  /// Returns the greatest key of the store's articles; 0 without any.
  private func lastArticle() throws(Failure) -> Int64 {
    let newest = StoreQuery(
      entity: NewsModel.Place.article, sort: [StoreSort(attribute: nil, isAscending: false)], limit: 1,
      columns: [])
    do throws(StoreError) {
      return try root.writtenStore?.fetch(newest).keys.first ?? 0
    } catch {
      throw .store(error)
    }
  }

  /// Reports the articles so far of a document that is not at its end.
  func reportOngoing(_ result: Result) {
    var result = result
    (result.isOngoing, result.causes) = (true, [])
    report(result)
  }

  /// Notes that all lines of a list were imported.
  private func note(_ document: InputDocument, _ feeds: DocumentFeeds) throws(Failure) {
    guard !plan.isDryRun, !mustEnd else { return }
    let feed = try plan.feed.flatMap { (url) throws(Failure) in try feeds.requests(at: [url])[url]?.feed }
    do throws(StoreError) {
      let ticket = try reading.performAndWait { (context) throws(StoreError) in
        try KnownDocuments.note(document, of: feed, at: options.now(), in: context)
      }
      root.flush()
      _ = try ticket?.wait().get()
    } catch {
      throw .store(error)
    }
  }

  /// Passes converted feeds to the workers.
  ///
  /// - Parameter lastArticle: See ``DocumentTask/lastArticle``.
  private func start(
    _ group: [ConvertedFeed], _ feeds: DocumentFeeds, _ workers: [DocumentWorker], lastArticle: Int64? = nil,
    _ end: @escaping @Sendable (Result) -> Void
  ) throws(Failure) {
    let address = { [plan] (feed: ConvertedFeed) in plan.feed ?? feed.address }
    if plan.feed == nil {
      var lists: DocumentFeeds.Lists = []
      var titles: [WebAddress: String] = [:]
      for feed in group {
        if let title = feed.ownTitle { titles[address(feed)] = title }
        // All feeds get the plan's region when they are created below.
        let regions = plan.region == nil ? feed.regions : []
        for region in regions.isEmpty && feed.ownTitle != nil ? [nil] : regions.map(Optional.some) {
          let place = lists.firstIndex { $0.region == region } ?? lists.count
          if place == lists.count { lists.append((region, [])) }
          lists[place].urls.append(address(feed))
        }
      }
      try feeds.add(lists, titles)
    }
    let requests = try feeds.requests(at: group.map(address))
    for feed in group {
      guard let request = requests[address(feed)], !feed.areDeleted || !plan.isDryRun else { continue }
      let document = InputDocument(name: feed.name, address: "", bytes: feed.document)
      count(document)
      var task = DocumentTask(document: document, request: request) {
        [areDeleted = feed.areDeleted, mistakes = feed.allMistakes] result in
        var result = result.adding(mistakes)
        // The user may remove the only whole copies.
        result.hasCopiesInPart = result.shortenedTexts + result.shortenedLists > 0
        // They belong to the feed's other articles.
        if !areDeleted || result.isLost || result.isPartial { end(result) }
        self.progress.update { $0.documents -= 1 }
      }
      (task.marks, task.others, task.isPartial) = (feed.marks, feed.others, true)
      (task.areDeleted, task.lastArticle) = (feed.areDeleted, lastArticle)
      workers.one(of: request).read(task)
    }
  }

  /// Returns the documents that were imported before, by address, with their feeds.
  private func known(among group: [InputDocument]) throws(Failure) -> [String: WebAddress?] {
    if plan.readsAgain { return [:] }
    do throws(StoreError) {
      return try KnownDocuments.find(among: group, plan.feed, in: reading)
    } catch {
      throw .store(error)
    }
  }

  /// Notes a document that a worker will read, when there is room for it.
  private func count(_ document: InputDocument) {
    let bytes = document.headCount
    // The saves of documents end when the writer has no others, or when it must.
    if progress.update({ $0.documents >= Self.mostDocuments }) { root.flush() }
    progress.wait { state -> Void? in
      guard state.documents < Self.mostDocuments,
        state.bytes == 0 || state.bytes + bytes <= Self.mostWaiting
      else { return nil }
      state.bytes += bytes
      state.documents += 1
      return ()
    }
  }

  /// Waits until all documents so far have ended.
  private func awaitDocuments() {
    root.flush()
    progress.wait { $0.documents == 0 ? () : nil }
  }

  // MARK: Any thread

  /// Returns whether a dry run has not counted an article yet, and notes it.
  func isFirst(guid: some Sequence<UInt8>, ofFeedAt address: String) -> Bool {
    var hasher = Hasher()
    hasher.combine(address)
    for byte in guid { hasher.combine(byte) }
    let hash = hasher.finalize()
    return counted.withLock { $0.insert(hash).inserted }
  }

  /// Notes that a document was read, although its save may not have ended.
  func didRead(_ document: InputDocument) {
    let bytes = document.headCount
    progress.update { $0.bytes -= bytes }
  }

  /// Ends a document.
  func end(_ result: Result) {
    if !result.isLost { report(result) }
    progress.update { $0.documents -= 1 }
  }

  /// Returns the result of a document that the store rejected. If the store is the cause, the import ends, because it would
  /// reject the others as well.
  func unsaved(_ result: Result, _ error: StoreError) -> Result {
    var result = result
    if error.isRefusal {
      (result.outcome, result.cause) = (.failed, "cannot be saved: \(error)")
    } else {
      end(with: .store(error))
      result.isLost = true
    }
    return result
  }

  private func end(with failure: Failure) {
    progress.update { $0.failure = $0.failure ?? failure }
    hasFailed.store(true, ordering: .relaxed)
  }
}

extension [DocumentWorker] {
  /// Returns the worker of a feed. Documents of one feed have the same, which reads them in their order.
  fileprivate func one(of request: FeedRequest) -> DocumentWorker {
    self[Int(truncatingIfNeeded: request.feed.key.magnitude % UInt64(count))]
  }
}

extension DocumentImport.Result {
  /// Adds the articles of a part.
  fileprivate mutating func add(_ part: DocumentImport.Result) {
    inserted += part.inserted
    edited += part.edited
    skipped += part.skipped
    dropped += part.dropped
    shortenedTexts += part.shortenedTexts
    shortenedLists += part.shortenedLists
    hasCopiesInPart = hasCopiesInPart || part.hasCopiesInPart
    causes += part.causes
    outcome = inserted + edited > 0 ? .updated : .unchanged
  }

  /// Returns the result with lines that were not imported.
  fileprivate func adding(_ mistakes: LineMistakes) -> DocumentImport.Result {
    guard !mistakes.isEmpty else { return self }
    var result = self
    result.causes += mistakes.causes
    result.failedLines += mistakes.lines
    result.outcome = .failed
    return result
  }

  fileprivate init(name: String, _ failure: InputFailure) {
    self.init(name: name)
    cause = failure.cause
    isMissing = failure.kind == .missing
    isUnreadable = true
  }

  init(name: String) {
    self.name = name
  }
}
