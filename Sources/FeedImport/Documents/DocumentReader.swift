import DocumentReading
import FeedParsing
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// Reads an import's documents, finds their feeds, and passes them to workers, on its own thread.
final class DocumentReader {
  private let run: DocumentImport
  private let plan: DocumentImport.Plan
  private let feeds: DocumentFeeds
  private let workers: [DocumentWorker]

  init(of run: DocumentImport, _ contents: StoreContents) {
    (self.run, plan) = (run, run.plan)
    feeds = DocumentFeeds(run)
    workers = (0..<max(1, run.options.workers)).map { DocumentWorker(number: $0 + 1, contents, of: run) }
  }

  /// Reads all documents, and waits until they have ended. A failure ends the import.
  func readAll() {
    do throws(ImportFailure) {
      if let conversion = plan.converted { readFeeds(of: conversion) }
      try readArguments()
    } catch {
      run.end(with: error)
    }
    run.unfinished.awaitEnd()
  }

  private func readArguments() throws(ImportFailure) {
    let reader = InputReader(plan.arguments) { [run] in run.mustEnd }
    var group = Group<InputDocument>()
    while !run.mustEnd, let part = reader.next() {
      switch part {
      case .failure(let name, let failure): run.report(DocumentImport.Result(name: name, failure))
      case .doubt(let name, let cause):
        var result = DocumentImport.Result(name: name)
        result.doubt = cause
        run.report(result)
      case .document(let document):
        let isFull = group.add(document, document.headCount)
        if isFull || document.isStreamed { try start(group.takeAll()) }
      }
    }
    try start(group.takeAll())
  }

  private struct Group<Document> {
    private static var mostDocuments: Int { 64 }
    private static var mostBytes: Int { 4 << 20 }

    private var documents: [Document] = []
    private var bytes = 0

    /// Adds a document, and returns whether the group is full.
    mutating func add(_ document: Document, _ count: Int) -> Bool {
      documents.append(document)
      bytes += count
      return documents.count >= Self.mostDocuments || bytes >= Self.mostBytes
    }

    mutating func takeAll() -> [Document] {
      defer { (documents, bytes) = ([], 0) }
      return documents
    }
  }

  private static let databaseCause =
    "a SQLite database, not a document; newsimport list --all --copies --json --full --store FILE writes the articles of a "
    + "news store for import, newsimport store attach reads it beside this one, and import --from takes over other programs"

  private func start(_ group: [InputDocument]) throws(ImportFailure) {
    var found: [(document: InputDocument, address: WebAddress)] = []
    let known = try feeds.known(among: group)
    for document in group {
      // Only the lines show their feeds.
      if let feed = known[document.address], feed != nil || plan.region == nil {
        // A feed that is already in the store may be new to the region.
        if let feed, plan.region != nil { _ = try feeds.requests(at: [feed]) }
        var result = DocumentImport.Result(name: document.name)
        (result.feed, result.outcome, result.isKnown) = (feed, .unchanged, true)
        run.report(result)
        continue
      }
      switch plan.isOfReader ? .reader : DocumentKind(of: document) {
      case .database: run.report(DocumentImport.Result(unreadable: document.name, Self.databaseCause))
      case .list:
        run.unfinished.awaitEnd()
        var lines = ListedLines(document, feed: plan.feed)
        try read(&lines, of: document, after: try feeds.lastArticle())
      case .reader:
        run.unfinished.awaitEnd()
        try readItems(of: document)
      case .feed:
        do throws(FeedError) {
          let stated = try DocumentProbe.address(of: document)
          found.append((document, plan.feed ?? stated ?? WebAddress(document.address)))
        } catch {
          run.report(DocumentImport.Result(unreadable: document.name, error.description))
        }
      }
    }
    let requests = try feeds.requests(at: found.map(\.address))
    for (document, address) in found {
      guard let request = requests[address] else { continue }
      read(
        DocumentTask(
          document: document, request: request, base: address.isFile ? nil : address, report: run.report))
      if document.isStreamed { run.unfinished.awaitEnd() }
    }
  }

