public import Foundation
import ManagedContext
public import WebAddress

/// A feed's problem that the user should know.
public enum FeedProblem: Sendable, Equatable {
  /// It is in no region, so that it is not polled.
  case unassigned
  /// Its publisher ended it (HTTP 410).
  case gone
  /// It has moved permanently.
  case moved(to: WebAddress)
  /// It fails repeatedly; the time of the first consecutive failure, nil if unknown.
  case failing(since: Date?)
  /// Its host refuses all requests for long; the time since which.
  case refused(since: Date)
  /// It has no new articles for long.
  case silent(since: Date, times: Int)
  /// Answers had only new articles, so that others may have been missed before them.
  case missed(answers: Int, last: Date)

  /// The count of consecutive failures that is a problem.
  public static let manyFailures = 5

  /// The period in which the latest of the ``Feed/missedAnswers`` is a problem, in seconds: 30 days.
  private static let memoryOfMisses: TimeInterval = 30 * 86400

  /// Returns whether a feed's problem depends on its log.
  public static func dependsOnLog(_ feed: Feed) -> Bool {
    feed.failures >= manyFailures || feed.lastOutcome == .refused && feed.lastFetch == nil
  }

  /// Determines a feed's most important problem from the store; nil for a feed without problems.
  ///
  /// - Parameters:
  ///   - feed: The feed, in its context.
  ///   - isUnassigned: True if it is in no region. A move is more important, because it is repaired first.
  ///   - now: The time.
  ///   - brokenSince: The time of the first consecutive failure or refusal; see
  ///     ``DataSource/brokenSince(_:)``.
  public init?(of feed: Feed, isUnassigned: Bool, at now: Date, brokenSince: Date?) {
    let refusedSince = feed.lastOutcome == .refused ? feed.lastFetch ?? brokenSince : nil
    if isUnassigned, feed.isGone410 || feed.movedTo == nil {
      self = .unassigned
    } else if feed.isGone410 {
      self = .gone
    } else if let target = feed.movedTo {
      self = .moved(to: target)
    } else if feed.failures >= Self.manyFailures {
      self = .failing(since: brokenSince)
    } else if let refusedSince, now.timeIntervalSince(refusedSince) > FeedState.leastSilence {
      self = .refused(since: refusedSince)
    } else if let silence = feed.silence(at: now), let newest = feed.newestArticle {
      self = .silent(
        since: newest, times: Int(min(silence / Double(max(1, feed.publishingInterval ?? 1)), 1e9)))
    } else if let last = feed.lastMissed, now.timeIntervalSince(last) < Self.memoryOfMisses {
      self = .missed(answers: feed.missedAnswers, last: last)
    } else {
      return nil
    }
  }
}
