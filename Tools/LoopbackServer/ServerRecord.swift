import Dispatch
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
    /// Those who wait, by a number of their own.
    var waiters: [Int: (isMet: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
      [:]
    var lastWaiter = 0

    mutating func takeReady() -> [CheckedContinuation<Void, Never>] {
      let ready = waiters.filter { $0.value.isMet(self) }
      for number in ready.keys { waiters[number] = nil }
      return ready.values.map(\.continuation)
    }
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
      return state.takeReady()
    }
    for continuation in ready { continuation.resume() }
  }

  func waitForConnections(atMost count: Int) async {
    await wait { $0.open <= count }
  }

  func begin(_ request: ReceivedRequest) {
    let ready = state.withLock { state in
      state.requests.append(request)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      return state.takeReady()
    }
    for continuation in ready { continuation.resume() }
  }

  func end() {
    state.withLock { $0.running -= 1 }
  }

  func waitForRequests(_ count: Int) async {
    await wait { $0.requests.count >= count }
  }

  /// Waits until a condition is met; at most two minutes, so that a test fails instead of hanging.
  private func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let (number, ready) = state.withLock { state in
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = (isMet, continuation)
        return (state.lastWaiter, state.takeReady())
      }
      for continuation in ready { continuation.resume() }
      DispatchQueue.global().asyncAfter(deadline: .now() + 120) { [self] in
        state.withLock { $0.waiters.removeValue(forKey: number)?.continuation }?.resume()
      }
    }
  }
}
