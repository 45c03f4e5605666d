internal import Foundation
internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Texts that are not valid UTF-8. A store writes none, but SQLite does not check the bytes that it reads.
enum DamagedText {
  /// Returns whether bytes are valid UTF-8. SQLite's own functions would replace invalid ones.
  private static let isValid = DatabaseFunction("is_utf8", argumentCount: 1, pure: true) { values in
    guard let bytes = Data.fromDatabaseValue(values[0]) else { return true }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  /// Describes damaged texts in a model's tables, which takes as long as reading them.
  static func findings(of model: ManagedObjectModel, atMost limit: Int, in db: Database) throws -> [String] {
    db.add(function: isValid)
    defer { db.remove(function: isValid) }
    var findings: [String] = []
    for entity in model.entities {
      let texts = entity.attributes.filter { $0.type == .text }.map(\.name)
      guard !texts.isEmpty, findings.count < limit else { continue }
      let validity = texts.map { name in
        "typeof(\(quoted(name))) <> 'text' OR is_utf8(CAST(\(quoted(name)) AS BLOB))"
      }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, \(validity.joined(separator: ", ")) FROM \(quoted(entity.name)) NOT INDEXED \
          WHERE NOT (\(validity.map { "(\($0))" }.joined(separator: " AND "))) ORDER BY id LIMIT \(limit - findings.count)
          """)
      for row in rows {
        let key: Int64 = row[0]
        for (index, name) in texts.enumerated() where row[index + 1] == false {
          findings.append("row \(key) of \(entity.name): \(name) is not UTF-8, so its bytes are damaged")
        }
      }
    }
    return findings
  }
}
