public import Foundation
import TextOutput

/// The reason for the date of a feed's next poll: a code and its numbers, as they are stored.
///
/// Readers get a sentence: from ``description``, or from the view `feeds`, which uses the same templates.
public struct PollReason: Sendable, Equatable {
  /// The kind of reason. The raw value is stored.
  public enum Code: String, Sendable, CaseIterable {
    /// The publisher ended the feed.
    case gone
    /// The server requested a pause.
    case retryAfter = "retry-after"
    /// The server requested a longer pause than the maximum that is obeyed.
    case limitedRetryAfter = "limited-retry-after"
    /// The server rejected the request without a Retry-After.
    case rejected = "rejected"
    /// A redirect leads to a server that requested a pause.
    case pausedTarget = "paused-target"
    /// The host answered no other feed.
    case silentHost = "silent-host"
    /// The proxy answered no other feed.
    case silentProxy = "silent-proxy"
    /// The last fetches failed.
    case failures
    /// The user's interval.
    case configured
    /// The answer's max-age.
    case freshness
    /// The answer's Expires.
    case expires
    /// RSS `ttl`.
    case timeToLive = "ttl"
    /// The syndication module's update period.
    case updatePeriod = "update-period"
    /// The feed's publishing interval.
    case publishingInterval = "publishing-interval"
    /// The document shows an article for a short time only.
    case newsWindow = "news-window"
    /// No publishing interval is known.
    case trial
    /// The feed's publishing interval is below the shortest polling interval.
    case floor
    /// The server sends no validators.
    case unconditional
    /// The server answers conditional requests with whole documents.
    case wholeDocuments = "whole-documents"
    /// The feed's publishing interval is above the longest polling interval.
    case ceiling

    /// The sentence, with placeholders `{time}`, `{count}`, `{failures}`, `{status}` and `{proxy}`.
    var template: String {
      switch self {
      case .gone: "the publisher ended the feed (HTTP 410)"
      case .retryAfter: "the server requested a pause of {time} (Retry-After)"
      case .limitedRetryAfter:
        "the server requested a pause longer than {time}, the longest that is obeyed (Retry-After)"
      case .rejected: "the server rejected the request: a pause of {time} ({status})"
      case .pausedTarget: "it redirects to a server that requested a pause (Retry-After)"
      case .silentHost: "its host did not answer {count} other feeds"
      case .silentProxy: "the proxy {proxy} did not answer {count} other feeds"
      case .failures: "{failures}"
      case .configured: "every {time}, as configured"
      case .freshness: "the answer stays fresh for {time} (Cache-Control)"
      case .expires: "the answer stays fresh for {time} (Expires)"
      case .timeToLive: "the feed may be kept for {time} (ttl)"
      case .updatePeriod: "the feed is updated every {time} (sy:updatePeriod)"
      case .publishingInterval: "its publishing interval is about {time}"
      case .newsWindow: "its document shows an article for about {time} at its fastest"
      case .trial: "its publishing interval is unknown: polled more often while it has new articles"
      case .floor: "not more often than every {time}"
      case .unconditional: "the server sends no validators: not more often than every {time}"
      case .wholeDocuments: "each poll downloads the whole document: not more often than every {time}"
      case .ceiling: "few new articles, but polled at least every {time}"
      }
    }

    /// True if the server requested a pause. Failures can make the wait longer; they are then named first.
    fileprivate var isPause: Bool {
      switch self {
      case .retryAfter, .limitedRetryAfter, .rejected: true
      default: false
      }
    }
  }

  /// The kind; nil for a reason that an earlier version stored as ``text``.
  public var code: Code?
  /// The duration that the reason names, in seconds.
  public var seconds: Int?
  /// The count of consecutive failures, or of feeds that a host or proxy did not answer.
  public var count: Int?
  /// The HTTP status.
  public var status: Int?
  /// The proxy's address.
  public var proxy: String?
  /// True if the date was postponed because the feed excludes hours or days.
  public var isPostponed = false
  /// The sentence from an earlier version.
  public var text: String?

  /// Creates a reason.
  public init(
    _ code: Code, seconds: TimeInterval? = nil, count: Int? = nil, status: Int? = nil, proxy: String? = nil
  ) {
    self.code = code
    self.seconds = seconds.map { Int(max(0, min($0, 1e9)).rounded()) }
    (self.count, self.status, self.proxy) = (count, status, proxy)
  }

  /// True if the server requested the pause that determines the date.
  public var isPause: Bool { code?.isPause ?? false }

  /// Returns a pause's source for people: the header field, or the answer's status without it.
  public static func pauseSource(_ reason: PollReason?) -> String {
    reason?.code == .rejected ? reason?.status.map(String.init) ?? "Retry-After" : "Retry-After"
  }
}

extension PollReason: CustomStringConvertible {
  private static let failuresFirst = "{failures}; "
  private static let postponed = ", and not in the hours that the feed excludes (skipHours, skipDays)"

  /// The reason as text, without a line end.
  public var description: String {
    guard let code else { return text ?? "" }
    let template =
      (isPause && count != nil ? Self.failuresFirst : "") + code.template
      + (isPostponed ? Self.postponed : "")
    let failures = count == 1 ? "the last fetch failed" : "the last \(count ?? 0) fetches failed"
    let values = [
      ("{time}", DurationText.precise(TimeInterval(seconds ?? 0))), ("{failures}", failures),
      ("{count}", "\(count ?? 0)"), ("{status}", "\(status ?? 0)"), ("{proxy}", proxy ?? ""),
    ]
    return values.reduce(template) { $0.replacing($1.0, with: $1.1) }
  }

  /// Returns SQL that formats a row in the table `feed` like ``description``.
  static func sql(_ feed: String) -> String {
    let pauses = Code.allCases.filter(\.isPause).map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let template = """
      CASE WHEN code IN (\(pauses)) AND \(feed).reason_count IS NOT NULL THEN '\(failuresFirst)' ELSE '' END
      || template || CASE WHEN \(feed).reason_postponed <> 0 THEN '\(postponed)' ELSE '' END
      """
    let values = [
      ("{time}", DurationText.sql("s")),
      (
        "{failures}",
        "CASE c WHEN 1 THEN 'the last fetch failed' ELSE 'the last ' || c || ' fetches failed' END"
      ),
      ("{count}", "'' || c"), ("{status}", "'' || coalesce(\(feed).reason_status, 0)"),
      ("{proxy}", "coalesce(\(feed).reason_proxy, '')"),
    ]
    let sentence = values.reduce(template) { "replace(\($0), '\($1.0)', \($1.1))" }
    return """
      coalesce((SELECT \(sentence)
      FROM sentence, (SELECT coalesce(\(feed).reason_seconds, 0) AS s, coalesce(\(feed).reason_count, 0) AS c) numbers
      WHERE kind = 'reason' AND code = \(feed).reason_code), \(feed).next_reason)
      """
  }
}
