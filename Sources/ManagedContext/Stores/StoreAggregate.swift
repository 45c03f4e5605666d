/// A query for values that summarize groups of rows.
public struct StoreAggregate: Sendable {
  /// A value of a group.
  public enum Function: Sendable, Hashable {
    /// The number of rows.
    case count
    /// The number of rows with a value in an attribute (by index).
    case values(Int)
    /// The sum of an attribute's numbers; null without values.
    case sum(Int)
    /// An attribute's smallest value; null without values.
    case minimum(Int)
    /// An attribute's greatest value; null without values.
    case maximum(Int)

    /// The attribute, by index; nil for the number of rows.
    public var attribute: Int? {
      switch self {
      case .count: nil
      case .values(let index), .sum(let index), .minimum(let index), .maximum(let index): index
      }
    }
  }

  /// The rows' entity.
  public var entity: EntityIndex
  /// The condition that rows must meet; nil for all rows.
  public var predicate: StorePredicate?
  /// The attributes whose values rows of one group share; if empty, all rows are one group, possibly empty.
  ///
  /// Null is a value. Their directions have no meaning: the groups have no order.
  public var keys: [StoreSort]
  /// The values to return for each group.
  public var functions: [Function]

  /// Creates a query.
  public init(
    entity: EntityIndex, predicate: StorePredicate? = nil, keys: [StoreSort] = [], functions: [Function]
  ) {
    (self.entity, self.predicate, self.keys, self.functions) = (entity, predicate, keys, functions)
  }

  /// The query for the rows that determine the result, with the columns that it needs.
  var rows: StoreQuery {
    let columns = Set(keys.compactMap(\.ownAttribute) + functions.compactMap(\.attribute))
    return StoreQuery(entity: entity, predicate: predicate, columns: columns.sorted())
  }

  /// Returns the error for a sum of whole numbers that is beyond 64 bits.
  public static func overflow(_ attribute: Int, of entity: EntityDescription) -> StoreError {
    .request("the sum of \(entity.name).\(entity.attributes[attribute].name) does not fit into 64 bits")
  }
}

/// A group of rows, summarized.
public struct StoreGroup: Sendable, Equatable {
  /// The values that the rows share, one for each key.
  public var keys: [AttributeValue]
  /// The value of each function.
  public var values: [AttributeValue]

  /// Creates a group. Numbers in keys are replaced by equal whole ones.
  public init(keys: [AttributeValue], values: [AttributeValue]) {
    self.keys = keys.map(\.asSection)
    self.values = values
  }

  /// Returns true if this group's keys sort before another group's keys.
  func precedes(_ other: StoreGroup) -> Bool {
    for (own, theirs) in zip(keys, other.keys) where own != theirs { return own.precedes(theirs) }
    return false
  }
}

extension StoreAggregate {
  /// Computes the groups from rows, for stores and contexts that cannot leave this to a database.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - permanent: Returns an object's present ID: a save may end between two reads.
  ///   - answer: Returns the rows of a query.
  public func groups(
    _ model: ManagedObjectModel, permanent: (ManagedObjectID) -> ManagedObjectID = { $0 },
    _ answer: (StoreQuery) throws(StoreError) -> RowBatch
  ) throws(StoreError) -> [StoreGroup] {
    let rows = try answer(rows)
    let keys = try keys.map { (key) throws(StoreError) in
      try rows.values(of: key, model, permanent: permanent, answer) ?? []
    }
    let columns = functions.map { $0.attribute.flatMap(rows.columns.firstIndex) }
    var summaries: [[AttributeValue]: [Summary]] = self.keys.isEmpty ? [[]: functions.map(Summary.init)] : [:]
    for row in 0..<rows.count {
      let key = keys.map { $0[row].asSection }
      for (place, column) in columns.enumerated() {
        let value = column.map { rows.value(row: row, column: $0, model: model) }
        summaries[key, default: functions.map(Summary.init)][place].add(value ?? .null)
      }
      if columns.isEmpty { summaries[key] = [] }
    }
    return try summaries.map { (key, summaries) throws(StoreError) in
      StoreGroup(
        keys: key,
        values: try summaries.map { (summary) throws(StoreError) in try summary.result(model[entity]) })
    }
  }
}

/// A function's value for the rows of a group so far.
private struct Summary {
  private let function: StoreAggregate.Function
  private var rows: Int64 = 0
  private var values: Int64 = 0
  /// The sum of the whole numbers. It fits for any number of rows.
  private var whole: Int128 = 0
  /// The sum of the other numbers; nil if there are none.
  private var real: Double?
  private var chosen = AttributeValue.null

  init(_ function: StoreAggregate.Function) { self.function = function }

  mutating func add(_ value: AttributeValue) {
    rows += 1
    // A store keeps NaN as null.
    if value.isNaN { return }
    guard !value.isNull else { return }
    values += 1
    switch (function, value) {
    case (.sum, .integer(let number)): whole += Int128(number)
    case (.sum, .real(let number)): real = (real ?? 0) + number
    case (.minimum, _): if chosen.isNull || value.precedes(chosen) { chosen = value }
    case (.maximum, _): if chosen.precedes(value) { chosen = value }
    default: break
    }
  }

  func result(_ entity: EntityDescription) throws(StoreError) -> AttributeValue {
    switch function {
    case .count: return .integer(rows)
    case .values: return .integer(values)
    case .minimum, .maximum: return chosen
    case .sum(let attribute):
      if values == 0 { return .null }
      if entity.attributes[attribute].type == .real || real != nil {
        return .real(Double(whole) + (real ?? 0))
      }
      guard let sum = Int64(exactly: whole) else { throw StoreAggregate.overflow(attribute, of: entity) }
      return .integer(sum)
    }
  }
}
