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
    change { $0.open -= 1 }
  }

  func waitForConnections(atMost count: Int) async {
    await wait { $0.open <= count }
  }

  func begin(_ request: ReceivedRequest) {
    change { state in
      state.requests.append(request)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
    }
  }

  func end() {
    state.withLock { $0.running -= 1 }
  }

  func waitForRequests(_ count: Int) async {
    await wait { $0.requests.count >= count }
  }

  /// Changes the state, and resumes those whose condition is then met.
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, ready) = state.withLock { state in
      let result = body(&state)
      let ready = state.waiters.filter { $0.value.isMet(state) }
      for number in ready.keys { state.waiters[number] = nil }
      return (result, ready.values.map(\.continuation))
    }
    for continuation in ready { continuation.resume() }
    return result
  }

  /// Waits until a condition is met; at most two minutes, so that a test fails instead of hanging.
  private func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let number = change { state in
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = (isMet, continuation)
        return state.lastWaiter
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 120) { [self] in
        state.withLock { $0.waiters.removeValue(forKey: number)?.continuation }?.resume()
      }
    }
  }
}
