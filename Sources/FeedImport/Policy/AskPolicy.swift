public import Foundation
import ManagedContext
public import NewsModel

/// Decides whether a feed may be asked now.
public enum AskPolicy {
  /// What keeps a feed from being asked.
  public enum Refusal: Sendable, Equatable {
    /// The publisher ended it (HTTP 410).
    case gone
    /// Its server wants to be left alone until then (Retry-After).
    case notBefore(Date)
    /// Its host turned away two other feeds, and wants to be left alone until then.
    case hostClosed(Date)
    /// Its host, or the proxy on the way there, did not answer so many other feeds in this run; it is due again then.
    case hostSilent(Date, feeds: Int, proxy: String?)
    /// It is not due before then, and only what is due was asked for.
    case notDue(Date)
    /// Another run has claimed it.
    case claimed
  }

  /// Whether `feed` is due at `now`, for a run that asks only what is.
  ///
  /// A feed that was never asked is due, and so is one whose schedule ``isFromWrongClock(_:at:)``.
  public static func isDue(_ feed: FeedOutline, at now: Date) -> Bool {
    guard refusal(to: feed, at: now) == nil else { return false }
    guard let date = feed.nextFetch else { return true }
    return date <= now || isFromWrongClock(feed, at: now)
  }

  /// Whether the schedule of `feed` was decided by a clock that was ahead of `now`: its dates mean nothing then.
  public static func isFromWrongClock(_ feed: FeedOutline, at now: Date) -> Bool {
    feed.scheduledAt.map { $0 > now.addingTimeInterval(clockTolerance) } ?? false
  }

  /// ``isDue(_:at:)`` for the store.
  static func areDue(at now: Date) -> FetchPredicate<Feed> {
    mayBeAsked(at: now)
      && (\Feed.nextFetch == nil || \Feed.nextFetch <= now || areFromWrongClock(at: now))
  }

  /// The feeds without a ``refusal(to:at:)``, for the store.
  static func mayBeAsked(at now: Date) -> FetchPredicate<Feed> {
    let isNotPaused =
      \Feed.notBefore == nil || \Feed.notBefore <= now
      || \Feed.notBefore > now.addingTimeInterval(longestWait) || areFromWrongClock(at: now)
    return \Feed.isGone410 == false && isNotPaused
  }

  /// ``isFromWrongClock(_:at:)`` for the store.
  private static func areFromWrongClock(at now: Date) -> FetchPredicate<Feed> {
    let limit = now.addingTimeInterval(clockTolerance)
    return \Feed.scheduledAt > limit || (\Feed.scheduledAt == nil && \Feed.lastFetch > limit)
  }

  /// When a run that asks only what is due asks `feed` first; nil for at once, because it was never asked or because its
  /// schedule ``isFromWrongClock(_:at:)``, or never.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - server: What the feed's server has asked for, also by other feeds.
  ///   - now: The time.
  public static func nextAsk(of feed: FeedOutline, server: Refusal?, at now: Date) -> Date? {
    if feed.isGone410 { return nil }
    var dates = isFromWrongClock(feed, at: now) ? [] : [feed.nextFetch].compactMap(\.self)
    for refusal in [refusal(to: feed, at: now), server] {
      switch refusal {
      case .notBefore(let date), .hostClosed(let date): dates.append(date)
      default: break
      }
    }
    return dates.max()
  }

  /// A server's wish is heeded at most so long, in seconds: 7 days.
  static let longestWait: TimeInterval = 7 * 86400

  /// How far the clock may have been ahead, in seconds, when a schedule was decided that still holds: the wait is longer by
  /// no more than this.
  private static let clockTolerance: TimeInterval = 600

  /// The reason not to ask `feed` at `now`; nil when it may be asked.
  ///
  /// A pause more than seven days away is longer than any that is heeded: a wrong clock made it, and it is void.
  public static func refusal(to feed: FeedOutline, at now: Date) -> Refusal? {
    if feed.isGone410 { return .gone }
    guard let date = feed.notBefore, date > now, date.timeIntervalSince(now) <= longestWait,
      !isFromWrongClock(feed, at: now)
    else { return nil }
    return .notBefore(date)
  }
}
