import ManagedContext
import PostgreSQLStore

/// A store on a server.
extension PostgreSQLStore: NewsStore {
  /// Takes an advisory lock in a session of its own. A program that inherits the socket keeps the session.
  func lock(_ place: UInt32) throws -> (any StoreLock)? {
    do throws(StoreError) {
      return try sessionLock(place)
    } catch {
      throw CommandFailure(error, store: .server(fullAddress))
    }
  }

  /// Always nil: the server knows sessions, not the processes that hold them.
  func heir(ofLock place: UInt32) -> Int32? { nil }
}

extension SessionLock: StoreLock {}
