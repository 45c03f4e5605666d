import FeedParsing
package import Foundation
import HTTPDownload

/// The meaning of a response head for its feed.
enum Verdict: Equatable {
  /// The body may contain articles.
  case articles
  /// Nothing has changed since the validators were saved.
  case notModified
  /// No articles, because the host allows no further request now. The feed itself may be fine.
  case refusal
  /// No articles. `isGone` is true if the publisher ended the feed.
  case failure(isGone: Bool)

  /// Judges a response.
  ///
  /// Only 200 and 203 contain articles (RFC 9110, 15), and 226, which a server sends only if the request asks
  /// for it (RFC 3229).
  init(_ head: ResponseHead) {
    switch head.status {
    case 200, 203, 226: self = .articles
    case 304: self = .notModified
    case _ where Self.isRefusal(head): self = .refusal
    default:
      // The publisher ended the feed if its own address answers 410, or the target of permanent redirects.
      self = .failure(isGone: head.status == 410 && head.redirects.allSatisfy(\.isPermanent))
    }
  }

  /// Returns whether a host refuses the request, and states when it would answer it.
  ///
  /// A refusal is 429 (RFC 6585), 503 with Retry-After, or a 403 or 503 with fields that state that no
  /// request is left. A 503 without them is a server failure.
  static func isRefusal(_ head: ResponseHead) -> Bool {
    switch head.status {
    case 429: true
    case 503 where RetryAfter.isReadable(head.retryAfter): true
    case 403, 503: StatedLimit(head, at: Date(timeIntervalSince1970: 0)).isExhausted
    default: false
    }
  }

  /// Returns the pause that a refusal states, in seconds, or nil.
  static func statedWait(_ head: ResponseHead, at now: Date) -> TimeInterval? {
    let wish = RetryAfter.seconds(head.retryAfter, at: now) ?? StatedLimit(head, at: now).reset
    return wish.map { min($0, PollPolicy.longestWait) }
  }

  /// Returns whether a status rejects the client (429, 503); two such answers pause their host.
  static func rejects(_ status: Int) -> Bool { status == 429 || status == 503 }

  /// Returns the pause that the server requests for the address, in seconds, or nil.
  ///
  /// It is any answer's Retry-After, the end of a refusal's limit, or the default for a rejection without
  /// either. It does not grow with repetition, because it also holds for polls by hand and for the host. The
  /// ``Schedule`` polls a failing feed less and less often.
  static func pause(_ head: ResponseHead, at now: Date, _ schedule: Schedule) -> TimeInterval? {
    let wish = isRefusal(head) ? statedWait(head, at: now) : RetryAfter.seconds(head.retryAfter, at: now)
    guard let wish else { return rejects(head.status) ? schedule.firstBackoff : nil }
    return wish > 0 ? wish : nil
  }

  /// Returns whether a status is a redirect: if it was not followed, the reason is a pause (RFC 9110,
  /// 10.2.3).
  static func isDelayedRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }
}

/// Reads the Retry-After field (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// Returns the pause, in seconds, from 0 to ``PollPolicy/longestWait``; nil if the field is missing or
  /// unreadable.
  package static func seconds(_ field: String?, at now: Date) -> TimeInterval? {
    wish(field, at: now).map { min($0, PollPolicy.longestWait) }
  }

  /// Returns whether a field states a time, even one that has passed.
  static func isReadable(_ field: String?) -> Bool {
    guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return false }
    return wish(field, at: Date(timeIntervalSince1970: 0)) != nil
  }

  /// Returns the pause as ``seconds(_:at:)``, without the maximum.
  static func wish(_ field: String?, at now: Date) -> TimeInterval? {
    guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return nil }
    // Some servers send fractions, which RFC 9110 does not allow.
    if field.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      return TimeInterval(field).map { $0.rounded(.up) }
    }
    guard let date = DateParser.seconds(field) else { return nil }
    let wait = TimeInterval(date) - now.timeIntervalSince1970
    return wait > 0 ? wait : nil
  }
}
