internal import Foundation
internal import ManagedContext
internal import SQLStatements
internal import Threading

/// Reports other processes' transactions, on its own thread and connection.
///
/// A notification (LISTEN) is only a hint, which may be lost. Each look reads the history after the last
/// transaction seen, so that nothing is missed, even after a lost connection.
final class RemoteObserver: Sendable {
  private let address: String
  private let channel: String
  private let interval: TimeInterval
  private let pooler: Pooler
  private let didWait: @Sendable () -> Void
  private let look: @Sendable (Connection) throws(StoreError) -> Void
  private let isEnded = Locked(false)
  /// The ends of a pipe. The first end becomes readable when the observation ends.
  private let ending: [Int32]

  /// - Parameters:
  ///   - channel: The channel on which writers notify.
  ///   - interval: The time between two looks without a notification, in seconds.
  ///   - pooler: The pooler in between. A transaction pooler forwards no notifications.
  ///   - didWait: Called once for each absence of the server, when a further attempt to connect has failed.
  ///   - look: Reads and reports the new transactions.
  init(
    _ address: String, channel: String, interval: TimeInterval, through pooler: Pooler,
    didWait: @escaping @Sendable () -> Void,
    look: @escaping @Sendable (Connection) throws(StoreError) -> Void
  ) {
    (self.address, self.channel, self.interval) = (address, channel, interval)
    (self.didWait, self.look) = (didWait, look)
    // The session number is not needed.
    self.pooler = pooler == .none ? .ofSessions : pooler
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ending = ends
  }

  deinit { for end in ending { close(end) } }

  func start() throws(StoreError) -> ChangeObservation {
    let thread: OwnThread
    do throws(OwnThread.StartError) {
      thread = try OwnThread(name: "newsimport-listen") { [self] in run() }
    } catch {
      throw .inputOutput("a thread cannot be started: \(error.code)")
    }
    return ChangeObservation { [self] in
      isEnded.withLock { $0 = true }
      _ = unsafe write(ending[1], [0], 1)
      thread.join()
    }
  }

  /// After a notification, writers may commit without another one, so looks are more frequent for a while.
  private static let soon: [TimeInterval] = [0.1, 0.25, 0.5]
  /// The pause before the next attempt to connect, in seconds.
  private static let pause: TimeInterval = 1

  private func run() {
    var failures = 0
    while !isEnded.withLock({ $0 }) {
      do throws(ServerError) {
        let connection = try Connection(address, through: pooler)
        try connection.execute("LISTEN \(quoted(channel))")
        failures = 0
        try follow(connection)
      } catch {
        failures += 1
        if failures == 2 { didWait() }
        _ = wait(for: -1, Self.pause)
      }
    }
  }

  private func follow(_ connection: Connection) throws(ServerError) {
    var following = Self.soon[...]
    while !isEnded.withLock({ $0 }) {
      do throws(StoreError) {
        try look(connection)
      } catch {
        if connection.isLost { throw ServerError(connection: "\(error)") }
        _ = wait(for: -1, Self.pause)
      }
      if try wait(connection, following.popFirst() ?? interval) { following = Self.soon[...] }
    }
  }

  /// Waits for a notification.
  ///
  /// - Returns: False if none came in time.
  private func wait(_ connection: Connection, _ time: TimeInterval) throws(ServerError) -> Bool {
    let end = ContinuousClock.now + .seconds(time)
    while !isEnded.withLock({ $0 }) {
      let left = ContinuousClock.now.duration(to: end)
      if left <= .zero { return false }
      // Only a notification ends the wait.
      if wait(for: connection.socket, left / .seconds(1)), try connection.takeNotifications() { return true }
    }
    return false
  }

  /// Waits until a descriptor is readable, the observation ends or the time has passed.
  ///
  /// - Returns: True if the descriptor is readable.
  private func wait(for descriptor: Int32, _ time: TimeInterval) -> Bool {
    var descriptors = [
      pollfd(fd: ending[0], events: Int16(POLLIN), revents: 0),
      // A negative descriptor is ignored.
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    return unsafe poll(&descriptors, 2, Int32(time * 1000) + 1) > 0 && descriptors[1].revents != 0
  }
}
