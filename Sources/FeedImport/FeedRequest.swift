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
  /// The validators of the last body that was saved.
  public let etag: [UInt8]?
  /// See ``etag``.
  public let lastModified: [UInt8]?
  /// The address that sent them; nil where that is not known.
  let validatorsURL: String?
  /// XXH3 of the last body that was saved.
  public let bodyHash: Int64?
  /// How many answers there have been.
  public let fetches: Int
  /// The number of the claim under which it is asked for; nil without one.
  let claim: Int64?
  /// Whether ``url`` is where the feed moved to.
  public private(set) var isMoved: Bool
  /// What is known for the schedule before the answer.
  public let before: Before
  /// The user's interval in seconds; nil for the feed's own rhythm.
  public var interval: TimeInterval?
  /// What the user adds to the request; see ``add(_:)``.
  public private(set) var additions = RequestAdditions()
  /// The feed's own address, wherever it has moved.
  private let home: String

  /// Whether the next answer may be "not modified".
  var hasValidators: Bool { etag != nil || lastModified != nil }

  /// What earlier answers have said about when to ask.
  public struct Before: Sendable {
    /// How many fetches in a row have failed.
    public let failures: Int
    /// When the feed was asked last.
    public let lastFetch: Date?
    /// What the document asked for.
    public let hints: PublisherHints
    /// How often it brings something.
    public let rhythm: Rhythm?
  }

  /// Copies what is needed from a feed, on its context's queue.
  public init(_ feed: Feed) {
    self.feed = feed.id
    home = feed.url
    url = feed.currentURL
    etag = feed.etag
    lastModified = feed.lastModified
    validatorsURL = feed.validatorsURL
    bodyHash = feed.bodyHash
    fetches = feed.fetches
    claim = feed.claim
    isMoved = feed.movedTo != nil && !feed.isMoveForeign
    before = Before(
      failures: feed.failures, lastFetch: feed.lastFetch, hints: PublisherHints(of: feed),
      rhythm: Rhythm(of: feed))
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

  /// ", at URL" for an answer of another address than the feed's own; empty for that.
  func place(_ answered: String) -> String {
    let targets = [answered, home].map { try? DownloadURL.validate($0).target }
    return targets[0] == targets[1] ? "" : ", at \(DownloadURL.withoutPassword(answered))"
  }

  /// Where an answer came from that lost the encryption of the feed's address on its way; nil where it did not.
  func openAddress(_ head: ResponseHead) -> String? {
    let isOpen = head.effectiveURL.lowercased().hasPrefix("http:")
    return isOpen && home.lowercased().hasPrefix("https:") ? head.effectiveURL : nil
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
