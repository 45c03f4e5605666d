public import Foundation

extension Schedule.Next {
  /// The reason in words; see ``Schedule/Reason/description``.
  public var reasonText: String {
    isMoved ? "\(reason), and not in the hours that the feed excludes (skipHours, skipDays)" : "\(reason)"
  }
}

extension Schedule.Reason: CustomStringConvertible {
  /// The reason in words, as it is stored and shown; no sentence, no line end.
  public var description: String {
    switch self {
    case .gone: "the publisher ended the feed (HTTP 410)"
    case .retryAfter(let wait): "the server asks for a pause of \(Self.words(wait)) (Retry-After)"
    case .cutRetryAfter(let wait):
      "the server asks for a longer pause than \(Self.words(wait)), the most that is heeded (Retry-After)"
    case .turnedAway(let status, let wait):
      "the server turned us away: a pause of \(Self.words(wait)) (\(status))"
    case .failures(1): "the last fetch failed"
    case .failures(let count): "the last \(count) fetches failed"
    case .failuresBeyond(let count, let pause): "\(Self.failures(count)); \(pause)"
    case .configured(let interval): "every \(Self.words(interval)), as configured"
    case .freshness(let time): "the answer stays fresh for \(Self.words(time)) (Cache-Control)"
    case .expires(let time): "the answer stays fresh for \(Self.words(time)) (Expires)"
    case .timeToLive(let time): "the feed may be kept for \(Self.words(time)) (ttl)"
    case .updatePeriod(let time): "the feed is updated every \(Self.words(time)) (sy:updatePeriod)"
    case .rhythm(let gap): "its rhythm: an article about every \(Self.words(gap))"
    case .trial: "its dates show no rhythm: asked more often while there is news"
    case .floor(let time): "not more often than every \(Self.words(time))"
    case .unconditional(let time):
      "the server gives no validators: not more often than every \(Self.words(time))"
    case .wholeDocuments(let time):
      "each fetch costs the whole document: not more often than every \(Self.words(time))"
    case .ceiling(let time): "it brings little: asked every \(Self.words(time)) all the same"
    }
  }

  static func words(_ seconds: TimeInterval) -> String { Schedule.words(seconds) }
}

extension Schedule {
  /// A time with one unit, rounded: "40 s", "3 h".
  public static func roughly(_ seconds: TimeInterval) -> String {
    let units: [(TimeInterval, String)] = [(86400, "d"), (3600, "h"), (60, "min")]
    let unit = units.first { (seconds / $0.0).rounded() >= 1 && seconds > 0.99 * $0.0 } ?? (1, "s")
    return "\(Int((max(0, min(seconds, 1e9)) / unit.0).rounded())) \(unit.1)"
  }

  /// A time with its largest unit and the next: "40 s", "2 h 30 min", "3 d".
  public static func words(_ seconds: TimeInterval) -> String {
    let total = Int(max(0, min(seconds, 1e9)).rounded())
    let units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    guard let largest = units.firstIndex(where: { total >= $0.0 }) else { return "0 s" }
    let (size, name) = units[largest]
    let rest = total % size
    guard largest + 1 < units.count, rest >= units[largest + 1].0 else { return "\(total / size) \(name)" }
    let (nextSize, nextName) = units[largest + 1]
    return "\(total / size) \(name) \(rest / nextSize) \(nextName)"
  }
}
