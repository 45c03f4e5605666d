package import Foundation
package import ManagedContext
package import TextOutput

/// A value in a record for programs, and in a JSON object. Nil is null.
package protocol RecordValue {
  /// The value as text.
  var recordText: String { get }
  /// Writes the value as JSON.
  func writeJSON(to json: inout JSONText)
}

extension RecordValue {
  package func writeJSON(to json: inout JSONText) { json.raw(recordText) }
}

extension RecordValue where Self: LosslessStringConvertible {
  package var recordText: String { description }
}

extension Int: RecordValue {}

extension Int64: RecordValue {}

extension Bool: RecordValue {}

extension Double: RecordValue {
  /// Writes null for a number without a JSON form.
  package func writeJSON(to json: inout JSONText) { json.raw(isFinite ? recordText : "null") }
}

extension String: RecordValue {
  package func writeJSON(to json: inout JSONText) { json.string(self) }
}

extension Date: RecordValue {
  /// RFC 3339 in UTC.
  package var recordText: String { iso8601(self) }
  package func writeJSON(to json: inout JSONText) { json.string(recordText) }
}

extension Optional: RecordValue where Wrapped: RecordValue {
  package var recordText: String { self?.recordText ?? "" }
  package func writeJSON(to json: inout JSONText) {
    if let self { self.writeJSON(to: &json) } else { json.null() }
  }
}

extension Array: RecordValue where Element: RecordValue {
  package var recordText: String {
    var json = JSONText()
    json.open("[")
    for element in self { element.writeJSON(to: &json) }
    json.close("]")
    return json.text
  }
}

/// A text that is JSON already: an array or an object.
package struct RawJSON: RecordValue {
  package let recordText: String

  package init(_ text: String) { recordText = text }
}

/// A value in the store. Bytes are hexadecimal digits.
extension AttributeValue: RecordValue {
  package var recordText: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).recordText
    case .text(let text): text
    case .reference(let id): "\(id.key)"
    case .bytes(let bytes):
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  package func writeJSON(to json: inout JSONText) {
    switch self {
    case .null: json.null()
    case .integer, .reference: json.raw(recordText)
    case .real(let number): number.writeJSON(to: &json)
    case .date, .text, .bytes: json.string(recordText)
    }
  }
}
