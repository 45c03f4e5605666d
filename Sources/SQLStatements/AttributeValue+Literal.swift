public import ManagedContext
internal import TextOutput

extension AttributeValue {
  /// Returns the value as an SQL literal; nil if a column's default cannot contain it.
  public func sqlLiteral(_ dialect: SQLDialect) -> String? {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return String(number)
    case .real(let number), .date(let number): return number.isFinite ? String(number) : nil
    case .text(let text):
      return text.utf8.contains(0) ? nil : text.enclosed(by: "'")
    case .bytes(let bytes):
      let digits = Array("0123456789ABCDEF".utf8)
      let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      let text = String(decoding: hex, as: UTF8.self)
      return dialect == .sqlite ? "X'\(text)'" : "'\\x\(text)'::bytea"
    case .reference: return nil
    }
  }

  /// Returns the value as an SQL expression, for use anywhere except in a column's default.
  public func sqlExpression(_ dialect: SQLDialect) -> String {
    if let literal = sqlLiteral(dialect) { return literal }
    switch self {
    // PostgreSQL has no texts with U+0000.
    case .text(let text) where dialect == .sqlite:
      let bytes = AttributeValue.bytes(Array(text.utf8)).sqlLiteral(dialect) ?? "NULL"
      return "CAST(\(bytes) AS TEXT)"
    case .reference(let id): return String(id.key)
    // SQLite reads a number that is too large as infinity, and has no NaN.
    case .real(let number) where !number.isNaN, .date(let number) where !number.isNaN:
      let infinity = dialect == .sqlite ? "9e999" : "'infinity'::float8"
      return number > 0 ? infinity : "-\(infinity)"
    case .null, .integer, .real, .date, .bytes, .text: return "NULL"
    }
  }
}
