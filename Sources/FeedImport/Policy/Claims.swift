public import Foundation
public import ManagedContext
import NewsModel

/// The feeds that one run has taken for itself, so that runs that overlap never ask for the same one twice.
///
/// A claim stands in the feed's row and expires: a process that dies holds nothing up.
public struct Claims: Sendable {
  /// Claims that last longer than this, in seconds, were made by a wrong clock, and are void.
  static let longest: TimeInterval = 86400

  /// Tells this run's claims from those of others.
  private let number: Int64
  private let context: BackgroundContext

  /// Prepares claims of one run.
  ///
  /// - Parameter context: A context of the run's own, a child of the root.
  public init(in context: BackgroundContext) {
    self.context = context
    number = .random(in: 1...Int64.max)
  }

  /// Claims feeds in one save.
  ///
  /// - Parameters:
  ///   - feeds: Those that seemed to be due.
  ///   - duration: How long the run may need for them, in seconds; its answers end the claims.
  ///   - now: What is due then.
  /// - Returns: Requests for those that nobody else has claimed, or asked for, in the meantime.
  public func take(
    _ feeds: [ManagedObjectID], for duration: TimeInterval, at now: Date
  ) async throws(StoreError) -> [FeedRequest] {
    let number = number
    let expiry = now.addingTimeInterval(min(duration, Self.longest))
    try await context.perform { (context) throws(StoreError) in
      for feed in try context.fetch(FetchRequest(Feed.self, where: .ids(feeds)))
      where Self.isFree(feed, at: now) {
        feed.claim = number
        feed.claimedUntil = expiry
      }
    }
    // A run that was faster keeps its claims: the store's rows win.
    try await context.save()
    return try await context.perform { (context) throws(StoreError) in
      context.reset()
      return try context.fetch(FetchRequest(Feed.self, where: .ids(feeds))).filter { $0.claim == number }
        .map(FeedRequest.init)
    }
  }

  /// Gives up what was claimed and not asked for.
  public func release(_ feeds: [ManagedObjectID]) async throws(StoreError) {
    guard !feeds.isEmpty else { return }
    let number = number
    try await context.perform { (context) throws(StoreError) in
      context.reset()
      for feed in try context.fetch(FetchRequest(Feed.self, where: .ids(feeds))) where feed.claim == number {
        feed.claim = nil
        feed.claimedUntil = nil
      }
    }
    try await context.save()
  }

  /// Whether a feed is due and nobody's.
  private static func isFree(_ feed: Feed, at now: Date) -> Bool {
    if let expiry = feed.claimedUntil, expiry > now, expiry.timeIntervalSince(now) <= longest { return false }
    return AskPolicy.isDue(feed, at: now)
  }
}
