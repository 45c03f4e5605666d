public import ManagedContext

extension SQLBuilder {
  /// Returns a statement that summarizes groups of rows; `StoreAggregate.group` reads its
  /// rows.
  public static func aggregate(_ aggregate: StoreAggregate, _ model: ManagedObjectModel) -> Self {
    var builder = Self(model, "")
    let entity = model[aggregate.entity]
    let keys = aggregate.keys.map { key in
      key.attribute.map { builder.column($0, through: key.through, of: aggregate.entity) } ?? "id"
    }
    let values = aggregate.functions.flatMap { function in
      let column = function.attribute.map(entity.column) ?? "*"
      return switch function {
      case .count, .values: ["count(\(column))"]
      case .minimum: ["min(\(column))"]
      case .maximum: ["max(\(column))"]
      case .sum(let attribute) where entity.attributes[attribute].type == .real: ["sum(\(column) + 0.0)"]
      // The sums of both halves cannot overflow.
      case .sum: ["CAST(sum(\(column) >> 32) AS bigint)", "CAST(sum(\(column) & 4294967295) AS bigint)"]
      }
    }
    builder.text = "SELECT \((keys + values).joined(separator: ", ")) FROM \(entity.table)"
    builder.appendCondition(aggregate.predicate, of: aggregate.entity)
    if !keys.isEmpty {
      builder.text += " GROUP BY " + keys.indices.map { "\($0 + 1)" }.joined(separator: ", ")
    }
    return builder
  }
}

extension StoreAggregate {
  /// Returns the group in a row.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - store: The store with the row.
  ///   - value: Returns the value in a column.
  public func group(
    _ model: ManagedObjectModel, _ store: StoreNumber,
    _ value: (_ column: Int, AttributeType) -> AttributeValue
  ) throws(StoreError) -> StoreGroup {
    var column = -1
    func next(_ attribute: Int, of entity: EntityIndex) -> AttributeValue {
      column += 1
      let found = value(column, model[entity].attributes[attribute].type)
      guard case .integer(let key) = found, let other = model.destination(of: attribute, in: entity) else {
        return found
      }
      return .reference(ManagedObjectID(entity: other, store: store, key: key))
    }
    func number() -> Int64? {
      column += 1
      if case .integer(let number) = value(column, .integer) { return number }
      return nil
    }
    let keys = keys.map { key in
      let owner = key.through.flatMap { model.destination(of: $0, in: entity) } ?? entity
      return key.attribute.map { next($0, of: owner) } ?? .null
    }
    let values = try functions.map { (function) throws(StoreError) -> AttributeValue in
      switch function {
      case .count, .values: return .integer(number() ?? 0)
      case .minimum(let attribute), .maximum(let attribute): return next(attribute, of: entity)
      case .sum(let attribute) where model[entity].attributes[attribute].type == .real:
        return next(attribute, of: entity)
      case .sum(let attribute):
        // Both are read, because the next value follows them.
        let (high, low) = (number(), number())
        guard let high, let low else { return .null }
        guard let sum = Int64(exactly: Int128(high) << 32 + Int128(low)) else {
          throw StoreAggregate.overflow(attribute, of: model[entity])
        }
        return .integer(sum)
      }
    }
    return StoreGroup(keys: keys, values: values)
  }
}
