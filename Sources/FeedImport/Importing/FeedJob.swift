import FeedParsing
import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import WebAddress

/// One feed's response on its way through a worker: from the head of the answer to the rows for the store.
///
/// It decides and collects; the worker saves. Not `Sendable`: it lives inside its worker.
final class FeedJob {
  /// What is to be saved now.
  struct Save: Sendable {
    let feed: ManagedObjectID
    var articles: [BatchUpsert] = []
    /// What the feed says of itself, where it may never be read to its end; nil where ``answer`` tells it.
    var about: FeedAnswer.About?
    /// Nil in a part of a large response: only the last part says how it ended.
    var answer: FeedAnswer?
  }

  let request: FeedRequest
  /// What the store has inserted and edited of this response so far.
  let tally = ArticleTally()
  /// The save of the last part; nil before the first.
  var lastPart: SaveTicket?
  /// Some of its articles were lost on the way to the store: nothing more of it may be saved, least of all the
  /// validators.
  var isBroken = false
  private let options: ImportOptions
  private var verdict: Verdict?
  /// Where the answer came from; nil before it.
  private var answeredFrom: WebAddress?
  private var intake: BodyIntake?
  private var articles: ArticleRows?
  private var failure: FeedError?
  /// Rows that wait for the end of the response, or for enough of them to make a part.
  private var held: [BatchUpsert] = []
  /// How many rows they are.
  private var heldCount = 0
  /// Bytes of text in ``held``.
  private var heldText = 0
  /// All memory of ``held``, in bytes.
  private var heldMemory = 0
  private var hasSavedPart = false

  /// Articles are taken out of the parser in batches of this size: larger arenas would be copied as they grow.
  private static let batchBytes = 1 << 20

  /// So many answers in a row with the whole document and no news, though the requests were conditional, tell that
  /// validators do not help.
  static let enoughWaste = 3

  init(_ request: FeedRequest, options: ImportOptions) {
    self.request = request
    self.options = options
  }

  /// About how much memory the response took when the last event had been handled, in bytes.
  private(set) var memory = 0

  /// Notes how much memory the response takes now.
  ///
  /// - Returns: How much it grew.
  func measure() -> Int {
    let before = memory
    memory = heldMemory + (intake?.memory ?? 0)
    return memory - before
  }

  /// Takes the head of the answer.
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

