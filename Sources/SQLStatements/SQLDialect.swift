public import ManagedContext

/// The SQL that differs between databases.
public enum SQLDialect: Sendable {
  case sqlite
  case postgresql

  /// The operator that is true for two different values; null is a value.
  var isDifferent: String { self == .sqlite ? "IS NOT" : "IS DISTINCT FROM" }

  /// The ending of an ascending sort term. PostgreSQL sorts null last by default.
  var ascending: String { self == .sqlite ? " ASC" : " ASC NULLS FIRST" }

  public func constant(_ isTrue: Bool) -> String {
    self == .sqlite ? (isTrue ? "1" : "0") : (isTrue ? "TRUE" : "FALSE")
  }

  /// The current time, in whole seconds since 1970.
  var now: String {
    self == .sqlite
      ? "CAST(strftime('%s', 'now') AS INTEGER)" : "floor(extract(epoch FROM clock_timestamp()))"
  }

  /// The ending of a query that locks its rows. A SQLite transaction locks the whole file.
  var lock: String { self == .sqlite ? "" : " FOR UPDATE" }

  /// Returns the condition that a text contains another one.
  public func contains(_ text: String, _ part: String) -> String {
    "\(self == .sqlite ? "instr" : "strpos")(\(text), \(part)) > 0"
  }

  /// Returns the condition that a column has a key from ``SQLValue/integers(_:)``.
  func isAmong(_ column: String, _ keys: String) -> String {
    self == .sqlite ? "\(column) IN (SELECT value FROM json_each(\(keys)))" : "\(column) = ANY (\(keys))"
  }

  /// Returns the column type for an attribute type. In SQLite, it determines the storage
  /// (sqlite.org/datatype3.html).
  public func columnType(_ type: AttributeType) -> String {
    let isFile = self == .sqlite
    return switch type {
    case .integer, .reference: isFile ? "INTEGER" : "bigint"
    case .boolean: isFile ? "INTEGER" : "smallint"
    case .date: isFile ? "REAL_SECONDS_SINCE_2001" : Self.dateDomain
    case .secondsSince1970: isFile ? "NUMERIC" : "double precision"
    case .real: isFile ? "REAL" : "double precision"
    case .text: isFile ? "TEXT" : "text"
    case .bytes: isFile ? "BLOB" : "bytea"
    }
  }

  /// PostgreSQL's type for exact dates, which says what the numbers are.
  private static let dateDomain = "seconds_since_2001"

  /// The statement that creates ``columnType(_:)`` for dates in PostgreSQL unless it exists.
  public static let createDateDomain = """
    DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_type WHERE typname = '\(dateDomain)' \
    AND typnamespace = quote_ident(current_schema())::regnamespace) \
    THEN CREATE DOMAIN \(dateDomain) AS double precision; END IF; END $$
    """

  /// Returns the attribute type with which a column of an old table is read. Several types have one column type.
  func attributeType(ofColumn type: String) -> AttributeType {
    switch type {
    case "TEXT", "text": .text
    case "BLOB", "bytea": .bytes
    case Self.sqlite.columnType(.date), Self.postgresql.columnType(.date): .date
    case "NUMERIC", "REAL", "double precision": .real
    default: .integer
    }
  }
}
