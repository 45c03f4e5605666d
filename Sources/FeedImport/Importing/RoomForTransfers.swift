import Threading

/// Lets one task wait until a downloader has room for further transfers.
final class RoomForTransfers: Sendable {
  private enum State {
    case closed, open
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Locked(State.closed)

  /// Notes that there is room; any thread.
  func open() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .open }
      return if case .awaited(let waiting) = state { waiting } else { nil }
    }
    waiting?.resume()
  }

  /// Notes that the room will be filled.
  func close() { state.withLock { $0 = .closed } }

  /// Waits until there is room. Only one task may wait.
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
