/// Which objects a fetch wants: a value that every store can translate, and a context can evaluate.
public indirect enum FetchPredicate: Sendable {
  /// How two values compare.
  public enum Comparison: Sendable {
    /// The values are the same, byte for byte; null equals null.
    case equal
    /// The values differ.
    case notEqual
    /// The attribute is smaller; null never is.
    case less
    /// The attribute is smaller or the same.
    case lessOrEqual
    /// The attribute is greater; null never is.
    case greater
    /// The attribute is greater or the same.
    case greaterOrEqual
  }

  /// An attribute (by index) beside a value.
  case compare(Int, Comparison, AttributeValue)
  /// An attribute whose value is among some.
  case among(Int, [AttributeValue])
  /// An attribute (nil: the object itself) whose value a query for one column of another entity gives.
  case amongRows(Int?, of: StoreQuery)
  /// The objects with these keys.
  case keys([Int64])
  /// All of them hold; true when empty.
  case all([FetchPredicate])
  /// One of them holds; false when empty.
  case any([FetchPredicate])
  /// It does not hold.
  case not(FetchPredicate)

  /// Both hold.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    .all([left, right])
  }

  /// One of the two holds.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    .any([left, right])
  }

  /// It does not hold.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}

extension AttributeKey {
  /// The attribute has this value.
  public static func == (key: AttributeKey, value: Value) -> FetchPredicate {
    .compare(key.index, .equal, value.attributeValue)
  }

  /// The attribute has another value.
  public static func != (key: AttributeKey, value: Value) -> FetchPredicate {
    .compare(key.index, .notEqual, value.attributeValue)
  }

  /// The attribute is smaller.
  public static func < (key: AttributeKey, value: Value) -> FetchPredicate {
    .compare(key.index, .less, value.attributeValue)
  }

  /// The attribute is greater or the same.
  public static func >= (key: AttributeKey, value: Value) -> FetchPredicate {
    .compare(key.index, .greaterOrEqual, value.attributeValue)
  }

  /// The attribute has one of these values.
  public func isAmong(_ values: [Value]) -> FetchPredicate {
    .among(index, values.map(\.attributeValue))
  }

  /// This attribute, from the smallest.
  public var ascending: SortDescriptor { SortDescriptor(attribute: index, isAscending: true) }

  /// This attribute, from the greatest; null comes last.
  public var descending: SortDescriptor { SortDescriptor(attribute: index, isAscending: false) }
}

/// One criterion of an order.
public struct SortDescriptor: Sendable {
  /// The attribute, by index; nil sorts by the key, that is by age in the store.
  public let attribute: Int?
  /// From the smallest or from the greatest.
  public let isAscending: Bool

  /// Sorts by an attribute, or by the key where that is nil.
  public init(attribute: Int?, isAscending: Bool) {
    self.attribute = attribute
    self.isAscending = isAscending
  }
}
