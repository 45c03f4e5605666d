internal import Foundation
internal import Threading

/// Decides how long a store waits for a server that refuses or loses connections: one that restarts, recovers or has too many.
final class ServerPatience: Sendable {
  private struct State: Sendable {
    /// True if waiting was ended, because the result is not needed any more.
    var isEnded = false
    var hasConnected = false
    /// True if a long wait was reported.
    var hasReported = false
  }

  /// A wait for one operation.
  struct Wait {
    /// The time of the first pause. A network may have been silent for longer than the wait before the loss was known.
    fileprivate var began: ContinuousClock.Instant?
    fileprivate var attempts = 0
  }

  private let limit: Duration
  private let didWait: @Sendable () -> Void
  private let state = Monitor(State())

  /// - Parameters:
  ///   - limit: The longest wait of an operation, in seconds.
  ///   - didWait: A closure called once, on the waiting thread, when a wait has become long.
  init(limit: TimeInterval, didWait: @escaping @Sendable () -> Void) {
    (self.limit, self.didWait) = (.seconds(limit), didWait)
  }

  /// True if a connection existed before, so that the address is right.
  var hasConnected: Bool { state.update { $0.hasConnected } }

  /// True after ``end()``.
  var isEnded: Bool { state.update { $0.isEnded } }

  func noteConnection() { state.update { $0.hasConnected = true } }

  /// Ends all current and future waits.
  func end() { state.update { $0.isEnded = true } }

  /// The duration of a long wait: after this time the program appears to hang.
  private static let longWait = Duration.milliseconds(500)

  /// Pauses before the next attempt of an operation.
  ///
  /// - Parameter other: The longest wait; nil for that of this object.
  /// - Returns: False if the operation has to be given up.
  func pause(_ wait: inout Wait, atMost other: Duration? = nil) -> Bool {
    let limit = other ?? limit
    let now = ContinuousClock.now
    let began = wait.began ?? now
    wait.began = began
    let waited = now - began
    if waited >= limit { return false }
    let delay = min(0.02 * Double(1 << min(wait.attempts, 5)), (limit - waited) / .seconds(1))
    wait.attempts += 1
    let isLong =
      waited > Self.longWait
      && state.update { state in
        defer { state.hasReported = true }
        return !state.hasReported
      }
    if isLong { didWait() }
    return state.wait(deadline: Date(timeIntervalSinceNow: delay)) { $0.isEnded ? true : nil } == nil
  }
}
