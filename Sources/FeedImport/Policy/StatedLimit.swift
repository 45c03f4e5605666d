import FeedParsing
import Foundation
import HTTPDownload

/// The remainder of a host's limit, as an answer's fields state it.
///
/// It reads these fields:
///
/// - `RateLimit` (draft-ietf-httpapi-ratelimit-headers), with `r` and `t` or, in its earlier form,
///   `remaining` and `reset`
/// - `RateLimit-Remaining` and `RateLimit-Reset`
/// - the same fields with the prefix `X-`
struct StatedLimit: Sendable, Equatable {
  /// The number of further requests that the host allows now; nil if it is not stated.
  var remaining: Int?
  /// The time until it allows more, in seconds; nil if it is not stated.
  var reset: TimeInterval?

  /// True if the host allows no further request now.
  var isExhausted: Bool { remaining == 0 }

  init() {}

  /// Reads an answer's fields.
  init(_ head: ResponseHead, at now: Date) {
    guard let fields = head.limitFields else { return }
    // If a server sends the time at which the limit ends, it uses its own clock.
    let date =
      head.date.flatMap { DateParser.seconds($0) }.map(TimeInterval.init) ?? now.timeIntervalSince1970
    if let field = fields.rateLimit { readMembers(of: field, at: date) }
    if remaining == nil, let field = fields.remaining {
      // Some servers count in fractions.
      remaining = Self.number(field).map { Int(max(0, min($0, 1e9))) }
    }
    if reset == nil, let field = fields.reset { reset = Self.wait(field, at: date) }
  }

  /// Reads the limits in a RateLimit field. The limit with the fewest requests left counts; among equal ones,
  /// the last to end.
  private mutating func readMembers(of field: String, at date: TimeInterval) {
    // The earlier form is one limit with commas between its parts.
    let separator: Character = field.contains(";") ? "," : "\n"
    for limit in field.split(separator: separator) {
      let (left, time) = Self.parts(of: limit, at: date)
      guard let left else { continue }
      if let remaining {
        guard left < remaining || left == remaining && time ?? 0 > reset ?? 0 else { continue }
      }
      (remaining, reset) = (left, time)
    }
  }

  private static func parts(of limit: Substring, at date: TimeInterval) -> (Int?, TimeInterval?) {
    var (left, time): (Int?, TimeInterval?) = (nil, nil)
    for part in limit.split(whereSeparator: { $0 == ";" || $0 == "," }) {
      let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard sides.count == 2 else { continue }
      switch sides[0].lowercased() {
      case "r", "remaining": left = number(sides[1]).map { Int(max(0, min($0, 1e9))) }
      case "t", "reset": time = wait(sides[1], at: date)
      default: break
      }
    }
    return (left, time)
  }

  /// Returns the time until a limit ends, in seconds. The field is a number of seconds, or a time in seconds
  /// or milliseconds since 1970. Nil for anything else, and for a time that has passed.
  private static func wait(_ field: String, at date: TimeInterval) -> TimeInterval? {
    guard let number = number(field) else {
      return DateParser.seconds(field).map { TimeInterval($0) - date }.flatMap { $0 > 0 ? $0 : nil }
    }
    if number < leastTime { return number.rounded(.up) }
    let wait = (number < leastTime * 1000 ? number : number / 1000) - date
    return wait > 0 ? wait.rounded(.up) : nil
  }

  /// The smallest number that is a time, not a duration: 30 years.
  private static let leastTime: TimeInterval = 946_684_800

  private static func number(_ field: String) -> TimeInterval? {
    // Proxies join repeated fields.
    let text = (field.split(separator: ",").first ?? "").trimmingCharacters(in: .whitespaces)
    let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    return isNumber ? TimeInterval(text) : nil
  }
}
