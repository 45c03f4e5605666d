/// The SQL dialect that a store understands, for the views and the statistics.
///
/// It has only what SQLite and PostgreSQL write differently. The functions return SQL, and take SQL.
public enum SQLDialect: Sendable {
  /// SQLite 3.40 (sqlite.org/lang.html).
  case sqlite
  /// PostgreSQL 14 (postgresql.org/docs/14/sql.html).
  case postgresql

  /// Returns the position of a text's first occurrence in another text, from 1; 0 if it does not occur.
  func position(of part: String, in text: String) -> String {
    switch self {
    case .sqlite: "instr(\(text), \(part))"
    case .postgresql: "strpos(\(text), \(part))"
    }
  }

  /// Returns the smallest value; no value is null.
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

  /// The query's time, in whole seconds since 1970.
  var now: String {
    switch self {
    case .sqlite: "CAST(strftime('%s', 'now') AS INTEGER)"
    case .postgresql: "floor(extract(epoch FROM now()))"
    }
  }

  /// Returns a date as ISO 8601 text in UTC, such as `2026-02-28T06:30:00Z`; null for null or a date outside
  /// the format.
  ///
  /// SQLite rounds to milliseconds; the text shows whole seconds.
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

  /// Returns a text for a view column with the declared type text, so that programs need not guess it.
  func text(_ value: String) -> String { declared(value, like: "template FROM sentence") }

  /// Returns a whole number for a view column with a declared type.
  func integer(_ value: String) -> String { declared(value, like: "id FROM region") }

  /// SQLite knows the type of a view's column only if it shows a table's column. Since SQLite 3.41 it also
  /// derives the type from other expressions. A subquery for one value has the type of its last part, which
  /// never returns a row here.
  private func declared(_ value: String, like column: String) -> String {
    switch self {
    case .sqlite: "(SELECT \(value) UNION ALL SELECT \(column) WHERE 0)"
    case .postgresql: value
    }
  }

  /// Returns the texts in a group's rows, separated by commas; null without rows.
  ///
  /// - Parameter order: What PostgreSQL sorts the rows by. SQLite reads them in an index's order.
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

  /// The join that reads its tables from left to right.
  var orderedJoin: String {
    switch self {
    case .sqlite: "CROSS JOIN"
    // The planner decides.
    case .postgresql: "JOIN"
    }
  }

  // MARK: Definitions

  /// Returns the statements that create an index and replace an earlier version's index.
  func index(_ name: String, on rest: String) -> [String] {
    let create = "CREATE INDEX \(name) ON \(rest)"
    switch self {
    case .sqlite: return ["DROP INDEX IF EXISTS \(name)", create]
    // An index in another schema could have the name.
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

  /// Returns the statements that create a table with a primary key and replace an earlier version's table.
  func table(_ name: String, _ columns: String) -> [String] {
    let create = "CREATE TABLE \(name)(\(columns))"
    switch self {
    case .sqlite: return ["DROP TABLE IF EXISTS \(name)", "\(create) WITHOUT ROWID"]
    case .postgresql: return [create]
    }
  }
}
