internal import ManagedContext
internal import SQLStatements

/// The session of a connection, as the server names it.
enum ServerSession {
  private static let name = "pid || ' ' || (extract(epoch FROM backend_start) * 1000000)::bigint"

  /// The statement that yields the name of the own session. The process number alone may be that of a later session.
  static let current = "SELECT \(name) FROM pg_stat_get_activity(pg_backend_pid())"

  /// Lets the server end a statement within a second after its client has ended. Otherwise the server notices only when it
  /// returns rows. Version 14 has this on Linux only, and refuses the setting elsewhere.
  private static let endsWithClient = """
    CASE WHEN version() LIKE '%linux%' THEN set_config('client_connection_check_interval', '1s', false) END
    """

  /// Returns the first statements of a connection: they make settings, and yield the name of the session.
  ///
  /// A limit for all statements of a role would end the second one, which takes longer than a shorter limit. Together they are one
  /// transaction, so that the first one has no effect on a session in which nothing is set.
  ///
  /// - Parameter process: The process number that the session must have; nil for any. With another one, nothing is set.
  static func beginning(_ settings: [(name: String, value: String)], in process: Int32?) -> String {
    let settings = settings.map { "set_config(\(literal($0.name)), \(literal($0.value)), false)" }
    let columns = [name, endsWithClient] + settings
    let condition = process.map { " WHERE pid = \($0)" } ?? ""
    return """
      SET LOCAL statement_timeout = 0; \
      SELECT \(columns.joined(separator: ", ")) FROM pg_stat_get_activity(pg_backend_pid())\(condition)
      """
  }

  /// Ends a session whose connection was lost, so that it commits nothing any more.
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
