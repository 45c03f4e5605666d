import FeedParsing
import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import Threading
import WebAddress

/// Processes one feed's response in a worker, from the answer's head to the rows for the store.
///
/// It decides and collects; the worker saves. Not `Sendable`: it lives inside its worker.
final class FeedJob {
  struct Save: Sendable {
    let feed: ManagedObjectID
    var articles: [BatchUpsert] = []
    /// The feed's own description, for a document that may not be read to its end; nil if ``answer`` has it.
    var about: FeedAnswer.About?
    /// True if stored articles differ from a document that does not come from a server.
    var changesArticles = false
    /// Nil in a part from a large response: only the last part has the result.
    var answer: FeedAnswer?

    /// The articles' approximate memory, in bytes.
    var byteCount: Int { articles.reduce(0) { $0 + $1.rows.byteCount } }
  }

  let request: FeedRequest
  /// The response's transfer; nil without one.
  let transfer: TransferID?
  /// The articles from this response that the store has inserted and edited so far.
  let tally = Locked(ArticleTally())
  /// The last part's save; nil before the first.
  var lastPart: SaveTicket?
  /// True if some articles were lost on the way to the store. The rest of the response must not be saved,
  /// least of all its validators.
  var isBroken = false
  let options: ImportOptions
  private var verdict: Verdict?
  /// The address that answered; nil before the answer.
  private var answeredFrom: WebAddress?
  private var intake: BodyIntake?
  private var articles: ArticleRows?
  private var hasStoredGuids = false
  private var failure: FeedError?
  /// Rows that wait for the end of the response, or for a full part.
  private var held: [BatchUpsert] = []
  /// The row count in ``held``.
  private var heldCount = 0
  /// True if ``held`` has changes to stored articles.
  private var holdsChanges = false
  /// The text size in ``held``, in bytes.
  private var heldText = 0
  /// The memory for ``held``, in bytes.
  private var heldMemory = 0
  private var hasSavedPart = false

  /// The minimum size of batches taken from the parser: larger arenas would be copied as they grow.
  private static let batchBytes = 256 << 10

  /// The consecutive conditional requests, answered by the whole document without news, after which
  /// validators count as useless.
  static let enoughWaste = 3

  init(_ request: FeedRequest, of transfer: TransferID? = nil, options: ImportOptions) {
    self.request = request
    self.transfer = transfer
    self.options = options
  }

  /// The hash of the body's elements if it is a web page instead of a feed; nil for other documents.
  private(set) var pageHash: Int64?

  /// The response's approximate memory after the last event, in bytes.
  private(set) var memory = 0

  /// Measures the response's memory.
  ///
  /// - Returns: The increase, in bytes.
  func measure() -> Int {
    let before = memory
    memory = heldMemory + (intake?.memory ?? 0)
    return memory - before
  }

  /// Receives the answer's head.
  func receive(_ head: ResponseHead) {
    let verdict = Verdict(head)
    self.verdict = verdict
    answeredFrom = head.address
    if verdict == .articles {
      let source = DocumentSource(url: head.address.text, contentType: head.contentType)
      let isCoded = head.contentEncoding != nil
      intake = BodyIntake(
        source: source, expectedBytes: isCoded ? 0 : head.contentLength ?? 0,
        lastHash: head.isPartialFeed ? nil : request.bodyHash)
    }
  }

  /// Begins a document that does not come from a server.
  ///
  /// - Parameters:
  ///   - base: The address that relative addresses are resolved against; nil if unknown.
  ///   - hasStoredGuids: True if the document's ids are guids from a store.
  func begin(base: WebAddress?, hasStoredGuids: Bool = false) {
    self.hasStoredGuids = hasStoredGuids
    answeredFrom = request.address
    intake = BodyIntake(source: DocumentSource(url: base?.text), expectedBytes: 0, lastHash: nil)
  }

