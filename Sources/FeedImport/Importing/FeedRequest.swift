public import Foundation
import HTTPDownload
public import ManagedContext
public import NewsModel
public import WebAddress

/// The facts that the importer needs to poll a feed: a copy that may leave the main context.
public struct FeedRequest: Sendable {
  /// A claim for a publisher; see ``Claims``.
  struct Claim: Sendable {
    /// The run's number.
    let run: Int64
    let publisher: String
  }

  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// The address to poll: the feed's new address if it has moved, else its own.
  public private(set) var address: WebAddress
  /// True if ``address`` is a move's target.
  public private(set) var isMoved: Bool
  /// The user's interval, in seconds; nil for the feed's own schedule.
  public var interval: TimeInterval?
  /// The articles that the user does not want; nil without a filter.
  public var filter: ArticleFilter?
  /// See ``ImportSelection/Settings/volatile``.
  public var volatile: AttributeSet = []
  /// The user's additions to the request; see ``add(_:)``.
  public private(set) var additions = RequestAdditions()
  /// The feed's row as it was read, in the run's batch. It uses no more memory than its values.
  ///
  /// A worker creates the feed from it without a query. In a first import this also avoids waiting: in rollback
  /// mode, a reader waits for each commit.
  let row: StoredRow<Feed>

  /// The ETag from the last saved body.
  public var etag: [UInt8]? { row.etag }
  /// The Last-Modified from the last saved body.
  public var lastModified: [UInt8]? { row.lastModified }
  /// The address that sent the validators, without its password; nil if unknown.
  var validatorsAddress: WebAddress? { row.validatorsURL }
  /// The address that asked for a pause: the feed's, or a redirect's target. Nil without a pause.
  var pausedAddress: WebAddress? { row.pausedURL }
  /// The XXH3 hash of the last saved body.
  public var bodyHash: Int64? { row.bodyHash }
  /// The answer count so far.
  public var fetches: Int { row.fetches }
  /// The claim for the feed's publisher; nil in a run without claims.
  var claim: Claim?
  /// The count of consecutive failures before this poll.
  public var failures: Int { row.failures }
  private let home: WebAddress
  /// The feed's own address, even if it has moved.
  var ownAddress: WebAddress { home }
  /// True if the feed has a stored permanent redirect, even if its own address is polled.
  var hasMove: Bool { row.movedTo != nil }
  var lastFetch: Date? { row.lastFetch }
  var wasRefused: Bool { row.lastOutcome == .refused }
  /// True if the feed's host limits requests, so that it gets one at a time.
  var isLimited = false
  /// True if the last answer was a redirect to be followed after a pause, which has passed.
  var hasWaited: Bool { row.lastStatus.map(Verdict.isDelayedRedirect) ?? false }
  /// The publisher's hints from the last document.
  var hints: PublisherHints { PublisherHints(of: row) }
  /// The feed's publishing interval, from the last document.
  var publishingInterval: PublishingInterval? { PublishingInterval(of: row) }

  /// The facts from past documents about how long articles stay listed; nil before the first document.
  var newsWindow: NewsWindow? { NewsWindow(of: row) }

  /// The time that the last schedule planned until this poll, in seconds; nil if unknown.
  var plannedInterval: TimeInterval? {
    guard let next = row.nextFetch, let scheduled = row.scheduledAt else {
      return nil
    }
    return next.timeIntervalSince(scheduled)
  }

  /// Returns the feed in a context, as its row was read, without a query.
  func knownFeed(in context: ManagedObjectContext) -> Feed? { context.object(of: row) }

  /// The request target in ``validatorsAddress``; the text of an invalid address.
  var validatorsTarget: String? { validatorsAddress.map { $0.target ?? $0.text } }

  /// Returns whether validators are missing for this answer's address, and the next answer may come from yet
  /// another one: the redirect leads elsewhere each time.
  func missesValidators(_ head: ResponseHead) -> Bool {
    guard hasValidators, !head.wasConditional, head.isDocument else { return false }
    let next = permanentAddress(head).flatMap { mayMove(to: $0) ? $0 : nil } ?? address
    return next.identity != head.address.withUser(of: home).identity
  }

  /// Returns the log slots for the last answers, at most `count`.
  func lastSlots(_ count: Int) -> [Int] {
    (0..<min(count, fetches, FetchRecord.kept)).map { (fetches - 1 - $0) % FetchRecord.kept }
  }

