extension StorePredicate {
  /// The parts of a row that a predicate evaluates.
  typealias Row = (id: ManagedObjectID, values: [AttributeValue])

  /// Returns the predicate as a function that selects the same rows as a SQL store.
  ///
  /// Queries for other rows must be replaced first; see ``replacingQueries(_:_:)``.
  func evaluation() -> (Row) -> Bool {
    switch self {
    case .compare(let index, let comparison, let value):
      return { row in comparison.holds(row.values[index], value) }
    case .match(let index, let match, let text, let options):
      let match = TextMatch(match, text, options)
      return { row in
        guard case .text(let value) = row.values[index] else { return false }
        return match.matches(value)
      }
    case .among(let index, let values):
      let wanted = Set(values)
      return { row in
        let value = row.values[index]
        return wanted.contains(value) || value.sameNumber.map(wanted.contains) ?? false
      }
    case .ids(let ids):
      let wanted = Set(ids)
      return { row in wanted.contains(row.id) }
    case .amongRows, .count: return { _ in false }
    case .all(let parts):
      let parts = parts.map { $0.evaluation() }
      return { row in parts.allSatisfy { $0(row) } }
    case .any(let parts):
      let parts = parts.map { $0.evaluation() }
      return { row in parts.contains { $0(row) } }
    case .not(let part):
      let part = part.evaluation()
      return { row in !part(row) }
    }
  }

  /// Returns the predicate with each inner query replaced by the rows that `answer` returns for it.
  ///
  /// - Parameter answer: Returns the rows of a query, or nil to keep the query.
  func replacingQueries(
    _ model: ManagedObjectModel, _ answer: (StoreQuery) throws(StoreError) -> RowBatch?
  ) throws(StoreError) -> StorePredicate {
    switch self {
    case .compare, .match, .among, .ids: return self
    case .amongRows(let attribute, let query):
      guard let rows = try answer(query) else { return self }
      let values =
        rows.columns.isEmpty
        ? rows.ids.map(AttributeValue.reference)
        : (0..<rows.count).map { rows.value(row: $0, column: 0, model: model) }
      if let attribute { return .among(attribute, values.filter { !$0.isNull }) }
      return .ids(
        values.compactMap { value in
          if case .reference(let id) = value { id } else { nil }
        })
    case .count(let query, let comparison, let number):
      return try answer(query)?.counted(model, comparison, number) ?? self
    case .all(let parts):
      return .all(try parts.map { (part) throws(StoreError) in try part.replacingQueries(model, answer) })
    case .any(let parts):
      return .any(try parts.map { (part) throws(StoreError) in try part.replacingQueries(model, answer) })
    case .not(let part): return .not(try part.replacingQueries(model, answer))
    }
  }

  /// The IDs of the only objects that can match; nil if the predicate does not name them.
  var namedIDs: [ManagedObjectID]? {
    switch self {
    case .ids(let ids): ids
    case .all(let parts): parts.lazy.compactMap(\.namedIDs).first
    default: nil
    }
  }

  /// Returns true if the predicate contains a query for any of these entities.
  func asks(for entities: (EntityIndex) -> Bool) -> Bool {
    switch self {
    case .compare, .match, .among, .ids: false
    case .amongRows(_, let query), .count(let query, _, _):
      entities(query.entity) || query.predicate?.asks(for: entities) == true
    case .all(let parts), .any(let parts): parts.contains { $0.asks(for: entities) }
    case .not(let part): part.asks(for: entities)
    }
  }
}

extension RowBatch {
  /// Returns the predicate for the rows that are in the first column a number of times; see
  /// ``StorePredicate/count(of:_:_:)``.
  fileprivate func counted(
    _ model: ManagedObjectModel, _ comparison: StorePredicate.Comparison, _ number: Int
  ) -> StorePredicate {
    let counts = referenceCounts(model)
    // Rows that are not in the column have the number 0.
    let holdsForNone = comparison.holds(0, number)
    let others = counts.filter { comparison.holds($0.value, number) != holdsForNone }.map(\.key)
    return holdsForNone ? .not(.ids(others)) : .ids(others)
  }
}

extension StorePredicate.Comparison {
  /// Returns true if the comparison holds between two numbers.
  public func holds(_ count: Int, _ number: Int) -> Bool {
    holds(.integer(Int64(count)), .integer(Int64(number)))
  }

  /// Returns true if the comparison holds between an attribute's value and another value.
  ///
  /// Null is neither smaller nor greater than any value.
  func holds(_ value: AttributeValue, _ other: AttributeValue) -> Bool {
    switch self {
    case .equal: return value.matches(other)
    case .notEqual: return !value.matches(other)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard !value.isNull, !other.isNull else { return false }
    }
    return switch self {
    case .less: value.precedes(other)
    case .lessOrEqual: !other.precedes(value)
    case .greater: other.precedes(value)
    default: !value.precedes(other)
    }
  }
}
