public import Foundation
import HTTPDownload
public import NewsModel
public import WebAddress

/// The pauses of addresses and hosts that servers have requested.
///
/// One answer pauses its address, whichever feed led there. A second address that rejects requests (429, 503) pauses
/// the whole host.
public struct ServerPauses: Sendable {
  private struct Pause: Sendable {
    let end: Date
    /// True if it counts for the pause of its host.
    let rejects: Bool
  }

  /// The pauses by origin and address.
  private var hosts: [String: [String: Pause]] = [:]
  /// The addresses that rejected requests in this run, by origin. Two of them pause the host for the rest of the run,
  /// however short their pauses are.
  private var rejected: [String: Set<String>] = [:]

  /// No pauses.
  public init() {}

  /// Creates the pauses that the store has.
  ///
  /// - Parameters:
  ///   - feeds: The paused feeds of all regions, because the servers are the same.
  ///   - now: The time.
  public init(of feeds: [Feed], at now: Date) {
    for feed in feeds {
      guard case .notBefore(let date)? = PollPolicy.refusal(to: feed.outline, at: now) else { continue }
      // A pause without a status comes from a feed that was merged with this one.
      note(
        feed.pausedURL ?? feed.currentURL, until: date,
        rejects: feed.lastStatus.map(Verdict.rejects) ?? true)
    }
  }

  /// Adds a pause of an address.
  ///
  /// - Parameters:
  ///   - address: The address that answered, after redirects.
  ///   - date: The end of the pause.
  ///   - rejects: True if it rejected the request (429, 503), and may pause its host together with another address.
  public mutating func note(_ address: WebAddress, until date: Date, rejects: Bool = true) {
    guard let origin = address.origin, let target = address.target else { return }
    hosts[origin, default: [:]][target] = Pause(end: date, rejects: rejects)
  }

  /// Adds pauses.
  mutating func merge(_ others: ServerPauses) {
    for (origin, pauses) in others.hosts { hosts[origin, default: [:]].merge(pauses) { $1 } }
    for (origin, targets) in others.rejected { rejected[origin, default: []].formUnion(targets) }
  }

  /// Adds the pause that an answer of this run requests.
  ///
  /// - Returns: The origin of its host if the whole host is paused now; else nil.
  mutating func note(_ head: ResponseHead, at now: Date, _ schedule: Schedule) -> String? {
    let (pause, rejects) = (Verdict.pause(head, at: now, schedule), Verdict.rejects(head.status))
    guard pause != nil || rejects, let origin = head.address.origin, let target = head.address.target else {
      return nil
    }
    if let pause { note(head.address, until: now.addingTimeInterval(pause), rejects: rejects) }
    if rejects { rejected[origin, default: []].insert(target) }
    return hostClosed(origin, at: now) == nil ? nil : origin
  }

  /// Returns the reason not to request an address at `now`; nil if it may be requested.
  public func refusal(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    if hosts.isEmpty && rejected.isEmpty { return nil }
    guard let origin = address.origin, let target = address.target else { return nil }
    if let pause = open(origin, at: now)[target] { return .notBefore(pause.end) }
    return hostClosed(origin, at: now).map { .hostClosed($0) }
  }

  /// Returns the end of a host's pause: as long as two of its addresses that reject requests are paused. Nil without a
  /// pause.
  func hostClosed(_ origin: String, at now: Date) -> Date? {
    let dates = open(origin, at: now).values.filter(\.rejects).map(\.end).sorted(by: >)
    if dates.count > 1 { return dates[1] }
    return rejected[origin]?.count ?? 0 > 1 ? dates.first ?? now : nil
  }

  /// Returns the pauses of a host that are in force at `now`, except those made by a wrong clock.
  private func open(_ origin: String, at now: Date) -> [String: Pause] {
    (hosts[origin] ?? [:]).filter {
      $0.value.end > now && $0.value.end.timeIntervalSince(now) <= PollPolicy.longestWait
    }
  }
}
