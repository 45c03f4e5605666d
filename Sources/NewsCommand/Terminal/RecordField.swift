import ArgumentParser
import Foundation

/// The fields of what a command lists; their names are a contract with scripts.
protocol RecordField: RawRepresentable<String>, CaseIterable, Sendable {
  /// What has the fields.
  associatedtype Subject
  /// What `--format` can be.
  associatedtype Format: ListFormat = RecordFormat

  /// What is printed where nothing else is asked for.
  static var standard: [Self] { get }

  /// The value of a field.
  func value(of subject: Subject) -> RecordValue
}

extension RecordField {
  /// Reads a list of names; one that stands there twice counts once, since objects have each name once.
  ///
  /// - Throws: `ValidationError` that names the one that is unknown.
  static func list(argument: String) throws -> [Self] {
    let names = argument.split(separator: ",")
    guard !names.isEmpty else { throw ValidationError("there are the fields \(known).") }
    let fields = try names.map { name in
      let name = name.trimmingCharacters(in: .whitespaces)
      guard let field = Self(rawValue: name) else {
        let near = nearestWord(to: name, among: allCases.map(\.rawValue)).map { "did you mean \($0)? " } ?? ""
        throw ValidationError("'\(name)' is no field; \(near)there are \(known).")
      }
      return field
    }
    var seen: Set<String> = []
    return fields.filter { seen.insert($0.rawValue).inserted }
  }

  private static var known: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// How a list is printed.
protocol ListFormat: RawRepresentable<String>, CaseIterable, ExpressibleByArgument, Sendable {}

extension ListFormat {
  /// The form of a row; nil where the list is no table of rows for other programs.
  var rows: TableFormat? { TableFormat(rawValue: rawValue) }
  /// Whether it is the one for people.
  var isTable: Bool { rawValue == RecordFormat.table.rawValue }
}

/// How any list can be printed.
enum RecordFormat: String, ListFormat {
  case table, json, csv, tsv
}
