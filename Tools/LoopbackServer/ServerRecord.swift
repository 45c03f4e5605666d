import Threading

/// The server's record of connections and requests.
final class ServerRecord: Sendable {
  private struct State {
    var requests: [ReceivedRequest] = []
    var running = 0
    var mostRunning = 0
    var accepted = 0
    var open = 0
    var mostOpen = 0
    var closeWaiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }
  var mostRequestsAtOnce: Int { state.withLock { $0.mostRunning } }
  var connectionCount: Int { state.withLock { $0.accepted } }
  var mostConnectionsAtOnce: Int { state.withLock { $0.mostOpen } }

  /// Counts a connection and returns its number.
  ///
  /// - Parameter others: The number of other connections that the clients have open.
  func openConnection(beside others: Int) -> Int {
    state.withLock { state in
      state.accepted += 1
      state.open += 1
      state.mostOpen = max(state.mostOpen, others + 1)
      return state.accepted
    }
  }

  func closeConnection() {
    let ready = state.withLock { state in
      state.open -= 1
      let count = state.open
      defer { state.closeWaiters.removeAll { $0.count >= count } }
      return state.closeWaiters.filter { $0.count >= count }.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  func waitForConnections(atMost count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.open <= count { return true }
        state.closeWaiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func begin(_ request: ReceivedRequest) {
    let ready = state.withLock { state in
      state.requests.append(request)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      let count = state.requests.count
      defer { state.waiters.removeAll { $0.count <= count } }
      return state.waiters.filter { $0.count <= count }.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  func end() {
    state.withLock { $0.running -= 1 }
  }

  func waitForRequests(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
