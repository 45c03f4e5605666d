/// The kind of pooler between a client and the server.
enum Pooler: Sendable {
  case none
  /// A pooler that gives each connection its own session.
  case ofSessions
  /// A pooler that changes sessions between transactions: settings, prepared statements and locks are lost.
  case ofTransactions

  /// Determines the kind of pooler on a connection.
  ///
  /// A transaction on a second connection holds the session that the first one has just used, if it is free.
  /// If each connection has its own session, the first one still has it.
  ///
  /// - Parameters:
  ///   - connection: A connection with ``Connection/hasUnknownPooler``.
  ///   - address: Its address.
  static func find(behind connection: Connection, _ address: String) throws(ServerError) -> Pooler {
    let own = try connection.texts(ServerSession.current).first
    let other = try Connection(address, through: .ofTransactions)
    let held = try other.texts("BEGIN; \(ServerSession.current)").first
    let now = try connection.texts(ServerSession.current).first
    try other.execute("ROLLBACK")
    return own == now && own != held ? .ofSessions : .ofTransactions
  }
}
