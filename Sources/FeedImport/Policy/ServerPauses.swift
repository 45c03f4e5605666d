public import Foundation
import HTTPDownload
public import NewsModel

/// What servers have asked for by 429 and 503: which addresses are left alone, and which hosts.
///
/// One answer closes the address that gave it, whichever feed led there. A second address closes the whole host: a
/// server that turns away two of its feeds wants no request at all for a while.
public struct ServerPauses: Sendable {
  /// Until when, by address, by the host's origin.
  private var hosts: [String: [String: Date]] = [:]

  /// Nobody has asked for anything.
  public init() {}

  /// What the store knows.
  ///
  /// - Parameter feeds: Those that are to be left alone, of all regions: the servers are the same.
  public init(of feeds: [Feed]) {
    for feed in feeds {
      if let date = feed.notBefore { note(feed.pausedURL ?? feed.currentURL, until: date) }
    }
  }

  /// Notes that an address is to be left alone.
  ///
  /// - Parameters:
  ///   - url: The address that answered, where redirects led.
  ///   - date: Until when.
  public mutating func note(_ url: String, until date: Date) {
    guard let place = try? DownloadURL.validate(url) else { return }
    hosts[place.origin, default: [:]][place.target] = date
  }

  /// Why an address may not be asked at `now`; nil when it may.
  public func refusal(of url: String, at now: Date) -> AskPolicy.Refusal? {
    if hosts.isEmpty { return nil }
    guard let place = try? DownloadURL.validate(url) else { return nil }
    if let date = open(place.origin, at: now)[place.target] { return .notBefore(date) }
    return hostClosed(place.origin, at: now).map { .hostClosed($0) }
  }

  /// Until when nothing of a host may be asked: as long as two of its addresses are to be left alone. Nil when it may.
  func hostClosed(_ origin: String, at now: Date) -> Date? {
    let dates = open(origin, at: now).values.sorted(by: >)
    return dates.count > 1 ? dates[1] : nil
  }

  /// The pauses of a host that hold at `now`; one that a wrong clock made does not.
  private func open(_ origin: String, at now: Date) -> [String: Date] {
    (hosts[origin] ?? [:]).filter {
      $0.value > now && $0.value.timeIntervalSince(now) <= AskPolicy.longestWait
    }
  }
}
