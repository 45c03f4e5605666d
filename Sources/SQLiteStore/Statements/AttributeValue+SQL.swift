internal import ManagedContext
internal import TextOutput

extension AttributeValue {
  /// The value as an SQL literal; nil if a column's default cannot contain it.
  var sqlLiteral: String? {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return String(number)
    case .real(let number): return number.isFinite ? String(number) : nil
    case .text(let text):
      return text.utf8.contains(0) ? nil : text.enclosed(by: "'")
    case .bytes(let bytes):
      let digits = Array("0123456789ABCDEF".utf8)
      let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return "X'" + String(decoding: hex, as: UTF8.self) + "'"
    case .reference: return nil
    }
  }

  /// The value as an SQL expression, for use anywhere except in a column's default.
  var sqlExpression: String {
    if let sqlLiteral { return sqlLiteral }
    switch self {
    case .text(let text):
      let bytes = AttributeValue.bytes(Array(text.utf8)).sqlLiteral ?? "NULL"
      return "CAST(\(bytes) AS TEXT)"
    case .reference(let id): return String(id.key)
    // SQLite reads a number that is too large as infinity, and has no NaN.
    case .real(let number): return number.isNaN ? "NULL" : number > 0 ? "9e999" : "-9e999"
    case .null, .integer, .bytes: return "NULL"
    }
  }
}
