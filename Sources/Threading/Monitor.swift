package import Foundation

/// State behind a lock that threads can wait for, such as a thread that sleeps until it has work.
package final class Monitor<State: Sendable>: @unchecked Sendable {
  // `state` is accessed only while `condition` is locked.
  private let condition = NSCondition()
  private var state: State

  package init(_ state: State) {
    self.state = state
  }

  /// Runs `body` with exclusive access, and wakes the waiting threads.
  package func update<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  /// Waits until `body` returns a result. It runs with exclusive access, once now and again after each change.
  ///
  /// The call that returns the result may change the state, so the other waiting threads are woken afterwards.
  /// - Parameter wakes: Returns whether the new state matters to the waiting threads. Waking a thread in vain costs more
  ///   than this call.
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

  /// Waits like ``wait(until:)``, and returns nil at `deadline`.
  package func wait<Result>(deadline: Date, until body: (inout State) -> Result?) -> Result? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = body(&state) { return result }
      if !condition.wait(until: deadline) { return body(&state) }
    }
  }
}
