extension AttributeValue {
  /// Whether this value stands before another: null, numbers, text byte by byte, bytes; the order of a SQL store
  /// (sqlite.org/datatype3.html, 4.1).
  func precedes(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): Double(a) < b
    case (.real(let a), .integer(let b)): a < Double(b)
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
    case (.reference(let a), .reference(let b)): a.precedes(b)
    default: rank < other.rank
    }
  }

  /// Whether two values are the same to a predicate: a whole number equals the same number with a fraction part.
  func matches(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): Double(a) == b
    default: self == other
    }
  }

  /// The same number in the other form, with a fraction part or without; nil where there is none.
  var sameNumber: AttributeValue? {
    switch self {
    case .integer(let value): .real(Double(value))
    case .real(let value): Int64(exactly: value).map(AttributeValue.integer)
    default: nil
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real, .reference: 1
    case .text: 2
    case .bytes: 3
    }
  }
}

extension ManagedObjectID {
  /// The order of age: rows of a store by key, then objects that were never saved.
  func precedes(_ other: ManagedObjectID) -> Bool {
    if isTemporary != other.isTemporary { return other.isTemporary }
    if isTemporary { return key > other.key }
    return key == other.key ? store < other.store : key < other.key
  }
}
