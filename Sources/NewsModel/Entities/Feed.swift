public import Foundation
public import ManagedContext
public import WebAddress

/// A feed, unique by its address, with the publisher's description and the result of the last fetch.
public final class Feed: ManagedObject {
  override public class var entityName: String { "feed" }

  package enum Key {
    package static let url = AttributeKey<WebAddress>(0, "url")
    package static let title = AttributeKey<String?>(1, "title")
    package static let homePage = AttributeKey<String?>(2, "home_page_url")
    package static let etag = AttributeKey<[UInt8]?>(3, "etag")
    package static let lastModified = AttributeKey<[UInt8]?>(4, "last_modified")
    package static let bodyHash = AttributeKey<Int64?>(5, "body_hash")
    package static let movedTo = AttributeKey<WebAddress?>(6, "moved_to")
    package static let notBefore = AttributeKey<Date?>(7, "not_before")
    package static let failures = AttributeKey<Int>(8, "failures")
    package static let fetches = AttributeKey<Int>(9, "fetches")
    package static let lastFetch = AttributeKey<Date?>(10, "last_fetch")
    package static let lastOutcome = AttributeKey<String?>(11, "last_outcome")
    package static let lastStatus = AttributeKey<Int?>(12, "last_status")
    static let errorDetail = AttributeKey<String?>(13, "last_error")
    package static let lastInserted = AttributeKey<Int>(14, "last_inserted")
    package static let lastEdited = AttributeKey<Int>(15, "last_edited")
    package static let isGone410 = AttributeKey<Bool>(16, "gone")
  }

  /// The address: http or https, or the scheme `file` for a feed from imported files.
  public var url: WebAddress {
    get { self[Key.url] }
    set { self[Key.url] = newValue }
  }

  /// True if the articles come from files. Such a feed is never fetched.
  public var isFromFiles: Bool { url.isFile }

  /// The publisher's title, as plain text; nil before the first fetch.
  public var title: String? {
    get { self[Key.title] }
    set { self[Key.title] = newValue }
  }

  /// The user's own title for the feed; nil if the publisher's ``title`` is shown.
  public var ownTitle: String? {
    get { self[Key.ownTitle] }
    set { self[Key.ownTitle] = newValue }
  }

  /// The title to show: the user's, else the publisher's, or nil.
  public var shownTitle: String? { ownTitle ?? title }

  /// The address of the feed's web site.
  public var homePage: String? {
    get { self[Key.homePage] }
    set { self[Key.homePage] = newValue }
  }

  /// The language for articles that state none, as the publisher wrote it (RFC 5646), or nil.
  public var language: String? {
    get { self[Key.language] }
    set { self[Key.language] = newValue }
  }

  /// The last saved body's ETag, byte for byte (RFC 9110, 8.8.3); nil if the server sent none.
  public var etag: [UInt8]? {
    get { self[Key.etag] }
    set { self[Key.etag] = newValue }
  }

  /// The last saved body's Last-Modified, byte for byte (RFC 9110, 8.8.2).
  public var lastModified: [UInt8]? {
    get { self[Key.lastModified] }
    set { self[Key.lastModified] = newValue }
  }

  /// The last saved body's XXH3 hash. The same body is not parsed again.
  public var bodyHash: Int64? {
    get { self[Key.bodyHash] }
    set { self[Key.bodyHash] = newValue }
  }

  /// Deletes the validators and the last body's hash, so that the next poll reads the whole document again.
  package func forgetValidators() {
    (etag, lastModified, bodyHash, validatorsURL) = (nil, nil, nil, nil)
  }

  /// The permanent redirect target (301, 308), which is polled instead of ``url``.
  public var movedTo: WebAddress? {
    get { self[Key.movedTo] }
    set { self[Key.movedTo] = newValue }
  }

  /// The end of a pause that the server requested (Retry-After).
  public var notBefore: Date? {
    get { self[Key.notBefore] }
    set { self[Key.notBefore] = newValue }
  }

