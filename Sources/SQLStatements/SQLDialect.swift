/// The SQL that the databases write differently.
package enum SQLDialect: Sendable {
  case sqlite
  case postgresql

  /// The operator that is true for two different values; null is a value.
  var isDifferent: String { self == .sqlite ? "IS NOT" : "IS DISTINCT FROM" }

  /// The end of a term of an ascending order. PostgreSQL has null at the end unless told otherwise.
  var ascending: String { self == .sqlite ? " ASC" : " ASC NULLS FIRST" }

  /// Returns a truth value.
  package func constant(_ isTrue: Bool) -> String {
    self == .sqlite ? (isTrue ? "1" : "0") : (isTrue ? "TRUE" : "FALSE")
  }

  /// The current time, in whole seconds since 1970.
  var now: String {
    self == .sqlite
      ? "CAST(strftime('%s', 'now') AS INTEGER)" : "floor(extract(epoch FROM clock_timestamp()))"
  }

  /// The end of a query that locks its rows until the end of the transaction. A transaction of SQLite locks the whole file.
  var lock: String { self == .sqlite ? "" : " FOR UPDATE" }

  /// Returns the condition that a text contains another one.
  package func contains(_ text: String, _ part: String) -> String {
    "\(self == .sqlite ? "instr" : "strpos")(\(text), \(part)) > 0"
  }

  /// Returns the condition that a column has one of the keys of ``SQLValue/integers(_:)``.
  func isAmong(_ column: String, _ keys: String) -> String {
    self == .sqlite ? "\(column) IN (SELECT value FROM json_each(\(keys)))" : "\(column) = ANY (\(keys))"
  }
}