  /// True if the next answer may be "not modified".
  var hasValidators: Bool { etag != nil || lastModified != nil }

  /// Returns whether a poll asks for the whole document, because a server may answer "not modified" for ever.
  /// This is the first poll after each silent period: eight publishing intervals, at least a month.
  func doubtsSilence(at now: Date) -> Bool {
    guard hasValidators, let publishingInterval, let lastFetch else { return false }
    let period = max(8 * publishingInterval.gap, Self.leastDoubtedSilence)
    func periods(until date: Date) -> Double {
      (date.timeIntervalSince(publishingInterval.newest) / period).rounded(.down)
    }
    return periods(until: now) >= 1 && periods(until: lastFetch) < periods(until: now)
  }

  private static let leastDoubtedSilence: TimeInterval = 30 * 86400

  /// Returns requests for feeds, in a context on its queue, without creating objects.
  public static func all(
    _ feeds: FetchRequest<Feed>, in context: ManagedObjectContext
  ) throws(StoreError) -> [FeedRequest] {
    // Feeds that were never polled use only a third of the columns.
    try context.rows(of: feeds).withoutEmptyColumns().map(FeedRequest.init)
  }

  /// Creates a request for a feed that is missing in the store, for a run that saves nothing.
  init(newFeedAt url: WebAddress, model: ManagedObjectModel) {
    var rows = RowBatch(entity: NewsModel.Place.feed, columns: [Feed.schema.url.index])
    rows.beginRow()
    rows.append(text: url.text)
    self.init(StoredRows(rows.withoutEmptyColumns(), model: model)[0])
  }

  private init(_ row: StoredRow<Feed>) {
    self.row = row
    feed = row.id
    home = row.url
    isMoved = row.isMoved
    address = isMoved ? row.currentURL : home
    stayHomeIfBound()
  }

  mutating func apply(_ settings: ImportSelection.Settings) {
    interval = settings.interval
    (filter, volatile) = (settings.filter, settings.volatile)
    add(settings.additions)
  }

  /// Adds the user's header fields and credentials.
  ///
  /// A feed that moved away from its header fields' and credentials' host is polled at its own address again,
  /// which may need them to redirect.
  public mutating func add(_ additions: RequestAdditions) {
    self.additions = additions
    stayHomeIfBound()
  }

  private mutating func stayHomeIfBound() {
    guard isMoved, !mayMove(to: address) else { return }
    address = home
    isMoved = false
  }

  /// The request's identity. Feeds with the same identity share one request.
  var identity: String { additions.identity(at: address) }

  /// See ``Schedule/Knowledge/spread``. It differs between stores, so that they poll at different times.
  var spread: Double {
    let hash = ContentHash.of(Array("\(feed.key) \(home.text)".utf8).span)
    return Double(hash % 1000) / 999
  }

  /// Describes a document's origin.
  ///
  /// - Parameter answered: The address that answered.
  func origin(_ answered: WebAddress) -> DocumentOrigin {
    DocumentOrigin(
      addresses: [home, address, answered, validatorsAddress].compactMap { $0?.text },
      isElsewhere: [answered, validatorsAddress ?? home].contains {
        $0.withUser(of: home).identity != home.identity
      })
  }

  /// Returns a failure with the address that answered, unless it is the feed's own.
  func failure(_ failure: PollFailure, at answered: WebAddress) -> PollFailure {
    var failure = failure
    failure.address = answered.target == home.target ? nil : answered.removingPassword
    return failure
  }

  /// Returns the address of an unencrypted answer if the feed's own address is encrypted; nil otherwise.
  func openAddress(_ head: ResponseHead) -> WebAddress? {
    head.address.isUnencrypted && home.isEncrypted ? head.address : nil
  }

  /// Returns whether a permanent redirect to an address may be stored.
  ///
  /// Header fields and credentials must not reach another scheme, host or port. The next request would send
  /// them to a server that a redirect has named, or would lack them. Only the user may decide that.
  func mayMove(to target: WebAddress) -> Bool {
    !(additions.isBoundToHost || home.hasUser) || target.hasSameOrigin(as: home)
  }

  /// Returns the permanent redirects' target, with the feed's own user if it has the feed's own origin.
  func permanentAddress(_ head: ResponseHead) -> WebAddress? {
    head.permanentAddress?.withUser(of: home)
  }
}
