public import Foundation
import HTTPDownload
public import ManagedContext
public import NewsModel

/// What the pipeline has to know of a feed in order to ask for it: a copy that may leave the main context.
public struct FeedRequest: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// Where it is asked for: where it moved to, else its URL.
  public private(set) var url: String
  /// Whether ``url`` is where the feed moved to.
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
  /// The address that sent them; nil where that is not known.
  var validatorsURL: String? { row[Feed.Key.validatorsURL] }
  /// XXH3 of the last body that was saved.
  public var bodyHash: Int64? { row[Feed.Key.bodyHash] }
  /// How many answers there have been.
  public var fetches: Int { row[Feed.Key.fetches] }
  /// The number of the claim under which it is asked for; nil without one.
  var claim: Int64? { row[Feed.Key.claim] }
  /// How many fetches in a row have failed before this one.
  public var failures: Int { row[Feed.Key.failures] }
  /// The feed's own address, wherever it has moved.
  private var home: String { row[Feed.Key.url] }
  /// What is known for the schedule before the answer.
  public var before: Before { Before(row.values) }

  /// The feed in a context, as its row was read, without a query.
  func knownFeed(in context: ManagedObjectContext) -> Feed? { row.object(in: context) }

  /// What servers see of ``validatorsURL``.
  var validatorsTarget: String? { validatorsURL.map { (try? DownloadURL.validate($0).target) ?? $0 } }

  /// Whether an answer came from an address whose validators the feed does not have, and the next may come from yet
  /// another: a redirect leads elsewhere each time.
  func missesValidators(_ head: ResponseHead) -> Bool {
    guard hasValidators, !head.wasConditional, head.status == 200 else { return false }
    let next = permanentURL(head).flatMap { mayMove(to: $0) ? $0 : nil } ?? url
    return FeedAddress.identity(next)
      != FeedAddress.identity(FeedAddress.keepingUser(of: home, at: head.effectiveURL))
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
    let addresses = FeedAddresses(row.values)
    url = addresses.current
    isMoved = addresses.isMoved
    stayHomeIfBound()
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
    guard isMoved, !mayMove(to: url) else { return }
    url = home
    isMoved = false
  }

  /// Feeds that have the same are one request.
  var identity: String { additions.identity(at: url) }

  /// See ``Schedule/Knowledge/spread``; another one for the same feed in most other stores, so that not all ask at once.
  var spread: Double {
    let hash = ContentHash.of(Array("\(feed.key) \(home)".utf8).span)
    return Double(hash % 1000) / 999
  }

  /// Where a document came from that this address answered with.
  func origin(_ answered: String) -> DocumentOrigin {
    DocumentOrigin(
      addresses: [home, url, answered, validatorsURL].compactMap(\.self),
      isElsewhere: [answered, validatorsURL ?? home].contains {
        FeedAddress.identity(FeedAddress.keepingUser(of: home, at: $0)) != FeedAddress.identity(home)
      })
  }

  /// ", at URL" for an answer of another address than the feed's own; empty for that.
  func place(_ answered: String) -> String {
    let targets = [answered, home].map { try? DownloadURL.validate($0).target }
    return targets[0] == targets[1] ? "" : ", at \(DownloadURL.withoutPassword(answered))"
  }

  /// Where an answer came from that lost the encryption of the feed's address on its way; nil where it did not.
  func openAddress(_ head: ResponseHead) -> String? {
    FeedAddress.begins(head.effectiveURL, with: "http:") && FeedAddress.begins(home, with: "https:")
      ? head.effectiveURL : nil
  }

  /// Whether a permanent redirect to there may be remembered.
  ///
  /// Not to another scheme, host or port where header fields or credentials are to be sent: the next request would
  /// bring them to whoever was named there, or begin without them. Then it is the user who has to say.
  func mayMove(to target: String) -> Bool {
    !(additions.isBoundToHost || FeedAddress.hasUser(home)) || FeedAddress.isSameOrigin(target, home)
  }

  /// Where permanent redirects led, with the user of the feed's own address where that holds there, too.
  func permanentURL(_ head: ResponseHead) -> String? {
    head.permanentURL.map { FeedAddress.keepingUser(of: home, at: $0) }
  }
}
