internal import ManagedContext
internal import Threading

/// A store's connections: one that writes, and a few that read.
final class ConnectionPool: Sendable {
  private struct State: Sendable {
    var idle: [Connection] = []
    var open = 0
    var isClosed = false
    /// True if the pool has given up the server.
    var isDisconnected = false
    var cancellations: [ObjectIdentifier: Cancellation] = [:]
  }

  private let address: String
  /// The address without its password.
  private let name: String
  private let settings: [(name: String, value: String)]
  private let limit: Int
  private let patience: ServerPatience
  /// The pooler in between, as far as it is known; see ``Pooler``.
  private let pooler: Locked<Pooler>
  private let state = Monitor(State())

  init(
    _ address: String, name: String, limit: Int, settings: [(name: String, value: String)],
    patience: ServerPatience,
    pooler: Locked<Pooler>
  ) {
    (self.address, self.name, self.limit, self.settings) = (address, name, limit, settings)
    (self.patience, self.pooler) = (patience, pooler)
  }

  /// Runs `body` with a connection, and waits for a free one. A lost connection is replaced at its next use,
  /// which waits for a temporarily absent server.
  func use<Value>(
    _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let connection = try take()
    defer { give(connection) }
    return try body(connection)
  }

  func take() throws(StoreError) -> Connection {
    enum Place { case idle(Connection), new, closed, disconnected }
    let place = state.wait(wakes: { _ in false }) { state -> Place? in
      if state.isClosed { return .closed }
      if state.isDisconnected { return .disconnected }
      if let connection = state.idle.popLast() { return .idle(connection) }
      guard state.open < limit else { return nil }
      state.open += 1
      return .new
    }
    switch place {
    case .closed: throw .cannotOpen("\(name): the store is closed")
    case .disconnected: throw .unavailable("\(name): the server does not answer")
    case .idle(let connection): return connection
    case .new:
      do throws(StoreError) {
        return try connect()
      } catch {
        state.update { $0.open -= 1 }
        throw error
      }
    }
  }

  func give(_ connection: Connection) {
    let isUseless = connection.isLost || connection.isInTransaction
    state.update { state in
      if isUseless || state.isClosed {
        state.open -= 1
        state.cancellations[ObjectIdentifier(connection)] = nil
      } else {
        state.idle.append(connection)
      }
    }
  }

  private func connect() throws(StoreError) -> Connection {
    if let error = patience.recentFailure { throw error }
    var wait = ServerPatience.Wait()
    while true {
      do throws(ServerError) {
        var connection = try Connection(address, settings: settings, through: pooler.withLock { $0 })
        if connection.hasUnknownPooler {
          let found = try Pooler.find(behind: connection, address)
          pooler.withLock { $0 = found }
          connection = try Connection(address, settings: settings, through: found)
        }
        patience.noteConnection()
        let cancellation = connection.cancellation()
        state.update { $0.cancellations[ObjectIdentifier(connection)] = cancellation }
        return connection
      } catch {
        let isPassing = error.code.map(ErrorCode.isPassing) ?? patience.hasConnected
        if isPassing, patience.pause(&wait) { continue }
        let failure = error.connecting(to: name, hasConnected: patience.hasConnected)
        if isPassing { patience.note(failure) }
        throw failure
      }
    }
  }

  func cancelAll() {
    for cancellation in state.update({ Array($0.cancellations.values) }) { cancellation.cancel() }
  }

  /// Ends all connections, also those in use, and makes no further ones.
  func disconnect() {
    let cancellations = state.update { state in
      state.isDisconnected = true
      return Array(state.cancellations.values)
    }
    for cancellation in cancellations { cancellation.disconnect() }
  }

  /// Closes the connections, at the latest when they are given back.
  func close() {
    // Connections are released outside the lock: closing one writes to its socket.
    let idle = state.update { state in
      defer { (state.idle, state.cancellations, state.isClosed) = ([], [:], true) }
      state.open -= state.idle.count
      return state.idle
    }
    withExtendedLifetime(idle) {}
  }
}
