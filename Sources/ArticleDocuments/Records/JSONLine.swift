import Foundation
import TextOutput

/// One JSON object on one line (RFC 8259), with its fields in the literal's order.
package struct JSONLine: ExpressibleByDictionaryLiteral, RecordValue {
  private var fields: [(name: String, value: any RecordValue)]

  /// Creates an object with fields.
  package init(_ fields: some Sequence<(String, any RecordValue)>) {
    self.fields = fields.map { ($0, $1) }
  }

  package init(dictionaryLiteral fields: (String, any RecordValue)...) { self.init(fields) }

  /// Returns an object with the fields of both.
  package static func + (first: JSONLine, second: JSONLine) -> JSONLine {
    var sum = first
    sum.fields += second.fields
    return sum
  }

  /// The object as text.
  package var recordText: String {
    var json = JSONText()
    json.open("{")
    for (name, value) in fields {
      json.key(name)
      value.writeJSON(to: &json)
    }
    json.close("}")
    return json.text
  }

  /// The object with a line feed.
  package var line: String { recordText + "\n" }
}
