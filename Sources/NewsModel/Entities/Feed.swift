public import Foundation
public import ManagedContext
public import WebAddress

/// A feed, unique by its address, with the publisher's description and the result of the last fetch.
public final class Feed: ManagedObject, Entity {
  override public class var entityName: String { "feed" }

  public struct Schema: Sendable {
    /// The address: http or https, or the scheme `file` for a feed from imported files.
    public let url = Attribute<WebAddress>("url")
    /// The publisher's title, as plain text; nil before the first fetch.
    public let title = Attribute<String?>("title")
    /// The address of the feed's web site.
    public let homePage = Attribute<String?>("home_page_url")
    /// The last saved body's ETag, byte for byte (RFC 9110, 8.8.3); nil if the server sent none.
    public let etag = Attribute<[UInt8]?>("etag")
    /// The last saved body's Last-Modified, byte for byte (RFC 9110, 8.8.2).
    public let lastModified = Attribute<[UInt8]?>("last_modified")
    /// The last saved body's XXH3 hash. The same body is not parsed again.
    public let bodyHash = Attribute<Int64?>("body_hash")
    /// The permanent redirect target (301, 308), which is polled instead of ``url``.
    public let movedTo = Attribute<WebAddress?>("moved_to")
    /// The end of a pause that the server requested (Retry-After).
    public let notBefore = Attribute<Date?>("not_before", as: .secondsSince1970)
    /// ``failures``; another program may have written any number.
    package let storedFailures = Attribute<Int>("failures")
    /// ``fetches``; another program may have written any number.
    package let storedFetches = Attribute<Int>("fetches")
    /// The time of the last poll that its host did not refuse.
    public let lastFetch = Attribute<Date?>("last_fetch", as: .secondsSince1970)
    /// ``lastOutcome`` as text.
    package let storedOutcome = Attribute<String?>("last_outcome")
    /// The HTTP status of the last answer; nil without an answer.
    public let lastStatus = Attribute<Int?>("last_status")
    /// With `errorCode`, `errorNumber` and `errorAddress`: ``lastFailure``.
    let errorDetail = Attribute<String?>("last_error")
    /// Articles that the last fetch added.
    public let lastInserted = Attribute<Int>("last_inserted")
    /// Articles that the last fetch changed.
    public let lastEdited = Attribute<Int>("last_edited")
    /// True if the publisher ended the feed (HTTP 410). It is not polled again.
    public let isGone410 = Attribute<Bool>("gone")
    /// The date on which the feed is due; nil if it was never polled, or never will be again (``isGone410``).
    public let nextFetch = Attribute<Date?>("next_fetch", as: .secondsSince1970)
    /// With the attributes that begin with `reason`, and `isPostponed`: ``nextReason``.
    let reasonText = Attribute<String?>("next_reason")
    /// RSS `ttl`, in seconds.
    public let timeToLive = Attribute<Int?>("time_to_live")
    /// The time between updates according to the syndication module, in seconds.
    public let updateInterval = Attribute<Int?>("update_interval")
    /// The syndication module's `updateBase`.
    public let updateBase = Attribute<Date?>("update_base", as: .secondsSince1970)
    /// RSS `skipHours`: bit 0 is the hour after midnight, UTC; nil without it.
    public let skipHours = Attribute<Int?>("skip_hours")
    /// RSS `skipDays`: bit 0 is Sunday; nil without it.
    public let skipDays = Attribute<Int?>("skip_days")
    /// The publishing interval: the median time between articles, in seconds; nil if they have no dates.
    public let publishingInterval = Attribute<Int?>("rhythm")
    /// The newest article's date; nil without a dated article.
    public let newestArticle = Attribute<Date?>("newest_article", as: .secondsSince1970)
    /// The date of the first redirect to ``movedTo``, or nil.
    public let movedSince = Attribute<Date?>("moved_since", as: .secondsSince1970)
    /// Successful answers from ``movedTo``. Nil while ``movedSince`` is set if only the user may follow the
    /// move; see ``isMoveForeign``.
    public let goodFetchesOfTarget = Attribute<Int?>("moved_good_fetches")
    /// The address, after redirects, that requested ``notBefore``; nil without a pause.
    public let pausedURL = Attribute<WebAddress?>("paused_url")
    /// The address, after redirects, that sent the last body with ``etag`` and ``lastModified``, without a
    /// password; nil if it is unknown.
    public let validatorsURL = Attribute<WebAddress?>("validators_url")
    /// The time at which ``nextFetch`` and ``notBefore`` were determined, by that run's clock; nil before the
    /// first run with version 8.
    public let scheduledAt = Attribute<Date?>("scheduled_at", as: .secondsSince1970)
    /// The user's own title for the feed; nil if the publisher's ``title`` is shown.
    public let ownTitle = Attribute<String?>("own_title")
    let reasonCode = Attribute<String?>("reason_code")
    let reasonSeconds = Attribute<Int?>("reason_seconds")
    let reasonCount = Attribute<Int?>("reason_count")
    let reasonStatus = Attribute<Int?>("reason_status")
    let reasonProxy = Attribute<String?>("reason_proxy")
    let isPostponed = Attribute<Bool?>("reason_postponed")
    let errorCode = Attribute<String?>("error_code")
    let errorNumber = Attribute<Int?>("error_number")
    let errorAddress = Attribute<WebAddress?>("error_address")
    /// The time that an article stays in the feed's document at the fastest usual pace, in seconds; nil if it
    /// is not known.
    public let newsWindow = Attribute<Int?>("news_window")
    /// The hours in which the feed publishes, as `PublishingHours` stores them; nil if they are not known.
    package let publishingHours = Attribute<Int64?>("publishing_hours")
    /// The time of the last answer with new articles; nil before the first.
    public let lastNews = Attribute<Date?>("last_news", as: .secondsSince1970)
    /// ``missedAnswers``; nil for 0.
    package let storedMissedAnswers = Attribute<Int?>("missed_answers")
    /// The time of the last such answer; nil without one.
    public let lastMissed = Attribute<Date?>("last_missed", as: .secondsSince1970)
    /// The language for articles that state none, as the publisher wrote it (RFC 5646), or nil.
    public let language = Attribute<String?>("language")
    /// The regions that the feed is in. A feed in no region is kept, and not polled.
    public let regions = ToMany<Region>("regions")
    /// The feed's articles. A feed is deleted only after them, because hooks may wait for some.
    public let articles = ToMany<Article>("articles", onDelete: .noAction)
    /// The last ``FetchRecord/kept`` answers, in any order.
    public let log = ToMany<FetchRecord>("log", onDelete: .cascade)
    /// The addresses before the feed moved, oldest first.
    public let formerAddresses = ToMany<FormerAddress>("former_addresses", onDelete: .cascade)
    /// The deleted and archived articles.
    public let tombstones = ToMany<Tombstone>("tombstones", onDelete: .cascade)
    /// At most one failure that was reported.
    public let reportedFailures = ToMany<ReportedFailure>("reported_failures", onDelete: .cascade)
    /// The imported files that hold articles of this feed alone.
    public let documents = ToMany<ImportedDocument>("documents", onDelete: .cascade)
  }

