import ArgumentParser
import ArticleDocuments
import Foundation
import TextOutput

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

/// The formats that every list has.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json, csv, tsv
}
