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

  /// Copies what is needed from a feed, on its context's queue.
  public init(_ feed: Feed) {
    self.feed = feed.id
    url = feed.movedTo ?? feed.url
    etag = feed.etag
    lastModified = feed.lastModified
    bodyHash = feed.bodyHash
    fetches = feed.fetches
  }
}
