internal import Foundation
internal import ManagedContext
internal import Threading

/// Decides how long to wait for a server that restarts, recovers or has too many connections.
///
/// All operations together wait once for each absence of the server. Otherwise every operation after a failed
/// one would wait for the same time again, one after the other.
final class ServerPatience: Sendable {
  private struct State: Sendable {
    /// True if waiting was ended, because the result is not needed any more.
    var isEnded = false
    var hasConnected = false
    /// True if a long wait was reported since the last connection was made.
    var hasReported = false
    /// The time of the first pause since the last connection was made; nil without one.
    var absentSince: ContinuousClock.Instant?
    /// The last attempt to connect that was given up since then.
    var failure: (error: StoreError, at: ContinuousClock.Instant)?
  }

  /// A wait for one operation.
  struct Wait {
    /// The time of the first pause. A network may have been silent for a while before that.
    fileprivate var began: ContinuousClock.Instant?
    fileprivate var attempts = 0
  }

  private let limit: Duration
  private let didWait: @Sendable () -> Void
  private let state = Monitor(State())

  /// - Parameters:
  ///   - limit: An operation's longest wait, in seconds.
  ///   - didWait: A closure called once for an absence, on the waiting thread, when the wait has become long.
  init(limit: TimeInterval, didWait: @escaping @Sendable () -> Void) {
    (self.limit, self.didWait) = (.seconds(limit), didWait)
  }

  /// True if a connection existed before, so that the address is right.
  var hasConnected: Bool { state.update { $0.hasConnected } }

  /// True after ``end()``.
  var isEnded: Bool { state.update { $0.isEnded } }

  func noteConnection() {
    state.update {
      ($0.hasConnected, $0.hasReported, $0.absentSince, $0.failure) = (true, false, nil, nil)
    }
  }

  /// Records that an attempt to connect was given up.
  func note(_ failure: StoreError) {
    state.update { $0.failure = (failure, .now) }
  }

  /// The error of a recently failed attempt to connect; otherwise nil. An attempt may take ten seconds.
  var recentFailure: StoreError? {
    state.update { state in
      guard let (error, time) = state.failure, ContinuousClock.now - time < Self.pauseOfAttempts else {
        return nil
      }
      return error
    }
  }

  private static let pauseOfAttempts = Duration.seconds(2)

  /// Ends all current and future waits.
  func end() { state.update { $0.isEnded = true } }

  /// Returns the beginning of the server's absence, which is now if unknown.
  private func absence(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    state.update { state in
      let began = state.absentSince ?? now
      state.absentSince = began
      return began
    }
  }

  /// Reports a long wait, unless this absence of the server was already reported.
  func report() {
    let isFirst = state.update { state in
      defer { state.hasReported = true }
      return !state.hasReported
    }
    if isFirst { didWait() }
  }

  /// The duration of a long wait: after this time the program appears to hang.
  private static let longWait = Duration.milliseconds(500)

  /// Pauses before an operation's next attempt.
  ///
  /// - Parameter other: The longest wait for something other than the server; nil to wait for the server.
  /// - Returns: False if the operation has to be given up.
  func pause(_ wait: inout Wait, atMost other: Duration? = nil) -> Bool {
    let limit = other ?? limit
    let now = ContinuousClock.now
    let began = wait.began ?? now
    wait.began = began
    let waited = now - (other == nil ? min(began, absence(at: now)) : began)
    if waited >= limit { return false }
    let delay = min(0.02 * Double(1 << min(wait.attempts, 5)), (limit - waited) / .seconds(1))
    wait.attempts += 1
    if waited > Self.longWait { report() }
    return state.wait(atMost: delay) { $0.isEnded ? true : nil } == nil
  }
}
