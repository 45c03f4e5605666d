public import Foundation
public import ManagedContext
public import NewsModel

/// What the pipeline has to know of a feed in order to ask for it: a copy that may leave the main context.
public struct FeedRequest: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// Where it is asked for: where it moved to, else its URL.
  public let url: String
  /// The validators of the last body that was saved.
  public let etag: [UInt8]?
  /// See ``etag``.
  public let lastModified: [UInt8]?
  /// XXH3 of the last body that was saved.
  public let bodyHash: Int64?
  /// How many answers there have been.
  public let fetches: Int
  /// Whether ``url`` is where the feed moved to.
  public let isMoved: Bool
  /// What is known for the schedule before the answer.
  public let before: Before
  /// The user's interval in seconds; nil for the feed's own rhythm.
  public var interval: TimeInterval?

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
    url = feed.movedTo ?? feed.url
    etag = feed.etag
    lastModified = feed.lastModified
    bodyHash = feed.bodyHash
    fetches = feed.fetches
    isMoved = feed.movedTo != nil
    before = Before(
      failures: feed.failures, lastFetch: feed.lastFetch, hints: PublisherHints(of: feed),
      rhythm: Rhythm(of: feed))
  }
}
