public import Foundation
package import ManagedContext
public import WebAddress

/// A feed's schedule, and the facts that determine it.
extension Feed.Key {
  package static let nextFetch = AttributeKey<Date?>(17, "next_fetch")
  static let reasonText = AttributeKey<String?>(18, "next_reason")
  package static let timeToLive = AttributeKey<Int?>(19, "time_to_live")
  package static let updateInterval = AttributeKey<Int?>(20, "update_interval")
  package static let updateBase = AttributeKey<Date?>(21, "update_base")
  package static let skipHours = AttributeKey<Int?>(22, "skip_hours")
  package static let skipDays = AttributeKey<Int?>(23, "skip_days")
  package static let publishingInterval = AttributeKey<Int?>(24, "rhythm")
  package static let newestArticle = AttributeKey<Date?>(25, "newest_article")
  package static let movedSince = AttributeKey<Date?>(26, "moved_since")
  package static let goodFetchesOfTarget = AttributeKey<Int?>(27, "moved_good_fetches")
  package static let pausedURL = AttributeKey<WebAddress?>(28, "paused_url")
  package static let validatorsURL = AttributeKey<WebAddress?>(29, "validators_url")
  package static let scheduledAt = AttributeKey<Date?>(30, "scheduled_at")
  package static let ownTitle = AttributeKey<String?>(31, "own_title")
  static let reasonCode = AttributeKey<String?>(32, "reason_code")
  static let reasonSeconds = AttributeKey<Int?>(33, "reason_seconds")
  static let reasonCount = AttributeKey<Int?>(34, "reason_count")
  static let reasonStatus = AttributeKey<Int?>(35, "reason_status")
  static let reasonProxy = AttributeKey<String?>(36, "reason_proxy")
  static let isPostponed = AttributeKey<Bool?>(37, "reason_postponed")
  static let errorCode = AttributeKey<String?>(38, "error_code")
  static let errorNumber = AttributeKey<Int?>(39, "error_number")
  static let errorAddress = AttributeKey<WebAddress?>(40, "error_address")
  package static let newsWindow = AttributeKey<Int?>(41, "news_window")
  package static let publishingHours = AttributeKey<Int64?>(42, "publishing_hours")
  package static let lastNews = AttributeKey<Date?>(43, "last_news")
  package static let missedAnswers = AttributeKey<Int?>(44, "missed_answers")
  package static let lastMissed = AttributeKey<Date?>(45, "last_missed")
  package static let language = AttributeKey<String?>(46, "language")
}

extension Feed {
  /// The date on which the feed is due; nil if it was never polled, or never will be again (``isGone410``).
  public var nextFetch: Date? {
    get { self[Key.nextFetch] }
    set { self[Key.nextFetch] = newValue }
  }

  /// The reason for ``nextFetch``; nil if the feed was never polled.
  public var nextReason: PollReason? {
    get { PollReason(self) }
    set {
      var feed = self
      PollReason.write(newValue, to: &feed)
    }
  }

  /// RSS `ttl`, in seconds.
  public var timeToLive: Int? {
    get { self[Key.timeToLive] }
    set { self[Key.timeToLive] = newValue }
  }

  /// The time between updates according to the syndication module, in seconds.
  public var updateInterval: Int? {
    get { self[Key.updateInterval] }
    set { self[Key.updateInterval] = newValue }
  }

  /// The syndication module's `updateBase`.
  public var updateBase: Date? {
    get { self[Key.updateBase] }
    set { self[Key.updateBase] = newValue }
  }

  /// RSS `skipHours`: bit 0 is the hour after midnight, UTC; nil without it.
  public var skipHours: Int? {
    get { self[Key.skipHours] }
    set { self[Key.skipHours] = newValue }
  }

  /// RSS `skipDays`: bit 0 is Sunday; nil without it.
  public var skipDays: Int? {
    get { self[Key.skipDays] }
    set { self[Key.skipDays] = newValue }
  }

  /// The publishing interval: the median time between articles, in seconds; nil if they have no dates.
  public var publishingInterval: Int? {
    get { self[Key.publishingInterval] }
    set { self[Key.publishingInterval] = newValue }
  }

  /// The newest article's date; nil without a dated article.
  public var newestArticle: Date? {
    get { self[Key.newestArticle] }
    set { self[Key.newestArticle] = newValue }
  }

  /// The time that an article stays in the feed's document at the fastest usual pace, in seconds; nil if it
  /// is not known.
  public var newsWindow: Int? {
    get { self[Key.newsWindow] }
    set { self[Key.newsWindow] = newValue }
  }

  /// The hours in which the feed publishes, as `PublishingHours` stores them; nil if they are not known.
  package var publishingHours: Int64? {
    get { self[Key.publishingHours] }
    set { self[Key.publishingHours] = newValue }
  }

  /// The time of the last answer with new articles; nil before the first.
  public var lastNews: Date? {
    get { self[Key.lastNews] }
    set { self[Key.lastNews] = newValue }
  }

  /// Answers without a known article: articles before them may have been missed.
  public var missedAnswers: Int {
    get { max(0, self[Key.missedAnswers] ?? 0) }
    set { self[Key.missedAnswers] = newValue == 0 ? nil : newValue }
  }

  /// The time of the last such answer; nil without one.
  public var lastMissed: Date? {
    get { self[Key.lastMissed] }
    set { self[Key.lastMissed] = newValue }
  }

