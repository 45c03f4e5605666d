/// What a store is asked for.
public struct StoreQuery: Sendable {
  /// The entity whose rows are wanted.
  public var entity: EntityIndex
  /// Which rows; nil for all.
  public var predicate: StorePredicate?
  /// The order; ties and an empty list fall back to the order of the keys.
  public var sort: [StoreSort]
  /// Rows to skip.
  public var offset: Int
  /// At most so many rows; nil for all.
  public var limit: Int?
  /// The attributes (by index) that are wanted; nil for all of them.
  public var columns: [Int]?

  /// Asks for rows of an entity.
  public init(
    entity: EntityIndex, predicate: StorePredicate? = nil, sort: [StoreSort] = [], offset: Int = 0,
    limit: Int? = nil, columns: [Int]? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.columns = columns
  }
}

/// Which rows a query wants: a value that every store can translate, and a context can evaluate.
///
/// Programs write ``FetchPredicate``, which is checked by the compiler, and which a context turns into this.
public indirect enum StorePredicate: Sendable {
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

  /// How a text is looked for in another, byte by byte.
  public enum Match: Sendable {
    /// At the beginning.
    case prefix
    /// Anywhere.
    case part
  }

  /// An attribute (by index) beside a value.
  case compare(Int, Comparison, AttributeValue)
  /// A text attribute that has a text in it.
  case match(Int, Match, String)
  /// An attribute whose value is among some.
  case among(Int, [AttributeValue])
  /// An attribute (nil: the row itself) whose value a query for one column of another entity gives; without a
  /// column, the rows themselves.
  case amongRows(Int?, of: StoreQuery)
  /// The rows of these IDs; those of other entities match nothing.
  case ids([ManagedObjectID])
  /// All of them hold; true when empty.
  case all([StorePredicate])
  /// One of them holds; false when empty.
  case any([StorePredicate])
  /// It does not hold.
  case not(StorePredicate)
}

/// One criterion of an order.
public struct StoreSort: Sendable {
  /// The attribute, by index; nil sorts by the key, that is by age in the store.
  public let attribute: Int?
  /// From the smallest (null first) or from the greatest (null last).
  public let isAscending: Bool

  /// Sorts by an attribute, or by the key where that is nil.
  public init(attribute: Int?, isAscending: Bool) {
    self.attribute = attribute
    self.isAscending = isAscending
  }
}
