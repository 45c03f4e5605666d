public import Foundation
import ManagedContext
import NewsModel

/// The number of requests that a host allows, learned from its answers.
///
/// A host that has refused requests gets one at a time. Its limit is a request count in a time window: the
/// requests that it answered before it refused one, and the time until it answers again. While it does not
/// refuse, the allowance grows, so that a higher or abolished limit is noticed. The allowance depends only on
/// the answers, and has no clock.
public struct HostAllowance: Sendable, Hashable {
  /// The number of requests in a window; nil if it is not known.
  public internal(set) var requests: Int?
  /// The length of a window, in seconds; 0 if it is not known.
  public internal(set) var seconds: TimeInterval = 0
  /// The time of the current window's first request; nil before it.
  var began: Date?
  /// The number of requests in the current window that were answered.
  var used = 0
  /// The end of the last pause.
  var pausedUntil: Date?
  /// The time of the last answer that stated or showed the limit.
  var limitedAt: Date
  /// The number of refusals since the last answer.
  var refusals = 0
  /// The number of refusals after the first: the host refused requests that had seemed to be allowed.
  var lessons = 0
  /// The time of the last change.
  var notedAt: Date

  /// Creates the allowance when a host first states a limit or refuses a request.
  ///
  /// - Parameters:
  ///   - answers: The number of requests that the host has answered in this run.
  ///   - began: The time of the first answer.
  init(after answers: Int = 0, since began: Date? = nil, at now: Date) {
    (limitedAt, notedAt, used, self.began) = (now, now, answers, began)
  }

  // MARK: Allowed requests

  /// Returns the earliest time for a request; nil if it may be sent at `now`.
  public func opening(at now: Date) -> Date? {
    if let pausedUntil, pausedUntil > now, pausedUntil.timeIntervalSince(now) <= PollPolicy.longestWait {
      return pausedUntil
    }
    guard let requests, used >= requests, let began, !isWindowOver(at: now) else { return nil }
    return began.addingTimeInterval(seconds)
  }

  /// Returns how many requests may be sent at `now`, one after the other; `Int.max` if the limit is not
  /// known.
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

  /// Returns whether the allowance is obsolete: the clock was ahead when it was noted, the host has not
  /// refused anything for a long time, or its refusal was not a request limit.
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
      // It was under way when the host refused another one, which may be noted first.
      used += 1
      began = began ?? now
      requests = used
      if seconds == 0 { seconds = max(1, pausedUntil.timeIntervalSince(now)) }
    } else {
      if isWindowOver(at: now) { (began, used) = (now, 0) }
      used += 1
    }
    refusals = 0
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
  ///   - wait: The pause that the host requests, in seconds, or nil.
  ///   - usual: The pause to use if the host does not request one, in seconds.
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

  /// Allows more requests if more are wanted, and if the host has not refused one for a long time.
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

  /// The window for a host that states no time, in seconds. Until it refuses again, it gets a request in each
  /// cron run.
  private static let unstatedWindow: TimeInterval = 540
  /// The longest window that is guessed, in seconds.
  private static let longestGuess: TimeInterval = 3600
  /// The minimum window, in seconds: the window shrinks to it before the number of requests grows.
  private static let shortWindow: TimeInterval = 60
  /// The pause for a host that states that its limit is used up, but not until when, in seconds.
  private static let usualReset: TimeInterval = 60
  /// The shortest and the longest time without refusals after which the allowance grows, in seconds.
  private static let (leastRest, longestRest): (TimeInterval, TimeInterval) = (3600, 86_400)
  /// The minimum limit that is ignored, in requests.
  private static let mostRequests = 256
  /// The time without refusals after which a limit is forgotten, in seconds.
  private static let memory: TimeInterval = 3 * 86_400
  /// The tolerance for a clock that was ahead, in seconds.
  private static let clockTolerance: TimeInterval = 600
}

extension HostAllowance {
  /// Reads the stored allowance.
  init(_ limit: HostLimit) {
    self.init(after: limit.used, since: limit.began, at: limit.limitedAt)
    (requests, seconds) = (limit.requests.map { max(1, $0) }, TimeInterval(max(0, limit.seconds)))
    (pausedUntil, refusals, lessons) = (limit.pausedUntil, max(0, limit.refusals), max(0, limit.lessons))
    notedAt = limit.notedAt
  }

  /// Returns rows that write allowances into the store.
  static func rows(_ allowances: [String: HostAllowance]) -> BatchUpsert {
    var rows = RowBatch(entity: NewsModel.Place.hostLimit, columns: HostLimit.columns)
    for (origin, allowance) in allowances {
      rows.beginRow()
      rows.append(text: origin)
      rows.append(allowance.requests.attributeValue)
      rows.append(Int(min(allowance.seconds, 1e9).rounded(.up)).attributeValue)
      rows.append(.secondsSince1970(allowance.began))
      rows.append(allowance.used.attributeValue)
      rows.append(.secondsSince1970(allowance.pausedUntil))
      rows.append(.secondsSince1970(allowance.limitedAt))
      rows.append(allowance.refusals.attributeValue)
      rows.append(allowance.lessons.attributeValue)
      rows.append(.secondsSince1970(allowance.notedAt))
    }
    return BatchUpsert(rows, unique: [HostLimit.schema.origin.index])
  }
}

/// The wait for a host that limits requests.
public struct HostWait: Sendable, Hashable {
  /// The host: `WebAddress.origin`.
  public let origin: String
  /// The limit; see ``HostAllowance``.
  public let requests: Int?
  /// The limit's window, in seconds.
  public let seconds: TimeInterval
  /// The earliest time for a request, in whole seconds.
  public let until: Date

  /// The total time that a run waits for hosts, in seconds: a run from cron does not wait for minutes.
  static let patience: TimeInterval = 30
  /// The longest wait before one request, in seconds.
  private static let shortWait: TimeInterval = 5

  /// Returns whether a run waits for the host.
  func isShort(at now: Date) -> Bool { until.timeIntervalSince(now) <= Self.shortWait }

  /// The number of requests in a run; nil if the limit is not known.
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
