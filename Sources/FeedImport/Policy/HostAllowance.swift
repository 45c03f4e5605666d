public import Foundation
import ManagedContext
import NewsModel

/// The number of requests that a host allows, learned from its answers.
///
/// A host that has refused requests gets one at a time. The number of requests that it answered before it refused one, and the time until
/// it answers again, are its limit: so many requests in a window of time. While it does not refuse, the number grows, so that a limit
/// that has become larger, or has ended, is noticed. It is a function of the answers, without a clock of its own.
public struct HostAllowance: Sendable, Hashable {
  /// The number of requests in a window; nil if it is not known.
  public internal(set) var requests: Int?
  /// The length of a window, in seconds; 0 if it is not known.
  public internal(set) var seconds: TimeInterval = 0
  /// The first request of the current window; nil before it.
  var began: Date?
  /// The number of requests in the current window that were answered.
  var used = 0
  /// The end of the last pause.
  var pausedUntil: Date?
  /// The last answer that stated or showed the limit.
  var limitedAt: Date
  /// The number of refusals since the last answer.
  var refusals = 0
  /// The number of refusals after the first: so often the host refused what had seemed to be allowed.
  var lessons = 0
  /// The time of the last change.
  var notedAt: Date

  /// Creates the allowance of a host that states a limit, or refuses requests, for the first time.
  ///
  /// - Parameters:
  ///   - answers: The number of requests that the host has answered in this run.
  ///   - began: The first of them.
  init(after answers: Int = 0, since began: Date? = nil, at now: Date) {
    (limitedAt, notedAt, used, self.began) = (now, now, answers, began)
  }

  // MARK: What is allowed

  /// Returns the time from which a request may be sent; nil if it may be sent at `now`.
  public func opening(at now: Date) -> Date? {
    if let pausedUntil, pausedUntil > now, pausedUntil.timeIntervalSince(now) <= PollPolicy.longestWait {
      return pausedUntil
    }
    guard let requests, used >= requests, let began, !isWindowOver(at: now) else { return nil }
    return began.addingTimeInterval(seconds)
  }

  /// Returns the number of requests that may be sent at `now`, one after the other: as many as are wanted if the limit is not known.
  func allowed(at now: Date) -> Int {
    guard opening(at: now) == nil else { return 0 }
    guard let requests else { return .max }
    return isWindowOver(at: now) ? requests : max(0, requests - used)
  }

  /// Returns whether the next request begins a window.
  private func isWindowOver(at now: Date) -> Bool {
    guard let began, began <= now else { return true }
    if let pausedUntil, pausedUntil > began { return pausedUntil <= now }
    return requests != nil && now >= began.addingTimeInterval(seconds)
  }

  /// Returns whether nothing is known any more: the clock was ahead when it was noted, or the host has not refused anything for long,
  /// or its refusal was no limit of requests.
  func isOver(at now: Date) -> Bool {
    if notedAt > now.addingTimeInterval(Self.clockTolerance) { return true }
    if let requests { return requests >= Self.mostRequests || now.timeIntervalSince(limitedAt) > Self.memory }
    return used > 0 && refusals == 0 && !(pausedUntil.map { $0 > now } ?? false)
      || now.timeIntervalSince(limitedAt) > Self.memory
  }

  // MARK: Answers

  /// Notes an answer that is not a refusal.
  mutating func noteAnswer(_ stated: StatedLimit, at now: Date) {
    notedAt = now
    if let pausedUntil, pausedUntil > now {
      // It was under way when the host refused another one.
      used += 1
      began = began ?? now
      requests = max(requests ?? 0, used)
    } else {
      if isWindowOver(at: now) { (began, used) = (now, 0) }
      used += 1
      refusals = 0
    }
    guard let remaining = stated.remaining else { return }
    if remaining == 0 {
      pause(for: stated.reset ?? Self.usualReset, at: now)
      learn(wait: stated.reset ?? Self.usualReset, at: now)
    } else if let known = requests {
      requests = max(known, used + remaining)
      if let reset = stated.reset, let began { seconds = max(1, now.timeIntervalSince(began) + reset) }
    }
  }

  /// Notes a refusal.
  ///
  /// - Parameters:
  ///   - wait: The pause that the host requests, in seconds; nil if it states none.
  ///   - usual: The pause without a request, in seconds.
  mutating func noteRefusal(wait: TimeInterval?, usual: TimeInterval, at now: Date) {
    notedAt = now
    if let pausedUntil, pausedUntil > now {
      // It was under way when the host refused another one.
      pause(for: max(wait ?? 0, pausedUntil.timeIntervalSince(now)), at: now)
      return
    }
    let hasAnswered = used > 0 && (requests == nil || !isWindowOver(at: now))
    let passed = began.map { now.timeIntervalSince($0) }
    if requests != nil { lessons += 1 }
    refusals += 1
    if hasAnswered {
      learn(wait: wait, at: now)
    } else if requests != nil, let passed, passed < 2 * seconds {
      // The window is longer than it seemed.
      seconds = wait.map { max(seconds, passed + $0) } ?? min(2 * seconds, max(seconds, Self.longestGuess))
      (used, began) = (0, nil)
    } else {
      (used, began) = (0, nil)
    }
    // A host that refuses again after the pause that it has requested is asked less often.
    let least =
      refusals > 1 ? min(Self.longestGuess, Self.longestGuess / 4 * pow(2, Double(min(refusals, 9)) - 1)) : 0
    pause(for: max(wait ?? usual, least), at: now)
  }