  /// Consecutive failed fetches.
  public var failures: Int {
    get { Self.failures(in: self) }
    set { self[Key.failures] = newValue }
  }

  /// Returns ``failures`` in a range that allows additions, whatever number another program has written.
  package static func failures(in row: some AttributeReading) -> Int {
    min(max(0, row[Key.failures]), Int(Int32.max))
  }

  /// The number of answers so far. The fetch log keeps the last ``FetchRecord/kept`` answers.
  public var fetches: Int {
    get { Self.fetches(in: self) }
    set { self[Key.fetches] = newValue }
  }

  /// Returns ``fetches`` in a range that allows additions, whatever number another program has written.
  package static func fetches(in row: some AttributeReading) -> Int {
    min(max(0, row[Key.fetches]), Int(Int32.max))
  }

  /// The time of the last poll that its host did not refuse.
  public var lastFetch: Date? {
    get { self[Key.lastFetch] }
    set { self[Key.lastFetch] = newValue }
  }

  /// The outcome of the last fetch; nil before the first.
  public var lastOutcome: FetchOutcome? {
    get { self[Key.lastOutcome].flatMap(FetchOutcome.init(rawValue:)) }
    set { self[Key.lastOutcome] = newValue?.rawValue }
  }

  /// The HTTP status of the last answer; nil without an answer.
  public var lastStatus: Int? {
    get { self[Key.lastStatus] }
    set { self[Key.lastStatus] = newValue }
  }

  /// The cause of the last failure; nil after a success.
  public var lastFailure: PollFailure? {
    get {
      PollFailure(
        code: self[Key.errorCode], number: self[Key.errorNumber], detail: self[Key.errorDetail],
        address: self[Key.errorAddress])
    }
    set {
      var feed = self
      Self.write(newValue, to: &feed)
    }
  }

  /// Writes ``lastFailure``.
  package static func write(_ failure: PollFailure?, to feed: inout some AttributeWriting) {
    feed[Key.errorCode] = failure?.code?.rawValue
    feed[Key.errorNumber] = failure?.number
    feed[Key.errorDetail] = failure?.detail
    feed[Key.errorAddress] = failure?.address
  }

  /// The columns for ``lastFailure``.
  package static let failureColumns = [
    Key.errorCode.index, Key.errorNumber.index, Key.errorDetail.index, Key.errorAddress.index,
  ]

  /// Articles that the last fetch added.
  public var lastInserted: Int {
    get { self[Key.lastInserted] }
    set { self[Key.lastInserted] = newValue }
  }

  /// Articles that the last fetch changed.
  public var lastEdited: Int {
    get { self[Key.lastEdited] }
    set { self[Key.lastEdited] = newValue }
  }

  /// True if the publisher ended the feed (HTTP 410). It is not polled again.
  public var isGone410: Bool {
    get { self[Key.isGone410] }
    set { self[Key.isGone410] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Feed.self,
    properties: [
      .attribute(Key.url, \Feed.url),
      .attribute(Key.title, \Feed.title),
      .attribute(Key.homePage, \Feed.homePage),
      .attribute(Key.etag, \Feed.etag),
      .attribute(Key.lastModified, \Feed.lastModified),
      .attribute(Key.bodyHash, \Feed.bodyHash),
      .attribute(Key.movedTo, \Feed.movedTo),
      .attribute(Key.notBefore, \Feed.notBefore),
      .attribute(Key.failures, \Feed.failures),
      .attribute(Key.fetches, \Feed.fetches),
      .attribute(Key.lastFetch, \Feed.lastFetch),
      .attribute(Key.lastOutcome),
      .attribute(Key.lastStatus, \Feed.lastStatus),
      .attribute(Key.errorDetail),
      .attribute(Key.lastInserted, \Feed.lastInserted),
      .attribute(Key.lastEdited, \Feed.lastEdited),
      .attribute(Key.isGone410, \Feed.isGone410),
    ] + scheduleProperties,
    uniqueness: [["url"]], history: .ofFeeds)
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