  /// Passes a document to a worker as soon as it has room. One worker reads a feed's documents, in order.
  private func read(_ task: DocumentTask) {
    run.unfinished.begin(task.document.headCount)
    workers[Int(truncatingIfNeeded: task.request.feed.key.magnitude % UInt64(workers.count))].read(task)
  }

  // MARK: Articles of several feeds

  /// Imports another program's articles. Each feed has a result.
  private func readFeeds(of conversion: DocumentImport.Plan.Conversion) {
    var group = Group<ConvertedFeed>()
    func startGroup() {
      do throws(ImportFailure) {
        try start(group.takeAll(), run.report)
      } catch {
        run.end(with: error)
      }
    }
    let unread = conversion { feed in
      if group.add(feed, feed.byteCount) { startGroup() }
      return !run.mustEnd
    }
    if !run.mustEnd { startGroup() }
    for file in unread { run.report(DocumentImport.Result(unreadable: file.name, file.cause)) }
  }

  /// Imports the articles from a file in the JSON format of Google Reader's API.
  private func readItems(of document: InputDocument) throws(ImportFailure) {
    let bytes: [UInt8]
    do throws(InputFailure) {
      bytes = try document.allBytes(upTo: run.options.maxBody)
    } catch {
      return run.report(DocumentImport.Result(unreadable: document.name, error.cause))
    }
    var items = ReaderItems(bytes, regions: plan.isOfReader ? [ReaderItems.region] : [])
    try read(&items, of: document)
  }

  /// Imports a document that contains articles from several feeds, with one result.
  ///
  /// - Parameter lastArticle: See ``ConvertedArticles/lastArticle``.
  private func read(
    _ articles: inout some ListedArticles, of document: InputDocument, after lastArticle: Int64? = nil
  ) throws(ImportFailure) {
    let sum = Locked(DocumentImport.Result(name: document.name))
    var isWhole = false
    while !run.mustEnd {
      guard let group = articles.next(until: { run.mustEnd }) else {
        isWhole = true
        break
      }
      // The next articles are read while the workers import these.
      try start(group, after: lastArticle) { part in sum.withLock { $0.add(part) } }
      run.report(sum.withLock { $0.ongoing })
    }
    run.unfinished.awaitEnd()
    var result = sum.withLock { $0 }
    result.add(articles.mistakes)
    result.isStopped = !isWhole
    if result.causes.isEmpty, result.dropped == 0 {
      if !plan.isDryRun, !run.mustEnd { try feeds.note(document) }
    } else {
      result.outcome = .failed
      result.isUnreadable = !articles.hasArticles
    }
    run.report(result)
  }

  /// - Parameter lastArticle: See ``ConvertedArticles/lastArticle``.
  private func start(
    _ group: [ConvertedFeed], after lastArticle: Int64? = nil,
    _ report: @escaping @Sendable (DocumentImport.Result) -> Void
  ) throws(ImportFailure) {
    let requests = try feeds.requests(of: group)
    for feed in group {
      guard let request = requests[plan.feed ?? feed.address], !feed.areDeleted || !plan.isDryRun else {
        continue
      }
      let document = InputDocument(name: feed.name, address: "", bytes: feed.document)
      let articles = ConvertedArticles(feed, after: lastArticle)
      read(
        DocumentTask(document: document, request: request, articles: articles) {
          [mistakes = feed.allMistakes] in
          var result = $0
          result.add(mistakes)
          // The user might delete the only whole copies.
          result.hasCopiesInPart = result.shortenedTexts + result.shortenedLists > 0
          // Deleted articles belong to the result for the feed's other articles.
          if !articles.areDeleted || result.isPartial { report(result) }
        })
    }
  }
}

/// One document's articles from several feeds.
protocol ListedArticles {
  /// The parts that could not be read so far.
  var mistakes: LineMistakes { get }
  /// True if any part so far was an article.
  var hasArticles: Bool { get }

  /// Returns the next articles, by feed; nil at the end.
  ///
  /// - Parameter mustEnd: True if no more are wanted.
  mutating func next(until mustEnd: () -> Bool) -> [ConvertedFeed]?
}
