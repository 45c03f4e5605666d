internal import Foundation
internal import ManagedContext
internal import SQLStatements
internal import Threading

/// This process's life signs: advisory locks in one session, which the server releases as soon as the process
/// ends (postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS).
///
/// A thread waits for the loss of the session, which also ends with the server, and immediately reopens it.
/// Other processes look for a missing sign for a while before they assume that its process has died.
final class LifeSigns: Sendable {
  private struct State: Sendable {
    var connection: Connection?
    var held: Set<Int64> = []
    /// True while a thread uses the session.
    var isTaken = false
    /// True while a thread waits for the loss of the session.
    var isWatched = false
    var isClosed = false
    /// The time until which other processes see the signs, or wait for them.
    var seenUntil = ContinuousClock.now
  }

  private let address: String
  private let name: String
  /// The time after a loss in which others wait for the signs, less a fifth for slow clocks and threads.
  private let patience: Duration
  private let state = Monitor(State())

  /// - Parameter patience: The time, in seconds, that other processes wait for a missing sign.
  init(_ address: String, name: String, patience: TimeInterval) {
    (self.address, self.name, self.patience) = (address, name, .seconds(patience * 0.8))
  }

  /// The query for the locked numbers among those in the parameter.
  static let areHeld = """
    SELECT classid::bigint << 32 | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND classid::bigint << 32 | objid::bigint = ANY ($1::bigint[])
    """

  /// Begins a sign. The session is opened for the first one, and again if the connection was lost.
  func begin(_ number: Int64) throws(StoreError) -> LifeSign {
    let isNew = try with { (connection, held) throws(ServerError) in
      guard try connection.run(Self.lock(number)).isTrue(0, 0) else { return false }
      held.insert(number)
      return true
    }
    guard isNew else { throw .inputOutput("\(name): the number \(number) of a life sign is in use") }
    watch()
    return LifeSign {
      [self] in
      state.update { $0.held.contains(number) && ContinuousClock.now < $0.seenUntil }
    } end: {
      [self] in
      end(number)
    }
  }

  private func end(_ number: Int64) {
    _ = try? with { (connection, held) throws(ServerError) in
      held.remove(number)
      try connection.run(Statement("SELECT pg_advisory_unlock($1::bigint)::int", .integer(number)))
    }
  }

  /// Closes the session, which ends all signs. It is not opened again.
  func close() {
    let connection = state.update { state in
      defer { (state.connection, state.held, state.isClosed) = (nil, [], true) }
      return state.connection
    }
    // The waiting thread may also hold the session.
    if let connection { shutdown(connection.socket, Int32(SHUT_RDWR)) }
  }

  // MARK: Losses

  /// The interval at which the session is used, to notice a silent network before the server does.
  private static let interval = Duration.seconds(10)
  /// The pause before the session is opened again, in microseconds.
  private static let pause: useconds_t = 100_000

  /// Starts the thread that waits for a lost session, unless it runs. It ends with the last sign.
  private func watch() {
    let isNew = state.update { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
    guard isNew else { return }
    do throws(OwnThread.StartError) {
      try OwnThread(name: "life signs") { [self] in
        while awaitEvent() { try? use() }
      }.detach()
    } catch {
      // The session is then opened again at its next use.
      state.update { $0.isWatched = false }
    }
  }

  /// Waits until the session ends, or has to be used; false after the last sign.
  private func awaitEvent() -> Bool {
    let session = state.update { state -> Connection?? in
      guard !state.held.isEmpty || state.isTaken else {
        state.isWatched = false
        return nil
      }
      return .some(state.connection)
    }
    guard let session else { return false }
    if let session, !session.isLost {
      var event = pollfd(fd: session.socket, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&event, 1, Int32(Self.interval / .milliseconds(1)))
    } else {
      usleep(Self.pause)
    }
    return true
  }

  /// Uses the session, which is opened again if it was lost.
  private func use() throws(StoreError) {
    guard state.update({ !$0.held.isEmpty }) else { return }
    _ = try with { (connection, _) throws(ServerError) in try connection.run(Statement("SELECT 1")) }
  }

  private static func lock(_ number: Int64) -> Statement {
    Statement("SELECT pg_try_advisory_lock($1::bigint)::int", .integer(number))
  }

  /// Runs `body` with the session and the numbers that it holds. One thread at a time uses them.
  private func with<Value>(
    _ body: (Connection, inout Set<Int64>) throws(ServerError) -> Value
  ) throws(StoreError) -> Value {
    let taken = state.wait(wakes: { _ in false }) { state -> (Connection?, Set<Int64>)?? in
      if state.isClosed { return .some(nil) }
      guard !state.isTaken else { return nil }
      state.isTaken = true
      return (state.connection, state.held)
    }
    guard var (connection, held) = taken else { throw .unavailable("\(name): the store is closed") }
    var isLost = false
    defer {
      state.update { [connection, held, isLost, patience] state in
        state.isTaken = false
        if state.isClosed { return }
        (state.connection, state.held) = (connection, held)
        let now = ContinuousClock.now
        state.seenUntil = isLost ? min(state.seenUntil, now + patience) : now + Self.interval + patience
      }
    }
    do throws(ServerError) {
      if let session = connection, !session.isLost {
        do throws(ServerError) {
          return try body(session, &held)
        } catch {
          // A lost connection is noticed only at its next use.
          guard error.isLost else { throw error }
        }
      }
      isLost = true
      let session = try reopened(held)
      connection = session
      isLost = false
      return try body(session, &held)
    } catch {
      throw StoreError(error, store: name)
    }
  }

  /// The server ends the session and its locks 24 s after the network becomes silent. This process notices it
  /// earlier; others get the claims after 30 s. Unix sockets ignore these settings.
  private static let settings = [
    (name: "lock_timeout", value: "20s"), (name: "statement_timeout", value: "0"),
    (name: "tcp_keepalives_idle", value: "8"), (name: "tcp_keepalives_interval", value: "4"),
    (name: "tcp_keepalives_count", value: "4"), (name: "tcp_user_timeout", value: "24s"),
  ]

  private func reopened(_ held: Set<Int64>) throws(ServerError) -> Connection {
    let connection = try Connection(address, settings: Self.settings, through: .ofSessions)
    // A server that has not noticed the loss yet keeps the lock for the earlier session.
    for number in held {
      try connection.run(Statement("SELECT pg_advisory_lock($1::bigint)", .integer(number)))
    }
    return connection
  }
}
