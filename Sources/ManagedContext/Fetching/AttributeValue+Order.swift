extension AttributeValue {
  /// Returns true if this value sorts before another.
  ///
  /// Null sorts first, then numbers, text byte by byte, and bytes: a SQL store's order
  /// (sqlite.org/datatype3.html, 4.1).
  func precedes(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)), (.date(let a), .date(let b)): a < b
    case (.integer(let a), .real(let b)): Double(a) < b
    case (.real(let a), .integer(let b)): a < Double(b)
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
    case (.reference(let a), .reference(let b)): a.precedes(b)
    default: rank < other.rank
    }
  }

  /// Returns true if a predicate treats both values as equal: integers match floating-point numbers with the
  /// same value.
  func matches(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .real(let b)), (.real(let b), .integer(let a)): Double(a) == b
    default: self == other
    }
  }

  /// The same number as the other numeric type; nil if that type cannot represent it or the value is not a
  /// number.
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
    case .integer, .real, .date, .reference: 1
    case .text: 2
    case .bytes: 3
    }
  }
}

extension ManagedObjectID {
  /// Returns true if this ID sorts before another: stored rows by key, oldest first, then unsaved objects.
  func precedes(_ other: ManagedObjectID) -> Bool {
    if isTemporary != other.isTemporary { return other.isTemporary }
    if isTemporary { return key > other.key }
    return key == other.key ? store < other.store : key < other.key
  }
}
