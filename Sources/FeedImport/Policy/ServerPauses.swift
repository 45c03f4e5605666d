public import Foundation
import HTTPDownload
import ManagedContext
public import NewsModel
public import WebAddress

/// The pauses for addresses and hosts that servers have requested.
///
/// An answer pauses its address, whichever feed led there. A second address that rejects requests (429, 503)
/// pauses the whole host. After a refusal, a host has a ``HostAllowance``.
public struct ServerPauses: Sendable {
  private struct Pause: Sendable {
    let end: Date
    /// True if it counts for its host's pause.
    let rejects: Bool
  }

  /// The pauses by origin and address.
  private var hosts: [String: [String: Pause]] = [:]
  /// The addresses that rejected requests in this run, by origin. Two addresses pause the host for the rest
  /// of the run, however short their pauses are.
  private var rejected: [String: Set<String>] = [:]
  /// The known limits of hosts, by origin.
  private(set) var allowances: [String: HostAllowance] = [:]
  /// The answers from other hosts in this run.
  private var answers: [String: Answers] = [:]

  /// The answers from a host that has refused no request.
  private struct Answers: Sendable {
    let began: Date
    var count = 1
  }

  /// The maximum number of hosts in ``answers``; beyond it, all are forgotten. A run may meet a million
  /// hosts.
  private static let mostHosts = 4096

  /// The changes that an answer causes.
  struct Change: Sendable {
    /// The origin of a host that gets no further request now, or nil.
    var closed: String?
    /// The host with a new allowance, or nil.
    var limited: (origin: String, allowance: HostAllowance)?
  }

  /// Creates a value without pauses.
  public init() {}

  /// Creates the pauses that the store has.
  ///
  /// - Parameters:
  ///   - feeds: The paused feeds in all regions, because the servers are the same.
  ///   - limits: The stored host limits.
  ///   - now: The time.
  public init(of feeds: [Feed], _ limits: [HostLimit] = [], at now: Date) {
    for limit in limits {
      let allowance = HostAllowance(limit)
      if !allowance.isOver(at: now) { allowances[limit.origin] = allowance }
    }
    for feed in feeds {
      guard case .notBefore(let date)? = PollPolicy.refusal(to: feed, at: now) else { continue }
      // A pause without a status comes from a feed that was merged with this one.
      note(
        feed.pausedURL ?? feed.currentURL, until: date,
        rejects: feed.lastOutcome == .refused || feed.lastStatus.map(Verdict.rejects) ?? true)
    }
  }

  /// Adds an address's pause.
  ///
  /// - Parameters:
  ///   - address: The address that answered, after redirects.
  ///   - date: The end of the pause.
  ///   - rejects: True if it rejected the request (429, 503), and may pause its host together with another
  ///     address.
  public mutating func note(_ address: WebAddress, until date: Date, rejects: Bool = true) {
    guard let origin = address.origin, let target = address.target else { return }
    hosts[origin, default: [:]][target] = Pause(end: date, rejects: rejects)
  }

  mutating func merge(_ others: ServerPauses) {
    for (origin, pauses) in others.hosts { hosts[origin, default: [:]].merge(pauses) { $1 } }
    for (origin, targets) in others.rejected { rejected[origin, default: []].formUnion(targets) }
    for (origin, allowance) in others.allowances { merge(allowance, of: origin) }
  }

  /// Adds a host's allowance, unless a newer one is known.
  mutating func merge(_ allowance: HostAllowance, of origin: String) {
    if let known = allowances[origin], known.notedAt > allowance.notedAt { return }
    allowances[origin] = allowance
  }

  /// Adds the pause that an answer in this run requests, and its information about the host's limit.
  ///
  /// - Parameter wasRefused: True if the feed's previous request was also refused.
  mutating func note(
    _ head: ResponseHead, wasRefused: @autoclosure () -> Bool = false, at now: Date, _ schedule: Schedule
  ) -> Change {
    let isRefusal = Verdict.isRefusal(head)
    let (pause, rejects) = (Verdict.pause(head, at: now, schedule), isRefusal || Verdict.rejects(head.status))
    guard let origin = head.address.origin else { return Change() }
    if pause != nil || rejects, let target = head.address.target {
      if let pause { note(head.address, until: now.addingTimeInterval(pause), rejects: rejects) }
      if rejects { rejected[origin, default: []].insert(target) }
    }
    var change = Change()
    if let allowance = noteLimit(
      head, of: origin, isRefusal, wasRefused: isRefusal && wasRefused(), at: now, schedule)
    {
      allowances[origin] = allowance
      change.limited = (origin, allowance)
    }
    if isClosed(origin, at: now) { change.closed = origin }
    return change
  }

