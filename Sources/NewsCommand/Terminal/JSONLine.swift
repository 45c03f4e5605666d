import Foundation
import TextOutput

/// One JSON object on one line (RFC 8259), with its fields in the order in which they are added.
struct JSONLine {
  private var json = JSONText()

  init() {
    json.open("{")
  }

  /// Adds a text, or null.
  mutating func add(_ name: String, _ value: String?) {
    json.key(name)
    if let value { json.string(value) } else { json.null() }
  }

  /// Adds a number, or null.
  mutating func add(_ name: String, _ value: Int?) {
    addRaw(name, value.map(String.init))
  }

  /// Adds a Boolean value.
  mutating func add(_ name: String, _ value: Bool) {
    addRaw(name, value ? "true" : "false")
  }

  /// Adds a date as RFC 3339 in UTC, or null.
  mutating func add(_ name: String, _ value: Date?) {
    add(name, value.map(iso8601))
  }

  /// Adds an array of texts.
  mutating func add(_ name: String, _ values: [String]) {
    addRaw(name, Self.array(values))
  }

  /// Adds a value that is already JSON, or null.
  mutating func addRaw(_ name: String, _ value: String?) {
    json.key(name)
    if let value { json.raw(value) } else { json.null() }
  }

  /// The object.
  var object: String { json.text + "}" }

  /// The object with a line feed.
  var line: String { json.text + "}\n" }

  /// An array of texts.
  static func array(_ values: [String]) -> String {
    "[" + values.map(JSONText.quoted).joined(separator: ",") + "]"
  }
}
