public import Foundation
public import ManagedContext
public import WebAddress

/// The facts that determine whether a feed is polled.
///
/// It is a copy that may leave its context, and takes a tenth of the object's memory.
public struct FeedOutline: Sendable, Equatable {
  /// The ``Feed``.
  public let id: ManagedObjectID
  /// See ``Feed/url``.
  public let url: WebAddress
  /// See ``Feed/currentURL``.
  public let currentURL: WebAddress
  /// See ``Feed/isGone410``.
  public let isGone410: Bool
  /// See ``Feed/notBefore``.
  public let notBefore: Date?
  /// See ``Feed/nextFetch``.
  public let nextFetch: Date?
  /// See ``Feed/skipHours``.
  public let skipHours: Int?
  /// See ``Feed/skipDays``.
  public let skipDays: Int?
  /// See ``Feed/nextReason``.
  public let nextReason: PollReason?
  /// The time that ``nextFetch`` and ``notBefore`` date from: ``Feed/scheduledAt``, else ``Feed/lastFetch``.
  public let scheduledAt: Date?
  /// See ``Feed/failures``.
  public let failures: Int
  /// True if the last answer was a failure, or its host has refused requests since; see ``Feed/lastOutcome``.
  public let hasFailed: Bool
}

extension FeedOutline {
  fileprivate static let columns =
    FeedLocation.columns + PollReason.columns + [
      Feed.schema.isGone410.index, Feed.schema.notBefore.index, Feed.schema.nextFetch.index,
      Feed.schema.lastFetch.index, Feed.schema.scheduledAt.index, Feed.schema.storedFailures.index,
      Feed.schema.storedOutcome.index, Feed.schema.skipHours.index, Feed.schema.skipDays.index,
    ]

  fileprivate init(_ feed: some AttributeReading) {
    id = feed.id
    let location = FeedLocation(feed)
    url = location.url
    currentURL = location.current
    isGone410 = feed[Feed.schema.isGone410]
    notBefore = feed[Feed.schema.notBefore]
    nextFetch = feed[Feed.schema.nextFetch]
    (skipHours, skipDays) = (feed[Feed.schema.skipHours], feed[Feed.schema.skipDays])
    nextReason = PollReason(feed)
    scheduledAt = feed[Feed.schema.scheduledAt] ?? feed[Feed.schema.lastFetch]
    failures = Feed.failures(in: feed)
    let outcome = feed[Feed.schema.storedOutcome]
    hasFailed =
      outcome == FetchOutcome.failed.rawValue || failures > 0 && outcome == FetchOutcome.refused.rawValue
  }
}

extension Feed {
  /// The facts that determine whether the feed is polled.
  public var outline: FeedOutline { FeedOutline(self) }
}

extension DataSource {
  /// Returns a region's feeds, in the order in which they were added to the store, without creating objects.
  public func feedOutlines(of region: Region) throws(StoreError) -> [FeedOutline] {
    try outlines(Self.members(of: region))
  }

  /// Returns the existing feeds among IDs, without creating objects.
  public func feedOutlines(_ feeds: [ManagedObjectID]) throws(StoreError) -> [FeedOutline] {
    feeds.isEmpty ? [] : try outlines(FetchRequest(Feed.self, where: .ids(feeds)))
  }

  private func outlines(_ feeds: FetchRequest<Feed>) throws(StoreError) -> [FeedOutline] {
    try context.rows(of: feeds).map { FeedOutline($0) }
  }
}
