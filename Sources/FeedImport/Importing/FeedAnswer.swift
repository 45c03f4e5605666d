import FeedParsing
import Foundation
import HTTPDownload
import ManagedContext
import NewsModel
import WebAddress

/// A poll's result, as written into the feed and its log.
struct FeedAnswer: Sendable {
  var outcome: FetchOutcome
  var date: Date
  var failure: PollFailure?
  /// The numbers of shortened texts, shortened lists and omitted articles.
  var shortened = (texts: 0, lists: 0, articles: 0)
  var counts = ArticleCounts()
  /// The number of articles that changed after their move to an archive.
  var archivedEdits: Int { tombstones?.changed.count ?? 0 }
  /// True if the document is an HTML page.
  var isWebPage = false
  var notBefore: Date?
  var isGone = false
  private(set) var next = Schedule.Next(date: nil, reason: PollReason(.trial))
  /// The transfer's end; nil without an answer.
  var summary: DownloadSummary?
  /// The values for a saved body; nil if none was saved.
  var saved: SavedBody?

  /// True if whole documents without news repeatedly answered conditional requests.
  var wastesValidators = false

  /// Set if a redirect was not followed, or if no request was made. Nothing else is written then.
  var pause: Pause?

  /// The changes to the feed's tombstones; nil if nothing changes.
  var tombstones: DeletedArticles.Care?

  struct Pause: Sendable {
    /// The address that must not be polled; nil if the feed is only postponed.
    var address: WebAddress?
    var until: Date
    var reason: PollReason
    /// True if the feed waits for its turn at a redirect's host. It stays as due as before.
    var isTurn = false
  }

  struct SavedBody: Sendable {
    var etag: [UInt8]?
    var lastModified: [UInt8]?
    var hash: Int64?
    /// Nil if the body was not parsed because it equals the last one.
    var details: Details?
  }

  /// The feed's name, page and language, as far as they were read.
  struct About: Sendable {
    var title: String?
    var homePage: String?
    var language: String?

    /// Creates the values from a document; nil if it states none.
    init?(_ details: FeedDetails) {
      (title, homePage, language) = (details.title, details.homePageURL, details.language)
      guard title != nil || homePage != nil || language != nil else { return nil }
    }

    /// Writes the values into the feed.
    ///
    /// - Parameter onlyMissing: True to keep the feed's existing values.
    func apply(to feed: Feed, onlyMissing: Bool = false) {
      if let title, onlyMissing ? feed.title == nil : feed.title != title { feed.title = title }
      if let homePage, onlyMissing ? feed.homePage == nil : feed.homePage != homePage {
        feed.homePage = homePage
      }
      if let language, onlyMissing ? feed.language == nil : feed.language != language {
        feed.language = language
      }
    }
  }

  struct Details: Sendable {
    var about: About?
    var hints: PublisherHints
    /// True if all articles could be read.
    var isWhole: Bool
    var publishingInterval: PublishingInterval?
    var newsWindow: NewsWindow?
  }

  /// Returns the count of consecutive failures, including this poll.
  func failures(after request: FeedRequest) -> Int {
    switch outcome {
    case .updated, .unchanged: 0
    case .refused: request.failures
    case .failed: request.failures + 1
    }
  }

  /// Plans the next poll.
  mutating func plan(_ request: FeedRequest, _ options: ImportOptions) {
    // The first address may be valid.
    if isMoveDoubtful(request) { isGone = false }
    var known = Schedule.Knowledge()
    // The host's refusal says nothing about the feed, which is as due as before.
    known.failures = outcome == .refused ? 0 : failures(after: request)
    known.isGone = isGone
    known.hints = saved?.details?.hints ?? request.hints
    known.publishingInterval = saved?.details?.publishingInterval ?? request.publishingInterval
    known.interval = request.interval
    known.runInterval = options.runInterval
    known.hasValidators = saved.map { $0.etag != nil || $0.lastModified != nil } ?? request.hasValidators
    known.wastesValidators = wastesValidators
    known.newsWindow = saved?.details?.newsWindow ?? request.newsWindow
    // The last run's clock may have been wrong. Its planned time is right all the same.
    known.lastInterval = request.lastFetch.map {
      min(max(0, date.timeIntervalSince($0)), request.plannedInterval ?? .infinity)
    }
    known.hadNews = counts.hasNews
    known.spread = request.spread
    if let head = summary?.head {
      known.freshness = Freshness.lifetime(of: head, at: date)
      known.isFreshByExpires = Freshness.maxAge(of: head) == nil
      known.wastesValidators = wastesValidators || request.missesValidators(head)
      known.retryAfter = Verdict.pause(head, at: date, options.schedule)
      known.retryWish = RetryAfter.wish(head.retryAfter, at: date)
      known.rejects = outcome == .refused || Verdict.rejects(head.status) ? head.status : nil
      known.isRefused = outcome == .refused
    }
    notBefore = known.retryAfter.map { date.addingTimeInterval($0) }
    next = options.schedule.next(after: known, at: date, random: options.random())
  }

  /// Returns the counts that the log should have after the save; nil if it has them.
  ///
  /// They differ if another process has saved some of the articles first. An article that it inserted was
  /// edited here, or was the same.
  func correction(_ saved: ArticleTally) -> ArticleTally? {
    let (inserted, edited) = (counts.inserted, counts.edited)
    guard pause == nil, saved.inserted < inserted || saved.edited < edited else { return nil }
    return .init(
      inserted: saved.inserted, edited: min(saved.edited, edited + max(0, inserted - saved.inserted)))
  }

  /// Corrects the counts in the feed and in the log, and pushes the correction.
  ///
  /// - Returns: Nil if the log has no entry for this answer, or has a later answer.
  func correct(
    to counts: ArticleTally, of request: FeedRequest, in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    let feed = try context.existingObject(Feed.self, with: request.feed)
    let slot = (feed.fetches + FetchRecord.kept - 1) % FetchRecord.kept
    let records = try context.fetch(
      FetchRequest(FetchRecord.self, where: \.feed == request.feed && \.slot == slot))
    guard let record = records.first, record.run == request.claim?.run else { return nil }
    (record.inserted, record.edited) = (counts.inserted, counts.edited)
    (feed.lastInserted, feed.lastEdited) = (counts.inserted, counts.edited)
    if outcome == .updated, counts.inserted + counts.edited == 0, request.fetches > 0 {
      record.storedOutcome = FetchOutcome.unchanged.rawValue
      feed.lastOutcome = .unchanged
    }
    return try context.push(after: nil)
  }

  /// Writes the answer into the feed and the log, in the save with its articles.
  func apply(_ request: FeedRequest, to feed: Feed, in context: ManagedObjectContext) {
    if let pause { return apply(pause, to: feed) }
    var row = feed
    let slot = write(to: &row)
    if let summary, outcome.isSuccess {
      if let details = saved?.details {
        details.about?.apply(to: feed)
        details.hints.write(to: feed)
        details.publishingInterval?.write(to: feed)
        details.newsWindow?.write(to: feed)
      }
      applyMove(to: feed, request, summary.head)
    } else if isMoveDoubtful(request) {
      doubtMove(of: feed, request)
    }
    var records = Self.records()
    appendRecord(of: request, slot: slot, to: &records)
    context.insert(BatchUpsert(records, unique: Self.recordPlace))
  }

  private func apply(_ pause: Pause, to feed: Feed) {
    if let address = pause.address {
      feed.notBefore = pause.until
      feed.pausedURL = address.removingPassword
    }
    feed.nextReason = pause.reason
    if pause.isTurn { return }
    feed.scheduledAt = date
    feed.nextFetch = pause.until
  }
}
