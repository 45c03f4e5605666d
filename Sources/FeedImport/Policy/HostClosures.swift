public import Foundation

/// The hosts that are left alone: a server that turns away two of its feeds wants no request at all for a while.
///
/// One 429 or 503 closes only its feed: another feed of a large host may be in order.
public struct HostClosures: Sendable {
  private var pauses: [String: [(feed: String, until: Date)]] = [:]

  /// No host is closed.
  public init() {}

  /// Notes that a feed is to be left alone until a date (HTTP 429 or 503).
  ///
  /// - Parameters:
  ///   - url: The address that was asked.
  ///   - date: Until when.
  public mutating func note(_ url: String, until date: Date) {
    guard let host = Self.origin(of: url) else { return }
    pauses[host, default: []].removeAll { $0.feed == url }
    pauses[host, default: []].append((url, date))
  }

  /// Until when no feed of an address's host may be asked; nil when the host is open at `now`.
  ///
  /// That is as long as two of its feeds are to be left alone.
  public func closed(_ url: String, at now: Date) -> Date? {
    guard !pauses.isEmpty, let host = Self.origin(of: url), let pauses = pauses[host] else { return nil }
    let dates = pauses.map(\.until).filter { $0 > now && $0.timeIntervalSince(now) <= AskPolicy.longestWait }
      .sorted(by: >)
    return dates.count > 1 ? dates[1] : nil
  }

  /// Scheme, host and port in lower case.
  static func origin(of url: String) -> String? {
    guard let parts = URLComponents(string: url), let host = parts.host?.lowercased(), !host.isEmpty else {
      return nil
    }
    let scheme = parts.scheme?.lowercased() ?? "http"
    return "\(scheme)://\(host):\(parts.port ?? (scheme == "https" ? 443 : 80))"
  }
}