  /// The date of the first redirect to ``movedTo``, or nil.
  public var movedSince: Date? {
    get { self[Key.movedSince] }
    set { self[Key.movedSince] = newValue }
  }

  /// Successful answers from ``movedTo``. Nil while ``movedSince`` is set if only the user may follow the
  /// move; see ``isMoveForeign``.
  public var goodFetchesOfTarget: Int? {
    get { self[Key.goodFetchesOfTarget] }
    set { self[Key.goodFetchesOfTarget] = newValue }
  }

  /// The address, after redirects, that requested ``notBefore``; nil without a pause.
  public var pausedURL: WebAddress? {
    get { self[Key.pausedURL] }
    set { self[Key.pausedURL] = newValue }
  }

  /// True if ``movedTo`` is on another host than the feed's header fields or credentials. The feed's own
  /// address is still polled, and only the user can change it, even if the configuration changes later.
  public var isMoveForeign: Bool { FeedLocation(self).isForeign }

  /// The polled address: a move's target, else the feed's own address.
  public var currentURL: WebAddress { FeedLocation(self).current }

  /// The address, after redirects, that sent the last body with ``etag`` and ``lastModified``, without a
  /// password; nil if it is unknown.
  public var validatorsURL: WebAddress? {
    get { self[Key.validatorsURL] }
    set { self[Key.validatorsURL] = newValue }
  }

  /// The time at which ``nextFetch`` and ``notBefore`` were determined, by that run's clock; nil before the
  /// first run with version 8.
  public var scheduledAt: Date? {
    get { self[Key.scheduledAt] }
    set { self[Key.scheduledAt] = newValue }
  }

  /// Makes a feed due again after its publisher had ended it (HTTP 410), or after its address has changed.
  /// Its log stays.
  public func pollAgain() {
    isGone410 = false
    failures = 0
    (nextFetch, nextReason, scheduledAt) = (nil, nil, nil)
    (lastOutcome, lastStatus, lastFailure) = (nil, nil, nil)
  }

  static let scheduleProperties: [PropertyDescription] = [
    .attribute(Key.nextFetch, \Feed.nextFetch),
    .attribute(Key.reasonText),
    .attribute(Key.timeToLive, \Feed.timeToLive),
    .attribute(Key.updateInterval, \Feed.updateInterval),
    .attribute(Key.updateBase, \Feed.updateBase),
    .attribute(Key.skipHours, \Feed.skipHours),
    .attribute(Key.skipDays, \Feed.skipDays),
    .attribute(Key.publishingInterval, \Feed.publishingInterval),
    .attribute(Key.newestArticle, \Feed.newestArticle),
    .attribute(Key.movedSince, \Feed.movedSince),
    .attribute(Key.goodFetchesOfTarget, \Feed.goodFetchesOfTarget),
    .attribute(Key.pausedURL, \Feed.pausedURL),
    .attribute(Key.validatorsURL, \Feed.validatorsURL),
    .attribute(Key.scheduledAt, \Feed.scheduledAt),
    .attribute(Key.ownTitle, \Feed.ownTitle),
    .attribute(Key.reasonCode),
    .attribute(Key.reasonSeconds),
    .attribute(Key.reasonCount),
    .attribute(Key.reasonStatus),
    .attribute(Key.reasonProxy),
    .attribute(Key.isPostponed),
    .attribute(Key.errorCode),
    .attribute(Key.errorNumber),
    .attribute(Key.errorAddress),
    .attribute(Key.newsWindow, \Feed.newsWindow),
    .attribute(Key.publishingHours, \Feed.publishingHours),
    .attribute(Key.lastNews, \Feed.lastNews),
    .attribute(Key.missedAnswers),
    .attribute(Key.lastMissed, \Feed.lastMissed),
    .attribute(Key.language, \Feed.language),
  ]
}

extension PollReason {
  /// The columns for a reason.
  package static let columns = [
    Feed.Key.reasonText.index, Feed.Key.reasonCode.index, Feed.Key.reasonSeconds.index,
    Feed.Key.reasonCount.index, Feed.Key.reasonStatus.index, Feed.Key.reasonProxy.index,
    Feed.Key.isPostponed.index,
  ]

  /// Writes ``Feed/nextReason``.
  package static func write(_ reason: PollReason?, to feed: inout some AttributeWriting) {
    feed[Feed.Key.reasonCode] = reason?.code?.rawValue
    feed[Feed.Key.reasonSeconds] = reason?.seconds
    feed[Feed.Key.reasonCount] = reason?.count
    feed[Feed.Key.reasonStatus] = reason?.status
    feed[Feed.Key.reasonProxy] = reason?.proxy
    feed[Feed.Key.isPostponed] = reason?.isPostponed == true ? true : nil
    feed[Feed.Key.reasonText] = reason?.text
  }

  /// Reads a stored reason, or nil.
  init?(_ feed: some AttributeReading) {
    code = feed[Feed.Key.reasonCode].flatMap(Code.init(rawValue:))
    text = feed[Feed.Key.reasonText]
    guard code != nil || text != nil else { return nil }
    seconds = feed[Feed.Key.reasonSeconds]
    count = feed[Feed.Key.reasonCount]
    status = feed[Feed.Key.reasonStatus]
    proxy = feed[Feed.Key.reasonProxy]
    isPostponed = feed[Feed.Key.isPostponed] ?? false
  }
}
