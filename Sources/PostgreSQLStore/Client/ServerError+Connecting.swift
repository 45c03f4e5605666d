internal import ManagedContext

extension ServerError {
  /// Returns the error for a failed attempt to connect, with the next step.
  ///
  /// - Parameters:
  ///   - name: The store's address without its password.
  ///   - hasConnected: True if a connection existed before, so that the address is right.
  func connecting(to name: String, hasConnected: Bool = false) -> StoreError {
    let cause = "\(name): \(message)"
    return switch code {
    case nil where !isLost: .cannotOpen(cause)
    case nil where hasConnected: .unavailable(cause)
    case nil: .unavailable("\(cause); check the address, and whether the server runs")
    // Too many connections; a server that starts, stops or recovers.
    case let code? where code.hasPrefix("53") || code.hasPrefix("57P"): .unavailable(cause)
    case ErrorCode.noDatabase: .cannotOpen("\(cause); create it with createdb, or name another one")
    case ErrorCode.wrongPassword:
      .cannotOpen("\(cause); set PGPASSWORD, or add the server to ~/.pgpass (mode 0600)")
    case let code? where code.hasPrefix("28"):
      .cannotOpen("\(cause); name a user who may connect, as in postgresql://USER@HOST/DATABASE")
    case ErrorCode.insufficientPrivilege:
      .cannotOpen("\(cause); name a user who may connect, as in postgresql://USER@HOST/DATABASE")
    default: .cannotOpen(cause)
    }
  }
}
