internal import ManagedContext
internal import Threading

/// The life signs of this process: advisory locks of one session, which the server releases as soon as the process ends
/// (postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS).
final class LifeSigns: Sendable {
  private struct State: Sendable {
    var connection: Connection?
    var held: Set<Int64> = []
    /// True while a thread uses the session.
    var isTaken = false
  }

  private let address: String
  private let name: String
  private let state = Monitor(State())

  init(_ address: String, name: String) {
    (self.address, self.name) = (address, name)
  }

  /// Returns whether anybody holds the lock with the number of the parameter.
  static let isHeld = """
    SELECT (EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND classid::bigint << 32 | objid::bigint = $1::bigint))::int
    """

  /// Begins a sign. The session is opened for the first one, and again if the connection was lost.
  func begin(_ number: Int64) throws(StoreError) -> LifeSign {
    let isNew = try with { (connection, held) throws(ServerError) in
      guard try connection.run(Self.lock(number)).isTrue(0, 0) else { return false }
      held.insert(number)
      return true
    }
    guard isNew else { throw .inputOutput("\(name): the number \(number) of a life sign is in use") }
    return LifeSign { [self] in end(number) }
  }

  private func end(_ number: Int64) {
    _ = try? with { (connection, held) throws(ServerError) in
      held.remove(number)
      try connection.run(Statement("SELECT pg_advisory_unlock($1::bigint)::int", .integer(number)))
    }
  }

  /// Closes the session, which ends all signs.
  func close() {
    let connection = state.update { state in
      defer { (state.connection, state.held) = (nil, []) }
      return state.connection
    }
    withExtendedLifetime(connection) {}
  }

  private static func lock(_ number: Int64) -> Statement {
    Statement("SELECT pg_try_advisory_lock($1::bigint)::int", .integer(number))
  }

  /// Runs `body` with the session and the numbers that it holds. One thread at a time uses them.
  private func with<Value>(
    _ body: (Connection, inout Set<Int64>) throws(ServerError) -> Value
  ) throws(StoreError) -> Value {
    var (connection, held) = state.wait(wakes: { _ in false }) { state -> (Connection?, Set<Int64>)? in
      guard !state.isTaken else { return nil }
      state.isTaken = true
      return (state.connection, state.held)
    }
    defer {
      state.update { [connection, held] in ($0.connection, $0.held, $0.isTaken) = (connection, held, false) }
    }
    do throws(ServerError) {
      if let session = connection, !session.isLost {
        do throws(ServerError) {
          return try body(session, &held)
        } catch {
          // The loss of a connection is found out by its next use.
          guard error.isLost else { throw error }
        }
      }
      let session = try reopened(held)
      connection = session
      return try body(session, &held)
    } catch {
      throw StoreError(error, store: name)
    }
  }

  private func reopened(_ held: Set<Int64>) throws(ServerError) -> Connection {
    let connection = try Connection(address, settings: [("lock_timeout", "20s")], through: .ofSessions)
    for number in held { try connection.run(Self.lock(number)) }
    return connection
  }
}