  /// Parses a part of the body.
  ///
  /// - Returns: A part to save before the end, because the response exceeds one transaction; nil without one.
  func receive(_ chunk: [UInt8], knowing store: FeedInStore) throws(StoreError) -> Save? {
    guard failure == nil, intake != nil else { return nil }
    do throws(FeedError) {
      try intake?.push(chunk)
    } catch {
      failure = error
      return nil
    }
    guard let parser = intake?.parser, parser.pendingByteCount > min(Self.batchBytes, options.atomicBytes)
    else {
      return nil
    }
    try hold(parser, knowing: store)
    // A response that fits into one transaction is saved whole or not at all.
    guard options.maxBody > options.atomicBytes else {
      if heldCount > options.atomicArticles {
        giveUp(
          .limit(
            name: "articles in a response (a larger --max-body takes them in parts)",
            value: options.atomicArticles))
      }
      return nil
    }
    // After the first part, which may have the full size, smaller parts keep memory low. Tiny articles take
    // more memory than their text.
    let limit = hasSavedPart ? options.atomicBytes / 8 : options.atomicBytes
    guard heldText > limit || heldMemory > 2 * limit else { return nil }
    hasSavedPart = true
    let changes = holdsChanges
    return Save(
      feed: request.feed, articles: takeHeld(), about: FeedAnswer.About(parser.details),
      changesArticles: changes)
  }

  /// Ends the response.
  ///
  /// - Returns: The last save; nil if the transfer was cancelled, which says nothing about the feed.
  func finish(
    _ result: Result<DownloadSummary, DownloadError>, at now: Date, knowing store: FeedInStore
  ) throws(StoreError) -> Save? {
    var answer = FeedAnswer(outcome: .failed, date: now)
    switch result {
    case .failure(.cancelled), .failure(.hostClosed), .failure(.hostSilent),
      .failure(.redirected(_, .hostClosed)),
      .failure(.withheld):
      return nil
    case .failure(.redirected(let place, let error)):
      answer.failure = request.failure(PollFailure(transfer: error), at: place)
    case .failure(let error):
      answer.failure = request.failure(PollFailure(transfer: error), at: request.address)
    case .success(let summary):
      answer.summary = summary
      switch verdict ?? Verdict(summary.head) {
      case .notModified: answer.outcome = .unchanged
      case .refusal:
        answer.outcome = .refused
        answer.failure = request.failure(PollFailure(summary.head), at: summary.head.address)
      case .failure(let isGone):
        answer.failure = request.failure(PollFailure(summary.head), at: summary.head.address)
        answer.isGone = isGone
      case .articles: return try finishBody(answer, summary, knowing: store)
      }
    }
    answer.plan(request, options)
    return Save(feed: request.feed, answer: answer)
  }

  /// The article counts so far.
  var counts: ArticleCounts { articles?.counts ?? ArticleCounts() }

  /// The document's values other than its articles, as far as they were read; nil without a document.
  var details: FeedDetails? { intake?.parser.details }

  /// Ends a document that ``begin(base:hasStoredGuids:)`` began. A damaged one's complete articles are saved.
  ///
  /// - Parameter interruption: The reason why the rest could not be read; nil if it was read.
  /// - Returns: The last save, without an answer, because the feed was not polled. Also the reason why the
  ///   document is not whole; nil for a whole one.
  func finishDocument(
    _ interruption: String? = nil, knowing store: FeedInStore
  ) throws(StoreError) -> (save: Save, cause: String?) {
    var cause = interruption
    do throws(FeedError) {
      if let failure { throw failure }
      if interruption == nil, case .parsed(let details)? = try intake?.finish(), details.isTruncated {
        cause = PollFailure(.truncatedDocument).description
      }
    } catch {
      cause = error.description
    }
    var save = Save(feed: request.feed)
    guard let parser = intake?.parser else { return (save, cause) }
    try hold(parser, knowing: store)
    save.changesArticles = holdsChanges
    save.articles = takeHeld()
    if cause == nil || articles != nil { save.about = FeedAnswer.About(parser.details) }
    return (save, cause)
  }

