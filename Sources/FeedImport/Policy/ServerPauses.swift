public import Foundation
import HTTPDownload
public import NewsModel
public import WebAddress

/// What servers have asked for by Retry-After: which addresses are left alone, and which hosts.
///
/// One answer closes the address that gave it, whichever feed led there. A second address that turns away (429, 503)
/// closes the whole host: a server that does so with two of its feeds wants no request at all for a while.
public struct ServerPauses: Sendable {
  private struct Pause: Sendable {
    let end: Date
    /// Whether it counts against the host.
    let turnsAway: Bool
  }

  /// By address, by the host's origin.
  private var hosts: [String: [String: Pause]] = [:]
  /// The addresses that have turned away in this run, by the host's origin: two of them close it for the run's rest, for
  /// however short a time they ask.
  private var turnedAway: [String: Set<String>] = [:]

  /// Nobody has asked for anything.
  public init() {}

  /// What the store knows.
  ///
  /// - Parameters:
  ///   - feeds: Those that are to be left alone, of all regions: the servers are the same.
  ///   - now: The time.
  public init(of feeds: [Feed], at now: Date) {
    for feed in feeds {
      guard case .notBefore(let date)? = AskPolicy.refusal(to: feed.outline, at: now) else { continue }
      // A pause that came without a status is one of a feed that became one with this.
      note(
        feed.pausedURL ?? feed.currentURL, until: date,
        turnsAway: feed.lastStatus.map(Verdict.turnsAway) ?? true)
    }
  }

  /// Notes that an address is to be left alone.
  ///
  /// - Parameters:
  ///   - address: The address that answered, where redirects led.
  ///   - date: Until when.
  ///   - turnsAway: Whether it answered so (429, 503), and may close its host with another.
  public mutating func note(_ address: WebAddress, until date: Date, turnsAway: Bool = true) {
    guard let origin = address.origin, let target = address.target else { return }
    hosts[origin, default: [:]][target] = Pause(end: date, turnsAway: turnsAway)
  }

  /// Notes what an answer of this run asks for.
  ///
  /// - Returns: The origin of its host, where nothing more of that may be asked; nil where it may.
  mutating func note(_ head: ResponseHead, at now: Date, _ schedule: Schedule) -> String? {
    let (pause, turnsAway) = (Verdict.pause(head, at: now, schedule), Verdict.turnsAway(head.status))
    guard pause != nil || turnsAway, let origin = head.address.origin, let target = head.address.target else {
      return nil
    }
    if let pause { note(head.address, until: now.addingTimeInterval(pause), turnsAway: turnsAway) }
    if turnsAway { turnedAway[origin, default: []].insert(target) }
    return hostClosed(origin, at: now) == nil ? nil : origin
  }

  /// Why an address may not be asked at `now`; nil when it may.
  public func refusal(of address: WebAddress, at now: Date) -> AskPolicy.Refusal? {
    if hosts.isEmpty && turnedAway.isEmpty { return nil }
    guard let origin = address.origin, let target = address.target else { return nil }
    if let pause = open(origin, at: now)[target] { return .notBefore(pause.end) }
    return hostClosed(origin, at: now).map { .hostClosed($0) }
  }

  /// Until when nothing of a host may be asked: as long as two of its addresses that turn away are to be left alone. Nil
  /// when it may.
  func hostClosed(_ origin: String, at now: Date) -> Date? {
    let dates = open(origin, at: now).values.filter(\.turnsAway).map(\.end).sorted(by: >)
    if dates.count > 1 { return dates[1] }
    return turnedAway[origin]?.count ?? 0 > 1 ? dates.first ?? now : nil
  }

  /// The pauses of a host that hold at `now`; one that a wrong clock made does not.
  private func open(_ origin: String, at now: Date) -> [String: Pause] {
    (hosts[origin] ?? [:]).filter {
      $0.value.end > now && $0.value.end.timeIntervalSince(now) <= AskPolicy.longestWait
    }
  }
}
