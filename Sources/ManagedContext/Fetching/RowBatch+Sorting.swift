extension StoreSort {
  /// The entity of the related objects with the attribute; nil if the rows have it.
  func destination(in entity: EntityIndex, _ model: ManagedObjectModel) -> EntityIndex? {
    through.flatMap { model.destination(of: $0, in: entity) }
  }
}

extension StoreQuery {
  /// True if other rows determine the order.
  var dependsOnOthers: Bool { sort.contains(where: \.dependsOnOthers) }

  /// Returns the query for all rows in any order, with the columns that the order needs.
  func unsorted(_ model: ManagedObjectModel) -> StoreQuery {
    var query = self
    query.columns = columnsWithSort(model)
    (query.sort, query.offset, query.limit, query.isKeyless) = ([], 0, nil, false)
    return query
  }
}

extension RowBatch {
  /// Sorts rows in a query's order, which may depend on related objects, and applies the query's offset and limit.
  ///
  /// - Parameters:
  ///   - batches: The results of the query's ``StoreQuery/unsorted(_:)``.
  ///   - query: The query.
  ///   - model: The model.
  ///   - permanent: Returns an object's present ID: a save may end between two reads.
  ///   - answer: Returns the rows of a query for related objects.
  static func sorting(
    _ batches: [RowBatch], for query: StoreQuery, model: ManagedObjectModel,
    permanent: (ManagedObjectID) -> ManagedObjectID = { $0 },
    _ answer: (StoreQuery) throws(StoreError) -> RowBatch
  ) throws(StoreError) -> RowBatch {
    let keys = try batches.map { (batch) throws(StoreError) in
      try query.sort.map { (criterion) throws(StoreError) in
        try batch.values(of: criterion, model, permanent: permanent, answer)
      }
    }
    var places: [(id: ManagedObjectID, batch: Int, row: Int)] = []
    for (number, batch) in batches.enumerated() {
      places += batch.ids.enumerated().map { ($0.element, number, $0.offset) }
    }
    places.sort { left, right in
      query.precedes(left.id, right.id) { criterion in
        guard let ours = keys[left.batch][criterion], let theirs = keys[right.batch][criterion] else {
          return nil
        }
        return (ours[left.row], theirs[right.row])
      }
    }
    var sorted = RowBatch(
      entity: query.entity, columns: query.columns ?? Array(model[query.entity].attributes.indices))
    let columns = Array(sorted.columns.indices)
    for place in places.dropFirst(query.offset).prefix(query.limit ?? .max) {
      sorted.appendRow(of: batches[place.batch], row: place.row, columns: columns)
    }
    return sorted
  }

  /// Returns each row's value of a criterion; nil for one that sorts by ID.
  ///
  /// - Parameters:
  ///   - permanent: Returns an object's present ID: a save may end between two reads.
  ///   - answer: Returns the rows of a query for related objects.
  func values(
    of criterion: StoreSort, _ model: ManagedObjectModel,
    permanent: (ManagedObjectID) -> ManagedObjectID = { $0 },
    _ answer: (StoreQuery) throws(StoreError) -> RowBatch
  ) throws(StoreError) -> [AttributeValue]? {
    if let counted = criterion.counted {
      let counts = try answer(counted).referenceCounts(model, permanent: permanent)
      return ids.map { .integer(Int64(counts[permanent($0)] ?? 0)) }
    }
    guard let attribute = criterion.attribute, let own = criterion.ownAttribute,
      let column = columns.firstIndex(of: own)
    else { return nil }
    let values = (0..<count).map { value(row: $0, column: column, model: model) }
    guard let destination = criterion.destination(in: entity, model) else { return values }
    let ids = Set(values.compactMap(\.reference))
    let others = try answer(
      StoreQuery(entity: destination, predicate: .ids(Array(ids)), columns: [attribute]))
    var known: [ManagedObjectID: AttributeValue] = [:]
    for row in 0..<others.count {
      known[others.id(row: row)] = others.value(row: row, column: 0, model: model)
    }
    return values.map { value in value.reference.flatMap { known[permanent($0)] } ?? .null }
  }
}

extension RowBatch {
  /// Returns the number of references in the first column to each object. References with the same value in a second
  /// column count once.
  func referenceCounts(
    _ model: ManagedObjectModel, permanent: (ManagedObjectID) -> ManagedObjectID = { $0 }
  ) -> [ManagedObjectID: Int] {
    var counts: [ManagedObjectID: Int] = [:]
    var seen: Set<[ManagedObjectID?]> = []
    for row in 0..<count {
      let ends = columns.indices.map { value(row: row, column: $0, model: model).reference.map(permanent) }
      guard let id = ends.first ?? nil, ends.count < 2 || seen.insert(ends).inserted else { continue }
      counts[id, default: 0] += 1
    }
    return counts
  }
}

extension AttributeValue {
  /// The object that the value refers to; nil for another value.
  fileprivate var reference: ManagedObjectID? { if case .reference(let id) = self { id } else { nil } }
}