  /// Deletes the validators and the last body's hash, so that the next poll reads the whole document again.
  package func forgetValidators() {
    (self.etag, self.lastModified, self.bodyHash, self.validatorsURL) = (nil, nil, nil, nil)
  }

  /// Consecutive failed fetches.
  public var failures: Int {
    get { Self.count(self.storedFailures) }
    set { self.storedFailures = newValue }
  }

  /// The number of answers so far. The fetch log keeps the last ``FetchRecord/kept`` answers.
  public var fetches: Int {
    get { Self.count(self.storedFetches) }
    set { self.storedFetches = newValue }
  }

  /// Returns a count in a range that allows additions, whatever number another program has written.
  fileprivate static func count(_ stored: Int) -> Int { min(max(0, stored), Int(Int32.max)) }

  /// The outcome of the last fetch; nil before the first.
  public var lastOutcome: FetchOutcome? {
    get { self.storedOutcome.flatMap(FetchOutcome.init) }
    set { self.storedOutcome = newValue?.rawValue }
  }

  /// The cause of the last failure; nil after a success.
  public var lastFailure: PollFailure? {
    get {
      PollFailure(
        code: self.errorCode, number: self.errorNumber, detail: self.errorDetail, address: self.errorAddress)
    }
    set {
      var feed = self
      Self.write(newValue, to: &feed)
    }
  }

  /// Writes ``lastFailure``.
  package static func write(_ failure: PollFailure?, to feed: inout some EditableValues<Feed>) {
    feed[schema.errorCode] = failure?.code?.rawValue
    feed[schema.errorNumber] = failure?.number
    feed[schema.errorDetail] = failure?.detail
    feed[schema.errorAddress] = failure?.address
  }

  /// The columns for ``lastFailure``.
  package static let failureColumns = [
    schema.errorCode.index, schema.errorNumber.index, schema.errorDetail.index, schema.errorAddress.index,
  ]

  public static let entity = EntityDeclaration(
    Feed.self, Schema(), unique: { [[$0.url]] }, history: { .ofFeeds($0) })
}

/// What objects and rows have.
extension EntityValues where Object == Feed {
  /// True if the articles come from files. Such a feed is never fetched.
  public var isFromFiles: Bool { self[Feed.schema.url].isFile }

  /// The title to show: the user's, else the publisher's, or nil.
  public var shownTitle: String? { self[Feed.schema.ownTitle] ?? self[Feed.schema.title] }

  /// See ``Feed/failures``.
  public var failures: Int { Feed.count(self[Feed.schema.storedFailures]) }

  /// See ``Feed/fetches``.
  public var fetches: Int { Feed.count(self[Feed.schema.storedFetches]) }

  /// See ``Feed/lastOutcome``.
  public var lastOutcome: FetchOutcome? { self[Feed.schema.storedOutcome].flatMap(FetchOutcome.init) }

  /// True if the last answer was a failure, or its host has refused requests since.
  public var hasFailed: Bool {
    lastOutcome == .failed || failures > 0 && lastOutcome == .refused
  }
}

/// The outcome of a fetch.
public enum FetchOutcome: String, Sendable {
  /// Articles were added or changed.
  case updated
  /// The server reported no change (304), or the body contained nothing new.
  case unchanged = "not modified"
  /// No articles could be read.
  case failed
  /// The host allowed no further request (429, or 503 with Retry-After). The feed itself may be fine.
  case refused

  /// True if the feed could be read.
  public var isSuccess: Bool { self == .updated || self == .unchanged }
}
