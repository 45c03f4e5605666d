/// A query to a store.
public struct StoreQuery: Sendable {
  /// The rows' entity.
  public var entity: EntityIndex
  /// The condition that rows must meet; nil for all rows.
  public var predicate: StorePredicate?
  /// The order. Ties are in key order, as are all rows if it is empty.
  public var sort: [StoreSort]
  /// The number of rows to skip.
  public var offset: Int
  /// The maximum number of rows; nil for all.
  public var limit: Int?
  /// The attributes (by index) to return; nil for all.
  public var columns: [Int]?
  /// True if only the values are used: a store may return 0 as the key and version of each row.
  public var isKeyless = false

  /// Creates a query for an entity's rows.
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

extension StoreQuery {
  /// Returns the query with other conditions, for its rows and for what its order counts.
  func mappingPredicates(_ map: (StorePredicate) -> StorePredicate) -> StoreQuery {
    var query = self
    query.predicate = predicate.map(map)
    query.sort = sort.map { $0.mappingPredicates(map) }
    return query
  }
}

/// A query's condition, which every store can translate and a context can evaluate.
///
/// Programs write ``FetchPredicate``, which is checked by the compiler. A context converts it to this type.
public indirect enum StorePredicate: Sendable {
  /// A comparison between two values.
  public enum Comparison: Sendable {
    /// The values are the same, byte for byte. Null equals null.
    case equal
    /// The values differ.
    case notEqual
    /// The attribute is smaller. Null never is.
    case less
    /// The attribute is smaller or equal.
    case lessOrEqual
    /// The attribute is greater. Null never is.
    case greater
    /// The attribute is greater or equal.
    case greaterOrEqual
  }

  /// A search for one text in another.
  public enum Match: UInt8, Sendable, CaseIterable {
    /// At the beginning.
    case prefix
    /// Anywhere.
    case part
    /// At the end.
    case suffix
    /// The whole text.
    case whole
    /// The whole text, with wildcards: `*` for any text, `?` for one Unicode scalar. A backslash makes the next
    /// character an ordinary one.
    case pattern
  }

  /// An attribute (by index) compared with a value.
  case compare(Int, Comparison, AttributeValue)
  /// A text attribute that contains a text, except for ignored differences. ``TextMatch`` defines the result.
  case match(Int, Match, String, TextOptions = [])
  /// An attribute with a value that is in a list.
  case among(Int, [AttributeValue])
  /// An attribute (nil for the row itself) with a value that a query returns.
  ///
  /// The values are in the query's first column or, without a column, the query's rows.
  case amongRows(Int?, of: StoreQuery)
  /// The number of a query's rows with the row itself in their first column, compared with a number.
  ///
  /// Rows with the same value in a second column count once.
  case count(of: StoreQuery, Comparison, Int)
  /// The rows with these IDs. IDs from other entities match nothing.
  case ids([ManagedObjectID])
  /// True if all conditions hold, or if the list is empty.
  case all([StorePredicate])
  /// True if one condition holds; false if the list is empty.
  case any([StorePredicate])
  /// True if the condition does not hold.
  case not(StorePredicate)
}

/// A sort criterion.
public struct StoreSort: Sendable {
  /// The attribute, by index; nil sorts by ``counted``, or otherwise by the key, which is the insertion order.
  public let attribute: Int?
  /// The to-one relationship, by its attribute's index, whose object has ``attribute``; nil if the row has it.
  ///
  /// A row whose relationship leads to nothing has the value null.
  public let through: Int?
  /// The query for references to the rows, in its first column: their number is the value to sort by. References with
  /// the same value in a second column count once. Nil for another order.
  public private(set) var counted: StoreQuery?
  /// True for the smallest value first, with null before it; false for the greatest first, with null last.
  public let isAscending: Bool

  /// Sorts by an attribute, which a related object may have; nil sorts by the key.
  public init(attribute: Int?, through: Int? = nil, isAscending: Bool) {
    self.attribute = attribute
    self.through = through
    self.isAscending = isAscending
  }

  /// Sorts by the number of references to each row.
  public init(counting query: StoreQuery, isAscending: Bool) {
    self.init(attribute: nil, isAscending: isAscending)
    counted = query
  }

  /// True if the keys are the order.
  public var isByKey: Bool { attribute == nil && counted == nil }

  /// True if other rows determine the value.
  var dependsOnOthers: Bool { through != nil || counted != nil }

  /// Returns true if other rows that determine the value are from any of these entities.
  func asks(for entities: (EntityIndex) -> Bool, in entity: EntityIndex, _ model: ManagedObjectModel) -> Bool
  {
    if let counted { return StorePredicate.amongRows(nil, of: counted).asks(for: entities) }
    return destination(in: entity, model).map(entities) ?? false
  }

  /// Returns the criterion with another condition for what it counts.
  fileprivate func mappingPredicates(_ map: (StorePredicate) -> StorePredicate) -> StoreSort {
    var sort = self
    sort.counted = counted?.mappingPredicates(map)
    return sort
  }

  /// The row's attribute that the order depends on: the one to sort by, or the relationship.
  var ownAttribute: Int? { through ?? attribute }
}
