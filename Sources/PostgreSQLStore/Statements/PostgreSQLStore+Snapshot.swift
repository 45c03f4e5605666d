import ManagedContext

/// One state of a store. It is valid in the closure that receives it.
package struct ServerSnapshot {
  let store: PostgreSQLStore
  let connection: Connection
}

extension PostgreSQLStore {
  /// Runs several queries on one state of the store: they do not see what others save meanwhile.
  ///
  /// As long as `body` runs, the server keeps the rows that others delete or change.
  /// - Throws: The errors of `body`, and ``StoreError`` if the store cannot be read.
  package func withSnapshot<Value>(_ body: (ServerSnapshot) throws -> Value) throws -> Value {
    // If the connection is lost, what `body` has done cannot be taken back: it does not run again.
    let connection = try reading.take()
    defer { reading.give(connection) }
    func execute(_ text: String) throws(StoreError) {
      do throws(ServerError) { try connection.execute(text) } catch { throw StoreError(error, store: name) }
    }
    // The receiver of the rows may be slow. A pooler of transactions has the settings of its own sessions.
    try execute(
      """
      BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0; \
      SET LOCAL statement_timeout = 0; SET LOCAL jit = off
      """)
    defer { if !connection.isLost { _ = try? connection.execute("ROLLBACK") } }
    return try body(ServerSnapshot(store: self, connection: connection))
  }
}
