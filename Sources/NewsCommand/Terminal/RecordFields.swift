import ArgumentParser
import Foundation
import TextOutput

/// A field in a list's items.
struct RecordField<Subject>: Sendable {
  let name: String
  /// The item's attribute (by index) that the field has; nil if it has another value.
  let attribute: Int?
  let value: @Sendable (Subject) -> any RecordValue
  private let key: [UInt8]
  private let writeValue: (@Sendable (Subject, inout JSONText) -> Void)?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - name: The name, on which scripts rely.
  ///   - attribute: See ``attribute``.
  ///   - value: Returns an item's value.
  ///   - write: Writes the same value as JSON without copying it; nil for a value that is copied.
  init(
    _ name: String, of attribute: Int? = nil, _ value: @escaping @Sendable (Subject) -> any RecordValue,
    write: (@Sendable (Subject, inout JSONText) -> Void)? = nil
  ) {
    (self.name, self.attribute, self.value, writeValue) = (name, attribute, value, write)
    key = JSONText.encodedKey(name)
  }

  /// Writes an item's field as a JSON object member.
  func write(_ subject: Subject, to json: inout JSONText) {
    json.key(encoded: key)
    if let writeValue { writeValue(subject, &json) } else { value(subject).writeJSON(to: &json) }
  }
}

/// A list's fields. Scripts rely on their names and order.
protocol RecordFields: Sendable {
  /// The type of the listed items.
  associatedtype Subject
  /// The values for `--format`: ``RecordFormat/table`` for people, ``TableFormat`` names, and perhaps
  /// documents.
  associatedtype Format: RawRepresentable<String>, CaseIterable, ExpressibleByArgument, Sendable =
    RecordFormat

  static var all: [RecordField<Subject>] { get }
  /// The fields that are printed by default.
  static var standard: [RecordField<Subject>] { get }
}

extension RecordFields {
  static var standard: [RecordField<Subject>] { all }

  /// Reads a name list. A repeated name counts once, because a JSON object has each name once.
  ///
  /// - Throws: `ValidationError` that names the unknown field.
  static func list(argument: String) throws -> [RecordField<Subject>] {
    let names = all.map(\.name)
    let known = names.joined(separator: ", ")
    let parts = argument.split(separator: ",")
    guard !parts.isEmpty else { throw ValidationError("the fields are \(known).") }
    return try distinct(parts.map { $0.trimmingCharacters(in: .whitespaces) }).map { name in
      guard let field = all.first(where: { $0.name == name }) else {
        let near = suggestion(for: name, among: names).map { $0 + " " } ?? ""
        throw ValidationError("'\(name)' is not a field; \(near)the fields are \(known).")
      }
      return field
    }
  }
}

extension JSONLine {
  /// Creates an object with an item's fields.
  init<Subject>(_ fields: [RecordField<Subject>], of subject: Subject) {
    self.init(fields.map { ($0.name, $0.value(subject)) })
  }
}

/// The formats that every list has.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv, tsv
}
