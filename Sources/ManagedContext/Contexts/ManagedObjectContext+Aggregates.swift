extension ManagedObjectContext {
  /// Returns values that summarize all objects, with this context's unsaved changes.
  ///
  ///     let (count, pages) = try context.aggregate(Book.self, where: \.pages > 99, .count, .sum(\.pages))
  ///
  /// - Throws: ``StoreError/request(_:)`` for a sum of whole numbers that is beyond 64 bits.
  public func aggregate<Object: ManagedObject, each Value: Sendable>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>? = nil,
    _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> (repeat each Value) {
    let all = try groups(type, by: [], where: predicate, functions(repeat each aggregates))
    var values = GroupValues(all.first?.values ?? [])
    return (repeat values.next(each aggregates))
  }

  /// Groups objects by an attribute, and returns values that summarize each group, with this context's unsaved
  /// changes.
  ///
  /// - Parameters:
  ///   - type: The objects' class.
  ///   - key: The attribute whose value a group's objects share; nil is a value.
  ///   - predicate: The condition that objects must match; nil for all.
  ///   - condition: The condition that groups must match; nil for all.
  ///   - sort: The order of the groups, such as `[.descending(.count)]`, before the order of the keys. The context
  ///     reads all groups, and then sorts them.
  ///   - limit: The greatest number of groups to return, in this order; nil for all.
  ///   - aggregates: The values. Without them, the result has each different value of the key once.
  /// - Returns: The groups in ascending order of the key, nil first, unless `sort` is given. Objects without the
  ///   related object that a path leads through are a group of their own, with the type's placeholder as its key
  ///   unless the type has nil.
  /// - Throws: ``StoreError/request(_:)`` for a sum of whole numbers that is beyond 64 bits.
  public func aggregate<Object: ManagedObject, Key: AttributeConvertible, each Value: Sendable>(
    _ type: Object.Type, by key: any KeyPath<Object, Key> & Sendable,
    where predicate: FetchPredicate<Object>? = nil, having condition: GroupPredicate<Object>? = nil,
    sortedBy sort: [GroupSort<Object>] = [], limit: Int? = nil,
    _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> [(Key, repeat each Value)] {
    try groups(
      type, by: [PropertyPath(key)], where: predicate, functions(repeat each aggregates), having: condition,
      sortedBy: sort, limit: limit
    ).map { group in
      var values = GroupValues(group.values)
      return (group.key(0), repeat values.next(each aggregates))
    }
  }

  /// Groups objects by the object that a to-one relationship leads to.
  ///
  /// - Returns: The groups, in the order in which the related objects were first saved. The ID is nil for objects
  ///   whose relationship is empty.
  /// - Throws: ``StoreError/request(_:)`` for a sum of whole numbers that is beyond 64 bits.
  public func aggregate<Object: ManagedObject, Other: ManagedObject, each Value: Sendable>(
    _ type: Object.Type, by key: any KeyPath<Object, Other?> & Sendable,
    where predicate: FetchPredicate<Object>? = nil, having condition: GroupPredicate<Object>? = nil,
    sortedBy sort: [GroupSort<Object>] = [], limit: Int? = nil,
    _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> [(ManagedObjectID?, repeat each Value)] {
    try groups(
      type, by: [PropertyPath(toOne: key)], where: predicate, functions(repeat each aggregates),
      having: condition,
      sortedBy: sort, limit: limit
    ).map { group in
      var values = GroupValues(group.values)
      return (group.key(0), repeat values.next(each aggregates))
    }
  }

  /// Groups objects by two attributes: a group's objects share both values.
  ///
  /// - Returns: The groups in ascending order of the first key, and then of the second; nil first.
  /// - Throws: ``StoreError/request(_:)`` for a sum of whole numbers that is beyond 64 bits.
  public func aggregate<
    Object: ManagedObject, First: AttributeConvertible, Second: AttributeConvertible, each Value: Sendable
  >(
    _ type: Object.Type, by first: any KeyPath<Object, First> & Sendable,
    _ second: any KeyPath<Object, Second> & Sendable, where predicate: FetchPredicate<Object>? = nil,
    having condition: GroupPredicate<Object>? = nil, sortedBy sort: [GroupSort<Object>] = [],
    limit: Int? = nil, _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> [(First, Second, repeat each Value)] {
    try groups(
      type, by: [PropertyPath(first), PropertyPath(second)], where: predicate,
      functions(repeat each aggregates), having: condition,
      sortedBy: sort, limit: limit
    ).map { group in
      var values = GroupValues(group.values)
      return (group.key(0), group.key(1), repeat values.next(each aggregates))
    }
  }

  /// Groups objects by the object that a to-one relationship leads to, and by an attribute.
  ///
  /// - Returns: The groups in ascending order of the first key, and then of the second; nil first.
  /// - Throws: ``StoreError/request(_:)`` for a sum of whole numbers that is beyond 64 bits.
  public func aggregate<
    Object: ManagedObject, Other: ManagedObject, Second: AttributeConvertible, each Value: Sendable
  >(
    _ type: Object.Type, by first: any KeyPath<Object, Other?> & Sendable,
    _ second: any KeyPath<Object, Second> & Sendable, where predicate: FetchPredicate<Object>? = nil,
    having condition: GroupPredicate<Object>? = nil, sortedBy sort: [GroupSort<Object>] = [],
    limit: Int? = nil, _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> [(ManagedObjectID?, Second, repeat each Value)] {
    try groups(
      type, by: [PropertyPath(toOne: first), PropertyPath(second)], where: predicate,
      functions(repeat each aggregates), having: condition,
      sortedBy: sort, limit: limit
    ).map { group in
      var values = GroupValues(group.values)
      return (group.key(0), group.key(1), repeat values.next(each aggregates))
    }
  }

  /// Returns an attribute's different values in the objects that match a request, in ascending order, nil first.
  ///
  /// The request's order matters only for its offset and limit, which choose objects.
  public func fetchValues<Object: ManagedObject, Value: AttributeConvertible>(
    _ request: FetchRequest<Object>, distinct path: any KeyPath<Object, Value> & Sendable
  ) throws(StoreError) -> [Value] {
    var predicate = request.predicate
    if request.offset > 0 || request.limit != nil { predicate = .ids(try fetchIDs(request)) }
    let values: [Value] = try aggregate(Object.self, by: path, where: predicate)
    // Null may be shown as a value that other objects have.
    guard values.count > 1, Value(attributeValue: .null) == nil else { return values }
    let first = values[0].attributeValue
    return values.dropFirst().contains { $0.attributeValue == first } ? Array(values.dropFirst()) : values
  }

  // MARK: Groups

  private func functions<Object: ManagedObject, each Value>(
    _ aggregates: repeat FetchAggregate<Object, each Value>
  ) throws(StoreError) -> [StoreAggregate.Function] {
    var functions: [StoreAggregate.Function] = []
    for aggregate in repeat each aggregates { functions += try aggregate.functions(model) }
    return functions
  }

  private func groups<Object: ManagedObject>(
    _ type: Object.Type, by keys: [PropertyPath<Object>], where predicate: FetchPredicate<Object>?,
    _ functions: [StoreAggregate.Function], having condition: GroupPredicate<Object>? = nil,
    sortedBy sort: [GroupSort<Object>] = [], limit: Int? = nil
  ) throws(StoreError) -> [StoreGroup] {
    if keys.isEmpty, functions.isEmpty { return [] }
    let places = try keys.map { (key) throws(StoreError) in try model.place(at: key) }
    let conditions = try condition?.functions(model) ?? []
    let sorting = try sort.map { (criterion) throws(StoreError) in try criterion.functions(model) }.joined()
    let aggregate = StoreAggregate(
      entity: try model.entity(of: type), predicate: try predicate?.resolve(model),
      keys: places.map { StoreSort(attribute: $0.attribute, through: $0.through, isAscending: true) },
      functions: functions + conditions + sorting)
    var groups = try self.groups(aggregate)
    if let condition {
      groups.removeAll {
        !condition.holds($0.values.dropFirst(functions.count).prefix(conditions.count))
      }
    }
    groups = GroupSort.sorted(groups, by: sort, from: functions.count + conditions.count)
    return Array(groups.prefix(limit.map { max($0, 0) } ?? .max))
  }

  /// Returns groups of rows as this context sees them, in no order.
  func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup] {
    queue.check()
    try applyDeleteRules()
    finishEndedSaves()
    var order = aggregate.rows
    order.sort = aggregate.keys
    guard !hasUnsaved(order) else {
      return try aggregate.groups(model, permanent: { permanentIDs[$0] }) { (query) throws(StoreError) in
        try rows(query)
      }
    }
    var translated = aggregate
    translated.predicate = self.translated(order).predicate
    var groups = try parent.groups(translated)
    adoptParentIDs()
    if parentIDs != nil {
      for place in groups.indices {
        groups[place].keys = groups[place].keys.map { $0.mappingID { permanentIDs[$0] } }
      }
    }
    return groups
  }
}

extension StoreGroup {
  fileprivate func key<Value: AttributeConvertible>(_ place: Int) -> Value {
    Value(attributeValue: keys[place]) ?? .placeholder
  }
}

/// A group's values, one aggregate after the other.
private struct GroupValues {
  private var rest: ArraySlice<AttributeValue>

  init(_ values: [AttributeValue]) { rest = values[...] }

  mutating func next<Object, Value>(_ aggregate: FetchAggregate<Object, Value>) -> Value {
    defer { rest = rest.dropFirst(aggregate.width) }
    return aggregate.make(rest.prefix(aggregate.width))
  }
}
