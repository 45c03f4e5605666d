internal import ManagedContext
internal import SQLStatements

/// A connection's session, as the server names it.
enum ServerSession {
  private static let name = "pid || ' ' || (extract(epoch FROM backend_start) * 1000000)::bigint"

  /// The statement that yields this session's name. A process number alone may belong to a later session.
  static let current = "SELECT \(name) FROM pg_stat_get_activity(pg_backend_pid())"

  /// Lets the server end a statement within a second after its client has ended. Otherwise the server notices
  /// only when it returns rows. Version 14 has this on Linux only, and refuses the setting elsewhere.
  private static let endsWithClient = """
    CASE WHEN version() LIKE '%linux%' THEN set_config('client_connection_check_interval', '1s', false) END
    """

  /// Returns a connection's first statements: they make settings, and yield the session name.
  ///
  /// The first one lifts a role's limit for all statements, because the second one may take longer. Both are
  /// one transaction, so that the first has no effect on a session in which nothing is set.
  ///
  /// - Parameter process: The required process number; nil for any. With another one, nothing is set.
  static func beginning(_ settings: [(name: String, value: String)], in process: Int32?) -> String {
    let settings = settings.map { "set_config(\(literal($0.name)), \(literal($0.value)), false)" }
    let columns = [name, endsWithClient] + settings
    let condition = process.map { " WHERE pid = \($0)" } ?? ""
    return """
      SET LOCAL statement_timeout = 0; \
      SELECT \(columns.joined(separator: ", ")) FROM pg_stat_get_activity(pg_backend_pid())\(condition)
      """
  }

  /// Ends a lost connection's session, so that it commits nothing any more.
  ///
  /// - Returns: False if it does not end.
  static func end(_ session: String, on connection: Connection) throws(ServerError) -> Bool {
    let ended = try connection.run(
      Statement(
        """
        SELECT coalesce(min(pg_terminate_backend(pid, 10000)::int), 1) FROM pg_stat_get_activity(NULL) WHERE \(name) = $1
        """, .text(session)), prepares: false)
    return ended.isTrue(0, 0)
  }
}