  /// Parses some of the body.
  ///
  /// - Returns: What is to be saved before the end, because the response is larger than one transaction holds.
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
    // What fits into one transaction is either saved whole or, with the body that grows beyond its limit, not at all.
    guard options.maxBody > options.atomicBytes else {
      if heldCount > options.atomicArticles {
        giveUp(
          .limit(
            name: "articles in a response (a larger --max-body takes them in parts)",
            value: options.atomicArticles))
      }
      return nil
    }
    // After the first part, which is as large as may be, smaller ones keep memory low. Tiny articles have more
    // memory around them than text.
    let limit = hasSavedPart ? options.atomicBytes / 8 : options.atomicBytes
    guard heldText > limit || heldMemory > 2 * limit else { return nil }
    hasSavedPart = true
    return Save(feed: request.feed, articles: takeHeld(), about: FeedAnswer.About(parser.details))
  }

  /// Ends the response.
  ///
  /// - Returns: What is to be saved; nil when the transfer was cancelled, which says nothing of the feed.
  func finish(
    _ result: Result<DownloadSummary, DownloadError>, at now: Date, knowing store: FeedInStore
  ) throws(StoreError) -> Save? {
    var answer = FeedAnswer(outcome: .failed, date: now)
    switch result {
    case .failure(.cancelled), .failure(.hostClosed), .failure(.hostSilent),
      .failure(.redirected(_, .hostClosed)),
      .failure(.withheld):
      return nil
    case .failure(.redirected(let place, let error)): answer.error = error.description + request.place(place)
    case .failure(let error): answer.error = error.description + request.place(request.address)
    case .success(let summary):
      answer.summary = summary
      switch verdict ?? Verdict(summary.head) {
      case .notModified: answer.outcome = .unchanged
      case .failure(let cause, let isGone):
        (answer.error, answer.isGone) = (cause + request.place(summary.head.address), isGone)
      case .articles: return try finishBody(answer, summary, knowing: store)
      }
    }
    answer.plan(request, options)
    return Save(feed: request.feed, answer: answer)
  }

  /// What is saved of a feed whose redirect leads to an address that is left alone: its own address, too, is not asked
  /// again before.
  func pause(at address: WebAddress, until date: Date, now: Date) -> Save {
    var answer = FeedAnswer(outcome: .failed, date: now)
    answer.pause = .init(
      address: address, until: date, reason: PollReason(.pausedTarget))
    return Save(feed: request.feed, answer: answer)
  }

  /// What is saved of a feed whose host has answered no other: it is due again as after a first failure, which it is not.
  ///
  /// - Parameters:
  ///   - count: How many did not get an answer.
  ///   - proxy: The proxy that is to blame; nil where the host is.
  ///   - now: The time.
  func putOff(afterSilenceOf count: Int, proxy: String?, now: Date) -> Save {
    var answer = FeedAnswer(outcome: .failed, date: now)
    let wait = options.schedule.backoff(afterFailures: request.failures + 1)
    answer.pause = .init(
      address: nil, until: now.addingTimeInterval(wait),
      reason: PollReason(proxy == nil ? .silentHost : .silentProxy, count: count, proxy: proxy))
    return Save(feed: request.feed, answer: answer)
  }

  private func finishBody(
    _ unfinished: FeedAnswer, _ summary: DownloadSummary, knowing store: FeedInStore
  ) throws(StoreError) -> Save {
    var answer = unfinished
    var save = Save(feed: request.feed)
    do throws(FeedError) {
      if let failure { throw failure }
      (answer.outcome, answer.error, answer.saved) = try outcome(of: summary.head)
    } catch {
      answer.error = error.description + request.place(summary.head.address)
      answer.isWebPage = intake?.parser.isWebPage ?? false
    }
    if let parser = intake?.parser { try hold(parser, knowing: store) }
    save.articles = takeHeld()
    if let details = intake?.parser.details {
      answer.shortened = (
        details.shortenedTextCount, details.shortenedListCount, details.droppedItemCount
      )
      // Articles without the name of their feed would be of little use until it can be read to its end.
      if answer.outcome == .failed, articles != nil { save.about = FeedAnswer.About(details) }
    }
    answer.inserted = articles?.inserted ?? 0
    answer.edited = articles?.edited ?? 0
    answer.skipped = articles?.skipped ?? 0
    answer.joined = articles?.joined ?? 0
    // A first answer is no "not modified", whatever is in it.
    if answer.outcome == .updated && answer.inserted + answer.edited == 0 && request.fetches > 0 {
      answer.outcome = .unchanged
    }
    // Some of a feed's articles tell nothing of how often there are new ones.
    answer.saved?.details?.rhythm =
      summary.head.isPartialFeed ? request.before.rhythm : articles?.dates.rhythm(at: answer.date)
    // Where something is missing of the document, what it does not list may be there.
    if let saved = answer.saved?.details, saved.isWhole, !summary.head.isPartialFeed {
      answer.tombstones = articles?.tombstoneCare(at: answer.date)
    }
    if answer.outcome == .unchanged, summary.head.status == 200, summary.head.wasConditional {
      answer.wastesValidators = try store.hasWastedValidators(after: FeedJob.enoughWaste - 1)
    }
    answer.plan(request, options)
    save.answer = answer
    return save
  }

  /// How the body ended, and what is kept of it beside its articles.
  ///
  /// A body that was cut leaves no validators: the next fetch asks for all of it again, and it may be whole then.
  private func outcome(
    of head: ResponseHead
  ) throws(FeedError) -> (FetchOutcome, error: String?, FeedAnswer.SavedBody?) {
    guard let end = try intake?.finish() else { return (.failed, "no answer", nil) }
    // The next whole body is no other for that, but the hash of this one would never be met again.
    let hash = head.isPartialFeed ? nil : intake?.bodyHash
    var saved = FeedAnswer.SavedBody(etag: head.etag, lastModified: head.lastModified, hash: hash)
    guard case .parsed(let details) = end else { return (.unchanged, nil, saved) }
    guard !details.isTruncated else {
      return (.failed, "truncated: the document ends before its last element; whole articles were kept", nil)
    }
    saved.details = .init(
      title: details.title, homePage: details.homePageURL, hints: PublisherHints(of: details),
      isWhole: details.droppedItemCount == 0)
    return (.updated, nil, saved)
  }

  /// Takes the complete articles out of the parser, and keeps what is new or edited.
  private func hold(_ parser: FeedParser, knowing store: FeedInStore) throws(StoreError) {
    let items = parser.takeItems()
    guard !items.items.isEmpty else { return }
    if articles == nil {
      articles = ArticleRows(
        feed: request.feed, known: try store.known(), now: options.now(), filter: request.filter,
        origin: answeredFrom.map(request.origin) ?? DocumentOrigin())
    }
    let batches = try articles?.rows(of: items) { keys throws(StoreError) in try store.articles(keys) } ?? []
    for batch in batches {
      held.append(batch)
      heldCount += batch.rows.count
      heldText += batch.rows.bytes.count
      heldMemory += batch.rows.byteCount
    }
  }

  /// Forgets all that was read.
  private func giveUp(_ error: FeedError) {
    failure = error
    intake = nil
    articles = nil
    _ = takeHeld()
  }

  private func takeHeld() -> [BatchUpsert] {
    defer {
      held = []
      heldCount = 0
      heldText = 0
      heldMemory = 0
    }
    return held
  }
}
