package import Foundation

/// State behind a lock, with a way to wait until it changes: for threads of our own that sleep until there is
/// work.
package final class Monitor<State: Sendable>: @unchecked Sendable {
  // `state` is touched with `condition` locked only.
  private let condition = NSCondition()
  private var state: State

  package init(_ state: State) {
    self.state = state
  }

  /// Runs `body` alone, and wakes who waits.
  package func update<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  /// Waits until `body` gives a result; it runs alone, once now and again after each change.
  ///
  /// With its result it may have changed the state, so that who waits is woken then.
  /// - Parameter wakes: Whether the new state is of interest to who waits; a thread woken for nothing costs more than
  ///   the question.
  package func wait<Result>(
    wakes: (State) -> Bool = { _ in true }, until body: (inout State) -> Result?
  ) -> Result {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = body(&state) {
        if wakes(state) { condition.broadcast() }
        return result
      }
      condition.wait()
    }
  }

  /// Like ``wait(until:)``, but gives up at `deadline` with nil.
  package func wait<Result>(deadline: Date, until body: (inout State) -> Result?) -> Result? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = body(&state) { return result }
      if !condition.wait(until: deadline) { return body(&state) }
    }
  }
}
