import Foundation
import ManagedContext
import TextOutput

/// A value of a record for programs.
enum RecordValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case text(String)
  /// A date, written as RFC 3339 in UTC.
  case date(Date)
  case bytes([UInt8])
  /// A JSON array or object.
  case json(String)

  /// Creates the value of a column in the store.
  init(_ value: AttributeValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
      case .reference(let id): .integer(id.key)
      case .bytes(let bytes): .bytes(bytes)
      }
  }

  /// The value as text: bytes as hexadecimal digits, and null as an empty text.
  var text: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let value): "\(value)"
    case .text(let text), .json(let text): text
    case .date(let date): iso8601(date)
    case .bytes(let bytes):
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}

extension RecordValue {
  /// Writes the value. A number without a JSON form becomes null.
  func write(to json: inout JSONText) {
    switch self {
    case .null: json.null()
    case .integer, .boolean: json.raw(text)
    case .real(let number): json.raw(number.isFinite ? "\(number)" : "null")
    case .text, .bytes, .date: json.string(text)
    case .json(let text): json.raw(text)
    }
  }
}
