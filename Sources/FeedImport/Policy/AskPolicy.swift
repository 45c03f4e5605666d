public import Foundation
public import NewsModel

/// Decides whether a feed may be asked now.
public enum AskPolicy {
  /// What keeps a feed from being asked.
  public enum Refusal: Sendable, Equatable {
    /// The publisher ended it (HTTP 410).
    case gone
    /// Its server wants to be left alone until then (Retry-After).
    case notBefore(Date)
  }

  /// A server's wish is heeded at most so long, in seconds: 7 days.
  static let longestWait: TimeInterval = 7 * 86400

  /// The reason not to ask `feed` at `now`; nil when it may be asked.
  ///
  /// A date more than seven days away was made by a wrong clock, and is void.
  public static func refusal(to feed: Feed, at now: Date) -> Refusal? {
    if feed.isGone410 { return .gone }
    guard let date = feed.notBefore, date > now, date.timeIntervalSince(now) <= longestWait else {
      return nil
    }
    return .notBefore(date)
  }
}
