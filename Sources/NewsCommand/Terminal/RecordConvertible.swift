import Foundation
import TextOutput

/// A type whose values can be in records for programs and in JSON objects.
protocol RecordConvertible {
  /// The value in a record.
  var recordValue: RecordValue { get }
}

extension RecordValue: RecordConvertible {
  var recordValue: RecordValue { self }
}

extension String: RecordConvertible {
  var recordValue: RecordValue { .text(self) }
}

extension Int: RecordConvertible {
  var recordValue: RecordValue { .integer(Int64(self)) }
}

extension Int64: RecordConvertible {
  var recordValue: RecordValue { .integer(self) }
}

extension Double: RecordConvertible {
  var recordValue: RecordValue { .real(self) }
}

extension Bool: RecordConvertible {
  var recordValue: RecordValue { .boolean(self) }
}

extension Date: RecordConvertible {
  var recordValue: RecordValue { .date(self) }
}

extension JSONLine: RecordConvertible {
  var recordValue: RecordValue { .json(object) }
}

/// Nil is null.
extension Optional: RecordConvertible where Wrapped: RecordConvertible {
  var recordValue: RecordValue { self?.recordValue ?? .null }
}

/// A JSON array.
extension Array: RecordConvertible where Element: RecordConvertible {
  var recordValue: RecordValue {
    var json = JSONText()
    json.open("[")
    for element in self { element.recordValue.write(to: &json) }
    json.close("]")
    return .json(json.text)
  }
}
