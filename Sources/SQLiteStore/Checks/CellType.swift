internal import GRDB
internal import ManagedContext

extension AttributeType {
  /// Returns whether a cell has the attribute's type. Null fits every type. SQLite stores values of any type
  /// in any column (sqlite.org/datatype3.html), so another program may have written a wrong one.
  func fits(_ value: DatabaseValue) -> Bool {
    switch (value.storage, self) {
    case (.null, _), (.int64, .integer), (.int64, .boolean), (.int64, .reference), (.string, .text),
      (.blob, .bytes), (.double, .real), (.int64, .date), (.double, .date):
      true
    default: false
    }
  }

  /// The types as reported by SQLite's function typeof, besides null.
  var storedTypes: [String] {
    switch self {
    case .integer, .boolean, .reference: ["integer"]
    case .date: ["integer", "real"]
    case .real: ["real"]
    case .text: ["text"]
    case .bytes: ["blob"]
    }
  }
}