  /// Returns a host's new allowance after an answer; nil if no limit is known.
  private mutating func noteLimit(
    _ head: ResponseHead, of origin: String, _ isRefusal: Bool, wasRefused: Bool, at now: Date,
    _ schedule: Schedule
  ) -> HostAllowance? {
    let stated = StatedLimit(head, at: now)
    if var known = allowances[origin] {
      if !isRefusal {
        known.noteAnswer(stated, at: now)
      } else if wasRefused, known.used > 0, known.opening(at: now) == nil, !stated.isExhausted {
        // The host answers other addresses, but refuses this one again.
        known.noteAnswer(StatedLimit(), at: now)
      } else {
        known.noteRefusal(
          wait: Verdict.statedWait(head, at: now), usual: schedule.firstBackoff, at: now)
      }
      return known
    }
    let before = answers[origin]
    if !isRefusal {
      let answers = Answers(began: before?.began ?? now, count: (before?.count ?? 0) + 1)
      guard stated.isExhausted else {
        if before == nil, self.answers.count == Self.mostHosts { self.answers = [:] }
        self.answers[origin] = answers
        return nil
      }
      var new = HostAllowance(after: answers.count - 1, since: answers.began, at: now)
      new.noteAnswer(stated, at: now)
      return new
    }
    // A single refused address may have its own problem on the server.
    guard stated.isExhausted || stated.reset != nil || hostClosed(origin, at: now) != nil else { return nil }
    var new = HostAllowance(after: before?.count ?? 0, since: before?.began, at: now)
    new.noteRefusal(wait: Verdict.statedWait(head, at: now), usual: schedule.firstBackoff, at: now)
    return new
  }

  /// Returns the reason not to request an address at `now`; nil if it may be requested.
  public func refusal(of address: WebAddress, at now: Date) -> PollPolicy.Refusal? {
    if hosts.isEmpty && rejected.isEmpty && allowances.isEmpty { return nil }
    guard let origin = address.origin, let target = address.target else { return nil }
    if let pause = open(origin, at: now)[target] { return .notBefore(pause.end) }
    if let allowance = allowances[origin] {
      return isClosed(origin, at: now) ? .waiting(HostWait(origin, allowance, at: now)) : nil
    }
    return hostClosed(origin, at: now).map { .hostClosed($0) }
  }

  /// Returns the limit of an address's host, and the earliest time for a request; nil if no limit is known.
  public func wait(of address: WebAddress, at now: Date) -> HostWait? {
    guard let origin = address.origin else { return nil }
    return allowances[origin].map { HostWait(origin, $0, at: now) }
  }

  /// Returns whether a host gets no further request now.
  private func isClosed(_ origin: String, at now: Date) -> Bool {
    if let allowance = allowances[origin] { return allowance.opening(at: now) != nil || rejectsAll(origin) }
    return hostClosed(origin, at: now) != nil
  }

  /// Returns the end of a host's pause, or nil. The pause lasts while two of its addresses that reject
  /// requests are paused.
  func hostClosed(_ origin: String, at now: Date) -> Date? {
    let dates = open(origin, at: now).values.filter(\.rejects).map(\.end).sorted(by: >)
    if dates.count > 1 { return dates[1] }
    return rejectsAll(origin) ? dates.first ?? now : nil
  }

  /// Returns whether two addresses on a host have rejected requests in this run.
  private func rejectsAll(_ origin: String) -> Bool { rejected[origin]?.count ?? 0 > 1 }

  /// Returns a host's pauses that are in force at `now`, except pauses made by a wrong clock.
  private func open(_ origin: String, at now: Date) -> [String: Pause] {
    (hosts[origin] ?? [:]).filter {
      $0.value.end > now && $0.value.end.timeIntervalSince(now) <= PollPolicy.longestWait
    }
  }
}
