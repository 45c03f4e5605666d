import Threading

/// Lets one task wait until other threads open it.
final class AsyncGate: Sendable {
  private enum State {
    case closed, open
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Locked(State.closed)

  /// Ends the current or the next wait; any thread.
  func open() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .open }
      return if case .awaited(let waiting) = state { waiting } else { nil }
    }
    waiting?.resume()
  }

  /// Makes the next wait last until the gate is opened again.
  func close() { state.withLock { $0 = .closed } }

  /// Waits until the gate is open. Only one task may wait.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if case .open = state { return true }
        state = .awaited(continuation)
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}
