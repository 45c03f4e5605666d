public import Foundation
import HTTPDownload
public import ManagedContext
public import NewsModel
public import WebAddress

/// What the pipeline has to know of a feed in order to ask for it: a copy that may leave the main context.
public struct FeedRequest: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// The address that is polled: the one to which the feed has moved, else its own.
  public private(set) var address: WebAddress
  /// Whether ``address`` is the one to which the feed has moved.
  public private(set) var isMoved: Bool
  /// The user's interval in seconds; nil for the feed's own rhythm.
  public var interval: TimeInterval?
  /// Which of its articles the user does not want; nil for none.
  public var filter: ArticleFilter?
  /// What the user adds to the request; see ``add(_:)``.
  public private(set) var additions = RequestAdditions()
  /// The feed's row as it was read, among those of the run: as little memory as its values take.
  private let row: FeedRow

  /// The validators of the last body that was saved.
  public var etag: [UInt8]? { row[Feed.Key.etag] }
  /// See ``etag``.
  public var lastModified: [UInt8]? { row[Feed.Key.lastModified] }
  /// The address that sent the validators, without its password; nil if unknown.
  var validatorsAddress: WebAddress? { row[Feed.Key.validatorsURL] }
  /// XXH3 of the last body that was saved.
  public var bodyHash: Int64? { row[Feed.Key.bodyHash] }
  /// How many answers there have been.
  public var fetches: Int { row[Feed.Key.fetches] }
  /// The number of the claim under which it is asked for; nil without one.
  var claim: Int64? { row[Feed.Key.claim] }
  /// How many fetches in a row have failed before this one.
  public var failures: Int { row[Feed.Key.failures] }
  /// The feed's own address, even if it has moved.
  private let home: WebAddress
  /// What is known for the schedule before the answer.
  public var before: Before { Before(row.values) }

  /// The feed in a context, as its row was read, without a query.
  func knownFeed(in context: ManagedObjectContext) -> Feed? { row.object(in: context) }

  /// The target of ``validatorsAddress``; the text of an invalid address.
  var validatorsTarget: String? { validatorsAddress.map { $0.target ?? $0.text } }

  /// Whether an answer came from an address whose validators the feed does not have, and the next may come from yet
  /// another: a redirect leads elsewhere each time.
  func missesValidators(_ head: ResponseHead) -> Bool {
    guard hasValidators, !head.wasConditional, head.status == 200 else { return false }
    let next = permanentAddress(head).flatMap { mayMove(to: $0) ? $0 : nil } ?? address
    return next.identity != head.address.withUser(of: home).identity
  }

  /// The places in the log of the last answers, at most `count`.
  func lastSlots(_ count: Int) -> [Int] {
    (0..<min(count, fetches, FetchRecord.kept)).map { (fetches - 1 - $0) % FetchRecord.kept }
  }

  /// Whether the next answer may be "not modified".
  var hasValidators: Bool { etag != nil || lastModified != nil }

  /// What earlier answers have said about when to ask.
  public struct Before: Sendable {
    /// How many fetches in a row have failed.
    public let failures: Int
    /// Whether the last answer was a redirect to be followed after a pause, which has passed.
    public let hasWaited: Bool
    /// When the feed was asked last.
    public let lastFetch: Date?
    /// What the document asked for.
    public let hints: PublisherHints
    /// How often it brings something.
    public let rhythm: Rhythm?

    fileprivate init(_ row: RowValues) {
      failures = row[Feed.Key.failures]
      hasWaited = row[Feed.Key.lastStatus].map(Verdict.isDelayedRedirect) ?? false
      lastFetch = row[Feed.Key.lastFetch]
      hints = PublisherHints(of: row)
      rhythm = Rhythm(of: row)
    }
  }

  /// The requests for the feeds that are asked for, in a context on its queue; no objects are made.
  public static func all(
    _ feeds: FetchRequest<Feed>, in context: ManagedObjectContext
  ) throws(StoreError) -> [FeedRequest] {
    try FeedRow.all(feeds, in: context).map(FeedRequest.init)
  }

  private init(_ row: FeedRow) {
    self.row = row
    feed = row.values.id
    let location = FeedLocation(row.values)
    home = location.url
    address = location.current
    isMoved = location.isMoved
    stayHomeIfBound()
  }

  /// Applies the user's settings.
  mutating func apply(_ settings: ImportSelection.Settings) {
    interval = settings.interval
    filter = settings.filter
    add(settings.additions)
  }

  /// Takes over what the user adds.
  ///
  /// A feed that moved away from the host that its header fields and credentials belong to is asked at its own address
  /// again: it may need them there in order to be sent on.
  public mutating func add(_ additions: RequestAdditions) {
    self.additions = additions
    stayHomeIfBound()
  }

  private mutating func stayHomeIfBound() {
    guard isMoved, !mayMove(to: address) else { return }
    address = home
    isMoved = false
  }

  /// Feeds that have the same are one request.
  var identity: String { additions.identity(at: address) }

  /// See ``Schedule/Knowledge/spread``; another one for the same feed in most other stores, so that not all ask at once.
  var spread: Double {
    let hash = ContentHash.of(Array("\(feed.key) \(home.text)".utf8).span)
    return Double(hash % 1000) / 999
  }

  /// Describes the origin of a document.
  ///
  /// - Parameter answered: The address that answered.
  func origin(_ answered: WebAddress) -> DocumentOrigin {
    DocumentOrigin(
      addresses: [home, address, answered, validatorsAddress].compactMap { $0?.text },
      isElsewhere: [answered, validatorsAddress ?? home].contains {
        $0.withUser(of: home).identity != home.identity
      })
  }

  /// ", at ADDRESS" for an answer of another address than the feed's own; empty for an answer of that.
  func place(_ answered: WebAddress) -> String {
    answered.target == home.target ? "" : ", at \(answered)"
  }

  /// The address of an answer that came without encryption although the feed's address is encrypted; else nil.
  func openAddress(_ head: ResponseHead) -> WebAddress? {
    head.address.isUnencrypted && home.isEncrypted ? head.address : nil
  }

  /// Returns whether a permanent redirect to an address may be stored.
  ///
  /// Headers and credentials must not be sent to another scheme, host or port: the next request would send them to a server
  /// that a redirect has named, or would lack them. Only the user may decide that.
  func mayMove(to target: WebAddress) -> Bool {
    !(additions.isBoundToHost || home.hasUser) || target.hasSameOrigin(as: home)
  }

  /// The target of permanent redirects, with the user of the feed's own address if that has the same origin.
  func permanentAddress(_ head: ResponseHead) -> WebAddress? {
    head.permanentAddress?.withUser(of: home)
  }
}
