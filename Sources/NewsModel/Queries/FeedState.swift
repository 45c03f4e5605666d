public import Foundation
import ManagedContext

/// A feed's state; the first that applies.
public enum FeedState: String, CaseIterable, Sendable {
  /// The publisher ended the feed (HTTP 410).
  case gone
  /// The latest poll failed.
  case failing
  /// The feed has been silent for many times its publishing interval, or its host has refused all requests
  /// for long; see ``Feed/silence(at:)`` and ``Feed/refusal(at:)``.
  case stale
  /// The feed has never had an answer, although its articles do not come from files.
  case neverPolled = "unasked"
  /// None of the others.
  case healthy

  /// The multiple of the publishing interval after which a feed is silent.
  static let longSilence = 8.0
  /// The shortest silence, in seconds.
  static let leastSilence: TimeInterval = 7 * 86400

  /// Returns SQL for the index of a feed's state in ``allCases``, by the same rules as ``Feed/state(at:)``.
  ///
  /// - Parameters:
  ///   - feed: The statement's name for the table `feed`.
  ///   - now: The time, in seconds since 1970.
  public static func sql(of feed: String, at now: Int64) -> String {
    let silence = "\(now) - \(feed).newest_article"
    let isRefused = "\(feed).last_outcome = '\(FetchOutcome.refused.rawValue)'"
    let conditions: [(FeedState, String)] = [
      (.gone, "\(feed).gone <> 0"), (.failing, "\(feed).failures > 0"),
      (.stale, "\(silence) > \(feed).rhythm * \(longSilence) AND \(silence) > \(leastSilence)"),
      (.stale, "\(isRefused) AND \(now) - \(feed).last_fetch > \(leastSilence)"),
      (
        .neverPolled,
        "(\(feed).last_outcome IS NULL OR \(isRefused) AND \(feed).last_fetch IS NULL) AND \(feed).url NOT LIKE 'file:%'"
      ),
    ]
    let cases = conditions.map { "WHEN \($0.1) THEN \($0.0.index)" }.joined(separator: " ")
    return "CASE \(cases) ELSE \(FeedState.healthy.index) END"
  }

  private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Feed {
  /// Returns the seconds since the newest article if the feed is silent: much longer than its publishing
  /// interval. Nil for other feeds, and for feeds without a publishing interval.
  public func silence(at now: Date) -> TimeInterval? {
    guard let publishingInterval = self.publishingInterval, let newestArticle = self.newestArticle else {
      return nil
    }
    let silence = now.timeIntervalSince(newestArticle)
    let limit = max(Double(publishingInterval) * FeedState.longSilence, FeedState.leastSilence)
    return silence > limit ? silence : nil
  }

  /// Returns the feed's state.
  public func state(at now: Date) -> FeedState {
    if self.isGone410 { return .gone }
    if failures > 0 { return .failing }
    if silence(at: now) != nil || refusal(at: now) != nil { return .stale }
    let isUnread = lastOutcome == nil || lastOutcome == .refused && self.lastFetch == nil
    return isUnread && !isFromFiles ? .neverPolled : .healthy
  }

  /// Returns the time of the last answer if the host has refused requests since, for long; nil otherwise.
  func refusal(at now: Date) -> Date? {
    guard lastOutcome == .refused, let lastFetch = self.lastFetch,
      now.timeIntervalSince(lastFetch) > FeedState.leastSilence
    else {
      return nil
    }
    return self.lastFetch
  }
}
