internal import Foundation
internal import ManagedContext
internal import SQLStatements

/// A statement for SQLite: its text together with its parameters.
struct FileStatement: SQLBuilder {
  static let dialect = SQLDialect.sqlite

  let model: ManagedObjectModel
  var text: String
  /// The parameter values, as cells without rows.
  private(set) var parameters = RowBatch(entity: 0, columns: [])
  var isByOrder = false

  init(_ model: ManagedObjectModel, _ text: String) { (self.model, self.text) = (model, text) }

  mutating func place(of value: AttributeValue, _ type: AttributeType) -> String? {
    parameters.append(value)
    return "?"
  }

  mutating func place(_ number: Int64) -> String {
    parameters.append(integer: number)
    return "?"
  }

  static func isEqual(_ attribute: Int, _ place: String, _ entity: EntityDescription) -> String {
    "\(entity.column(attribute)) IS \(place)"
  }

  mutating func append(
    _ column: String, _ match: StorePredicate.Match, _ part: String, _ options: TextOptions
  ) {
    guard options.isEmpty, match == .part || match == .prefix else {
      parameters.append(text: TextFunction.argument(match, part, options))
      return text += "\(TextFunction.name)(\(column), ?)"
    }
    parameters.append(text: part)
    if match == .part { return text += Self.dialect.contains(column, "?") }
    // A range, so that an index can be used; text is compared byte by byte.
    text += "\(column) >= ? AND "
    if let end = part.endOfPrefixRange {
      text += "\(column) < ?"
      parameters.append(text: end)
    } else {
      text += "typeof(\(column)) = 'text'"
    }
  }

  mutating func append(_ attribute: Int, among values: [AttributeValue], _ entity: EntityDescription) {
    text += "\(entity.column(attribute)) IN "
    appendList(values)
  }

  mutating func append(keys: [Int64]) {
    if keys.count == 1 {
      text += "id = ?"
      parameters.append(integer: keys[0])
    } else {
      text += "id IN "
      appendList(keys.map { .integer($0) })
    }
  }

  mutating func append(versions: [RowVersion]) {
    text += "(id, version) IN (SELECT CAST(key AS INTEGER), value FROM json_each(?))"
    parameters.append(
      text: "{" + versions.map { "\"\($0.id.key)\":\($0.version)" }.joined(separator: ",") + "}")
  }

  mutating func appendLimit(_ query: StoreQuery) {
    if query.limit != nil || query.offset > 0 {
      text += " LIMIT \(query.limit ?? -1) OFFSET \(query.offset)"
    }
  }

  /// Appends a list of values. Numbers, or more than a few values, are passed as one parameter, because a
  /// statement takes at most 32,766 parameters (sqlite.org/json1.html#jeach).
  private mutating func appendList(_ values: [AttributeValue]) {
    if let array = values.jsonArray, values.count > 8 {
      text += "(SELECT value FROM json_each(?))"
      parameters.append(text: array)
    } else {
      // Repeated values do not change the list. Without padding, SQLite would prepare a statement for each
      // length.
      let padding = values.last.map { Array(repeating: $0, count: max(0, 8 - values.count)) } ?? []
      let list = values.count > 1 ? values + padding : values
      text += "(" + list.map { _ in "?" }.joined(separator: ", ") + ")"
      for value in list { parameters.append(value) }
    }
  }
}

extension [AttributeValue] {
  /// The values as a JSON array; nil if JSON cannot represent a value exactly.
  fileprivate var jsonArray: String? {
    var array = [UInt8(ascii: "[")]
    for value in self {
      if array.count > 1 { array.append(UInt8(ascii: ",")) }
      switch value {
      case .integer(let number): array.append(decimal: number)
      case .reference(let id): array.append(decimal: id.key)
      case .text(let text):
        guard !text.utf8.contains(0), let quoted = text.jsonQuoted else { return nil }
        array += quoted
      case .null, .real, .date, .bytes: return nil
      }
    }
    array.append(UInt8(ascii: "]"))
    return String(decoding: array, as: UTF8.self)
  }
}

extension String {
  fileprivate var jsonQuoted: Data? { try? JSONEncoder().encode(self) }

  /// The smallest text that is greater than every text with this prefix; nil if no such text exists.
  var endOfPrefixRange: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // Surrogates are not scalars, so U+E000 follows U+D7FF.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let successor = Unicode.Scalar(next) else { continue }
      return String(String.UnicodeScalarView(scalars + [successor]))
    }
    return nil
  }
}
