/// What is between a client and the server.
enum Pooler: Sendable {
  case none
  /// A pooler that gives each connection a session of its own.
  case ofSessions
  /// A pooler that gives each transaction another session: settings, prepared statements and locks of sessions get lost.
  case ofTransactions

  /// Finds out what is behind a connection.
  ///
  /// A transaction on a second connection holds the session that the first one has just used, if it is free. With sessions of
  /// their own, the first connection has its session still.
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
