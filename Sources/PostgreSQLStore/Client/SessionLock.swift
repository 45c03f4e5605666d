public import ManagedContext
internal import SQLStatements

/// An advisory lock in its own session (postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS).
///
/// The server releases it when the connection ends: with this object, or after the process is killed, as soon
/// as no program holds the inherited socket.
public final class SessionLock: Sendable {
  private let connection: Connection
  private let number: Int64

  /// - Returns: Nil if another session has the lock.
  fileprivate init?(_ number: Int64, _ address: String) throws(ServerError) {
    connection = try Connection(address)
    self.number = number
    guard
      try connection.run(
        Statement("SELECT pg_try_advisory_lock($1::bigint)::int", .integer(number)), prepares: false
      )
      .isTrue(0, 0)
    else { return nil }
  }

  deinit {
    // The server notices the end of a connection a little later.
    _ = try? connection.run(
      Statement("SELECT pg_advisory_unlock($1::bigint)::int", .integer(number)), prepares: false)
  }

  /// The connection's descriptor, which other processes may inherit.
  public var descriptor: Int32 { connection.socket }
}

extension PostgreSQLStore {
  /// Takes a lock without waiting.
  ///
  /// - Parameter place: The number of the lock in this store.
  /// - Returns: Nil if it is already taken, even by this process.
  public func sessionLock(_ place: UInt32) throws(StoreError) -> SessionLock? {
    // Negative, because life signs are positive. It contains a part of the store's identity, because other
    // stores in the database have locks with the same places.
    let store = UInt64(channelID.prefix(8), radix: 16) ?? 0
    let number = Int64(bitPattern: 1 << 63 | (store & 0x7FFF_FFFF) << 32 | UInt64(place))
    do throws(ServerError) {
      return try SessionLock(number, address)
    } catch {
      throw error.code == nil ? error.connecting(to: name) : StoreError(error, store: name)
    }
  }
}