  private mutating func learn(wait: TimeInterval?, at now: Date) {
    guard used > 0, let began else { return }
    requests = used
    seconds = wait.map { max(1, now.timeIntervalSince(began) + $0) } ?? max(seconds, Self.unstatedWindow)
  }

  private mutating func pause(for time: TimeInterval, at now: Date) {
    limitedAt = now
    pausedUntil = now.addingTimeInterval(min(max(time, 0), PollPolicy.longestWait))
  }

  /// Allows more requests if more are wanted, and the host has not refused one for long.
  mutating func grow(toward wanted: Int, at now: Date) {
    guard let known = requests, wanted > known, isWindowOver(at: now), opening(at: now) == nil else { return }
    let pause = pausedUntil.map { max(0, $0.timeIntervalSince(limitedAt)) } ?? 0
    let rest = max(Self.leastRest, 8 * pause) * pow(2, Double(min(lessons, 9)))
    guard now.timeIntervalSince(limitedAt) >= min(rest, Self.longestRest) else { return }
    notedAt = now
    if known == 1, seconds > Self.shortWindow {
      seconds = max(Self.shortWindow, seconds / 2)
    } else {
      requests = known * 2
    }
  }

  /// The window of a host that states no time, in seconds: until it refuses again, it gets a request in each run from cron.
  private static let unstatedWindow: TimeInterval = 540
  /// The longest window that is guessed, in seconds.
  private static let longestGuess: TimeInterval = 3600
  /// The window down to which it becomes shorter before it gets more requests, in seconds.
  private static let shortWindow: TimeInterval = 60
  /// The pause of a host that states the end of its limit, but not the time, in seconds.
  private static let usualReset: TimeInterval = 60
  /// The shortest and the longest time without refusals after which the allowance grows, in seconds.
  private static let (leastRest, longestRest): (TimeInterval, TimeInterval) = (3600, 86_400)
  /// The number of requests that is as good as no limit.
  private static let mostRequests = 256
  /// The time without refusals after which a limit is forgotten, in seconds.
  private static let memory: TimeInterval = 3 * 86_400
  /// The tolerance for a clock that was ahead, in seconds.
  private static let clockTolerance: TimeInterval = 600
}

extension HostAllowance {
  /// Reads the allowance that the store has.
  init(_ limit: HostLimit) {
    self.init(after: limit.used, since: limit.began, at: limit.limitedAt)
    (requests, seconds) = (limit.requests.map { max(1, $0) }, TimeInterval(max(0, limit.seconds)))
    (pausedUntil, refusals, lessons) = (limit.pausedUntil, max(0, limit.refusals), max(0, limit.lessons))
    notedAt = limit.notedAt
  }

  /// Returns rows that write allowances into the store.
  static func rows(_ allowances: [String: HostAllowance]) -> BatchUpsert {
    var rows = RowBatch(entity: NewsModel.Place.hostLimit, columns: HostLimit.Key.columns)
    for (origin, allowance) in allowances {
      rows.beginRow()
      rows.append(text: origin)
      rows.append(allowance.requests.attributeValue)
      rows.append(Int(min(allowance.seconds, 1e9).rounded(.up)).attributeValue)
      rows.append(allowance.began.attributeValue)
      rows.append(allowance.used.attributeValue)
      rows.append(allowance.pausedUntil.attributeValue)
      rows.append(allowance.limitedAt.attributeValue)
      rows.append(allowance.refusals.attributeValue)
      rows.append(allowance.lessons.attributeValue)
      rows.append(allowance.notedAt.attributeValue)
    }
    return BatchUpsert(rows, unique: [HostLimit.Key.origin.index])
  }
}

/// The wait for a host that limits requests.
public struct HostWait: Sendable, Hashable {
  /// The host: `WebAddress.origin`.
  public let origin: String
  /// The limit; see ``HostAllowance``.
  public let requests: Int?
  /// The window of the limit, in seconds.
  public let seconds: TimeInterval
  /// The time from which a request may be sent, in whole seconds.
  public let until: Date

  /// The time for which a run waits for hosts in all, in seconds: one from cron does not wait for minutes.
  static let patience: TimeInterval = 30
  /// The longest time for which it waits before one request, in seconds.
  private static let shortWait: TimeInterval = 5

  /// Returns whether a run waits for the host.
  func isShort(at now: Date) -> Bool { until.timeIntervalSince(now) <= Self.shortWait }

  /// The number of requests of a run; nil if the limit is not known.
  public var requestsOfRun: Int? {
    guard let requests, seconds > 0 else { return nil }
    return seconds > Self.shortWait ? requests : requests * Int(Self.patience / max(1, seconds))
  }

  /// - Parameter isTaken: True if other feeds use the requests that are allowed now.
  init(_ origin: String, _ allowance: HostAllowance, isTaken: Bool = false, at now: Date) {
    (self.origin, requests, seconds) = (origin, allowance.requests, allowance.seconds)
    // Equal waits are stored once.
    let opening = allowance.opening(at: now) ?? (isTaken ? now.addingTimeInterval(allowance.seconds) : now)
    until = Date(timeIntervalSince1970: opening.timeIntervalSince1970.rounded(.up))
  }
}
