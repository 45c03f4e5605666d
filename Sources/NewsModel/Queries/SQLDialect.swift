/// The dialect of SQL that a store understands, for the views and the statistics.
///
/// It has only what SQLite and PostgreSQL do not write alike. The functions return SQL, and their arguments are SQL.
public enum SQLDialect: Sendable {
  /// SQLite 3.40 (sqlite.org/lang.html).
  case sqlite
  /// PostgreSQL 14 (postgresql.org/docs/14/sql.html).
  case postgresql

  /// Returns the position of the first occurrence of a text in another one, from 1; 0 without one.
  func position(of part: String, in text: String) -> String {
    switch self {
    case .sqlite: "instr(\(text), \(part))"
    case .postgresql: "strpos(\(text), \(part))"
    }
  }

  /// Returns the smallest of several values, none of which is null.
  func least(_ values: [String]) -> String {
    switch self {
    case .sqlite: "min(\(values.joined(separator: ", ")))"
    case .postgresql: "least(\(values.joined(separator: ", ")))"
    }
  }

  /// Returns a number without its fraction, as a whole number.
  func whole(_ number: String) -> String {
    switch self {
    case .sqlite: "CAST(\(number) AS INTEGER)"
    case .postgresql: "CAST(trunc(\(number)) AS bigint)"
    }
  }

  /// The time of the query, in whole seconds since 1970.
  var now: String {
    switch self {
    case .sqlite: "CAST(strftime('%s', 'now') AS INTEGER)"
    case .postgresql: "floor(extract(epoch FROM now()))"
    }
  }

  /// Returns a date as ISO 8601 text in UTC, such as `2026-02-28T06:30:00Z`; null for null and for a date that the text cannot have.
  ///
  /// SQLite rounds to milliseconds, of which the text shows whole seconds.
  ///
  /// - Parameter seconds: The time since 1970, in seconds.
  func date(_ seconds: String) -> String {
    switch self {
    case .sqlite: "strftime('%Y-%m-%dT%H:%M:%SZ', \(seconds), 'unixepoch')"
    case .postgresql:
      """
      CASE WHEN \(seconds) BETWEEN -62135596800 AND 253402300799 \
      THEN to_char(to_timestamp(floor(\(seconds) * 1000 + 0.5) / 1000) AT TIME ZONE 'UTC', \
      'YYYY-MM-DD"T"HH24:MI:SS"Z"') END
      """
    }
  }

  /// Returns a text for a column of a view whose type is declared as text, so that other programs need not guess it.
  func text(_ value: String) -> String { declared(value, like: "template FROM sentence") }

  /// Returns a whole number for a column of a view whose type is declared.
  func integer(_ value: String) -> String { declared(value, like: "id FROM region") }

  /// SQLite knows the type of a view's column only if it shows a table's column. Since SQLite 3.41 it derives it from other
  /// expressions as well. A subquery for one value has the type of its last part, which never returns a row here.
  private func declared(_ value: String, like column: String) -> String {
    switch self {
    case .sqlite: "(SELECT \(value) UNION ALL SELECT \(column) WHERE 0)"
    case .postgresql: value
    }
  }

  /// Returns the texts of all rows of a group, separated by commas; null without rows.
  ///
  /// - Parameter order: What PostgreSQL sorts the rows by. SQLite reads them in the order of an index.
  func list(_ text: String, by order: String) -> String {
    switch self {
    case .sqlite: "group_concat(\(text))"
    case .postgresql: "string_agg(\(text), ',' ORDER BY \(order))"
    }
  }

  /// Returns bytes as text if they are printable ASCII; else in hexadecimal digits, such as `x'63E9'`.
  func printable(_ bytes: String) -> String {
    switch self {
    case .sqlite:
      let text = "CAST(\(bytes) AS TEXT)"
      return "CASE WHEN \(text) GLOB '*[^ -~]*' THEN 'x''' || hex(\(bytes)) || '''' ELSE \(text) END"
    case .postgresql:
      // In Latin-1, every byte but zero is a character.
      let text = "convert_from(\(bytes), 'LATIN1')"
      return """
        CASE WHEN position('\\x00'::bytea IN \(bytes)) > 0 OR \(text) ~ '[^ -~]' COLLATE "C" \
        THEN 'x''' || upper(encode(\(bytes), 'hex')) || '''' ELSE \(text) END
        """
    }
  }

  /// The join whose tables are read from left to right.
  var orderedJoin: String {
    switch self {
    case .sqlite: "CROSS JOIN"
    // The planner decides.
    case .postgresql: "JOIN"
    }
  }

  // MARK: Definitions

  /// Returns the statements that create an index, in the place of that of an earlier version.
  func index(_ name: String, on rest: String) -> [String] {
    let create = "CREATE INDEX \(name) ON \(rest)"
    switch self {
    case .sqlite: return ["DROP INDEX IF EXISTS \(name)", create]
    // The name could be that of an index in another schema.
    case .postgresql: return [create]
    }
  }

  /// Returns the statements that create an index for a text of any length, which is searched for as a whole.
  func index(_ name: String, on table: String, text: String) -> [String] {
    switch self {
    case .sqlite: index(name, on: "\(table)(\(text))")
    // An entry of a B-tree has at most 2,700 bytes.
    case .postgresql: index(name, on: "\(table) USING hash ((\(text)))")
    }
  }

  /// Returns the statements that create a table with a primary key, in the place of that of an earlier version.
  func table(_ name: String, _ columns: String) -> [String] {
    let create = "CREATE TABLE \(name)(\(columns))"
    switch self {
    case .sqlite: return ["DROP TABLE IF EXISTS \(name)", "\(create) WITHOUT ROWID"]
    case .postgresql: return [create]
    }
  }
}
