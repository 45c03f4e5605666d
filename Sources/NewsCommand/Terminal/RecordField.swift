import ArgumentParser
import Foundation

/// The fields of listed items. Scripts rely on their names.
protocol RecordField: RawRepresentable<String>, CaseIterable, Sendable {
  /// The type of the listed items.
  associatedtype Subject
  /// The values of `--format`.
  associatedtype Format: ListFormat = RecordFormat

  /// The fields that are printed by default.
  static var standard: [Self] { get }

  /// The value of a field.
  func value(of subject: Subject) -> RecordValue
}

extension RecordField {
  /// Reads a list of names. A repeated name counts once, because a JSON object has each name once.
  ///
  /// - Throws: `ValidationError` that names the unknown field.
  static func list(argument: String) throws -> [Self] {
    let names = argument.split(separator: ",")
    guard !names.isEmpty else { throw ValidationError("the fields are \(known).") }
    let fields = try names.map { name in
      let name = name.trimmingCharacters(in: .whitespaces)
      guard let field = Self(rawValue: name) else {
        let near = nearestWord(to: name, among: allCases.map(\.rawValue)).map { "did you mean \($0)? " } ?? ""
        throw ValidationError("'\(name)' is not a field; \(near)the fields are \(known).")
      }
      return field
    }
    var seen: Set<String> = []
    return fields.filter { seen.insert($0.rawValue).inserted }
  }

  private static var known: String { allCases.map(\.rawValue).joined(separator: ", ") }
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
