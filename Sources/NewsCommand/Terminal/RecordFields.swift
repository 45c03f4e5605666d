import ArgumentParser
import Foundation
import TextOutput

/// A field of listed items.
struct RecordField<Subject>: Sendable {
  let name: String
  /// The attribute (by index) of the item that the field has; nil if it has another value.
  let attribute: Int?
  let value: @Sendable (Subject) -> any RecordConvertible
  /// Writes the value of an item as JSON.
  let write: @Sendable (Subject, inout JSONText) -> Void

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - name: The name, on which scripts rely.
  ///   - attribute: See ``attribute``.
  ///   - value: Returns the value of an item.
  init(
    _ name: String, of attribute: Int? = nil, _ value: @escaping @Sendable (Subject) -> any RecordConvertible
  ) {
    self.init(name, of: attribute, value) { value($0).recordValue.write(to: &$1) }
  }

  /// Creates a field of values that are written as JSON without being copied.
  ///
  /// - Parameters:
  ///   - name: The name, on which scripts rely.
  ///   - attribute: See ``attribute``.
  ///   - value: Returns the value of an item.
  ///   - write: Writes the same value.
  init(
    _ name: String, of attribute: Int? = nil, _ value: @escaping @Sendable (Subject) -> any RecordConvertible,
    write: @escaping @Sendable (Subject, inout JSONText) -> Void
  ) {
    (self.name, self.attribute, self.value, self.write) = (name, attribute, value, write)
  }
}

/// The fields of a list. Scripts rely on their names and order.
protocol RecordFields: Sendable {
  /// The type of the listed items.
  associatedtype Subject
  /// The values of `--format`.
  associatedtype Format: ListFormat = RecordFormat

  static var all: [RecordField<Subject>] { get }
  /// The fields that are printed by default.
  static var standard: [RecordField<Subject>] { get }
}

extension RecordFields {
  static var standard: [RecordField<Subject>] { all }

  /// Reads a list of names. A repeated name counts once, because a JSON object has each name once.
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
  /// Creates an object with fields of an item.
  init<Subject>(_ fields: [RecordField<Subject>], of subject: Subject) {
    self.init(fields.map { ($0.name, $0.value(subject).recordValue) })
  }
}

/// The formats of a list.
protocol ListFormat: RawRepresentable<String>, CaseIterable, ExpressibleByArgument, Sendable {}

extension ListFormat {
  /// The format of a row; nil if the list is not a table for programs.
  var rows: TableFormat? { TableFormat(rawValue: rawValue) }
  /// True for the format for people.
  var isTable: Bool { rawValue == RecordFormat.table.rawValue }
}

/// The formats that every list has.
enum RecordFormat: String, ListFormat {
  case table, json, csv, tsv
}
