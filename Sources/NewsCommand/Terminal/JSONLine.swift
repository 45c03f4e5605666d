import Foundation

/// One JSON object on one line (RFC 8259), its fields in the order in which they were added.
///
/// Control characters, line separators and characters that turn the writing direction are escaped.
struct JSONLine {
  private var text = "{"

  /// Adds a text, or null.
  mutating func add(_ name: String, _ value: String?) {
    addRaw(name, value.map(Self.quoted))
  }

  /// Adds a number, or null.
  mutating func add(_ name: String, _ value: Int?) {
    addRaw(name, value.map(String.init))
  }

  /// Adds a date as RFC 3339 in UTC, or null.
  mutating func add(_ name: String, _ value: Date?) {
    addRaw(name, value.map { Self.quoted(iso8601($0)) })
  }

  /// Adds texts as an array.
  mutating func add(_ name: String, _ values: [String]) {
    addRaw(name, Self.array(values))
  }

  /// Adds what is JSON already, or null.
  mutating func addRaw(_ name: String, _ json: String?) {
    if text.utf8.count > 1 { text += "," }
    text += Self.quoted(name) + ":" + (json ?? "null")
  }

  /// The object.
  var object: String { text + "}" }

  /// The line, with its line feed.
  var line: String { text + "}\n" }

  /// Texts as an array.
  static func array(_ values: [String]) -> String {
    "[" + values.map(quoted).joined(separator: ",") + "]"
  }

  /// A text with its quotation marks.
  static func quoted(_ value: String) -> String {
    var result = "\""
    result.reserveCapacity(value.utf8.count + 2)
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}