  private func finishBody(
    _ unfinished: FeedAnswer, _ summary: DownloadSummary, knowing store: FeedInStore
  ) throws(StoreError) -> Save {
    var answer = unfinished
    var save = Save(feed: request.feed)
    do throws(FeedError) {
      if let failure { throw failure }
      (answer.outcome, answer.failure, answer.saved) = try outcome(of: summary.head)
    } catch {
      answer.isWebPage = intake?.parser.isWebPage ?? false
      var failure = PollFailure(document: error)
      if answer.isWebPage, let page = intake?.parser.foreignBeginning, BotWall.isPage(page) {
        failure = PollFailure(.challenge, number: summary.head.status)
        answer.isWebPage = false
      }
      answer.failure = request.failure(failure, at: summary.head.address)
      if answer.isWebPage { pageHash = intake?.shapeHash }
    }
    if let parser = intake?.parser { try hold(parser, knowing: store) }
    save.articles = takeHeld()
    if let details {
      answer.shortened = (
        details.shortenedTextCount, details.shortenedListCount, details.droppedItemCount
      )
      // Articles without their feed's name would be of little use until the feed can be read to its end.
      if answer.outcome == .failed, articles != nil { save.about = FeedAnswer.About(details) }
    }
    answer.counts = counts
    // A first answer counts as updated, whatever it contains.
    if answer.outcome == .updated, !counts.hasNews, request.fetches > 0 { answer.outcome = .unchanged }
    // A partial feed does not show the publishing interval.
    answer.saved?.details?.publishingInterval =
      summary.head.isPartialFeed
      ? request.publishingInterval : articles?.dates.publishingInterval(at: answer.date)
    answer.saved?.details?.newsWindow =
      summary.head.isPartialFeed
      ? request.newsWindow : articles?.document.map { newsWindow($0, at: answer.date) }
    // If a part of the document is missing, that part may list the other articles.
    if let saved = answer.saved?.details, saved.isWhole, !summary.head.isPartialFeed {
      answer.tombstones = articles?.tombstoneCare(at: answer.date)
    }
    if answer.outcome == .unchanged, summary.head.isDocument, summary.head.wasConditional {
      answer.wastesValidators = try store.hasWastedValidators(after: FeedJob.enoughWaste - 1)
    }
    answer.plan(request, options)
    save.answer = answer
    return save
  }

  private func newsWindow(_ document: NewsWindow.Document, at now: Date) -> NewsWindow {
    NewsWindow.after(
      document, knowing: request.newsWindow, interval: request.publishingInterval,
      lastFetch: request.fetches > 0 ? request.lastFetch : nil, at: now)
  }

  /// Returns the body's end, and the values that are stored with its articles.
  ///
  /// A cut body leaves no validators: the next poll requests the whole body again.
  private func outcome(
    of head: ResponseHead
  ) throws(FeedError) -> (FetchOutcome, PollFailure?, FeedAnswer.SavedBody?) {
    guard let end = try intake?.finish() else { return (.failed, PollFailure(.noAnswer), nil) }
    // A partial body's hash would never match again.
    let hash = head.isPartialFeed ? nil : intake?.bodyHash
    var saved = FeedAnswer.SavedBody(etag: head.etag, lastModified: head.lastModified, hash: hash)
    guard case .parsed(let details) = end else { return (.unchanged, nil, saved) }
    guard !details.isTruncated else {
      return (.failed, PollFailure(.truncatedDocument), nil)
    }
    saved.details = .init(
      about: FeedAnswer.About(details), hints: PublisherHints(of: details),
      isWhole: details.droppedItemCount == 0)
    return (.updated, nil, saved)
  }

  /// Takes the complete articles from the parser, and keeps new and edited ones.
  private func hold(_ parser: FeedParser, knowing store: FeedInStore) throws(StoreError) {
    let items = parser.takeItems()
    guard !items.items.isEmpty else { return }
    if articles == nil {
      articles = ArticleRows(
        feed: request.feed, known: try store.known(), now: options.now(), filter: request.filter,
        volatile: request.volatile, origin: answeredFrom.map(request.origin) ?? DocumentOrigin(),
        answer: verdict == nil
          ? .ofFile : AnswerNumber(fetches: request.fetches, failures: request.failures),
        hasStoredGuids: hasStoredGuids)
    }
    let changes = counts.changes
    let batches =
      try articles?.rows(
        of: items, statedAt: parser.details.modified,
        reading: { keys throws(StoreError) in try store.articles(keys) },
        versions: { keys throws(StoreError) in try store.versions(keys) },
        asking: { question throws(StoreError) in try store.answer(question) }) ?? []
    if counts.changes > changes { holdsChanges = true }
    for batch in batches {
      held.append(batch)
      heldCount += batch.rows.count
      heldText += batch.rows.bytes.count
      heldMemory += batch.rows.byteCount
    }
  }

  private func giveUp(_ error: FeedError) {
    failure = error
    intake = nil
    articles = nil
    _ = takeHeld()
  }

  private func takeHeld() -> [BatchUpsert] {
    defer {
      held = []
      holdsChanges = false
      heldCount = 0
      heldText = 0
      heldMemory = 0
    }
    return held
  }
}
