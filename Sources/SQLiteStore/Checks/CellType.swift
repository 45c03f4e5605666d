internal import GRDB
internal import ManagedContext

/// A cell's type. SQLite stores values of any type in any column (sqlite.org/datatype3.html), so another program may
/// have written a wrong one.
enum CellType: Int, CaseIterable {
  case integer, real, text, blob, null

  /// The type's name in SQLite's function typeof.
  var name: String { "\(self)" }
}

extension AttributeType {
  /// The types of the attribute's cells, besides null.
  var cellTypes: [CellType] {
    switch self {
    case .integer, .boolean, .reference: [.integer]
    case .secondsSince1970: [.integer, .real]
    case .real, .date: [.real]
    case .text: [.text]
    case .bytes: [.blob]
    }
  }

  /// Returns whether a cell has one of the attribute's types. Null fits every attribute.
  func fits(_ value: DatabaseValue) -> Bool {
    switch value.storage {
    case .null: true
    case .int64: cellTypes.contains(.integer)
    case .double: cellTypes.contains(.real)
    case .string: cellTypes.contains(.text)
    case .blob: cellTypes.contains(.blob)
    }
  }
}
