extension StoreSort {
  /// The entity of the related objects with the attribute; nil if the rows have it.
  func destination(in entity: EntityIndex, _ model: ManagedObjectModel) -> EntityIndex? {
    through.flatMap { model.destination(of: $0, in: entity) }
  }
}

extension StoreQuery {
  /// True if related objects' values determine the order.
  var sortsThrough: Bool { sort.contains { $0.through != nil } }

  /// Returns the query for all rows in any order, with the columns that the order needs.
  func unsorted(_ model: ManagedObjectModel) -> StoreQuery {
    var query = self
    query.columns = columnsWithSort(model)
    (query.sort, query.offset, query.limit) = ([], 0, nil)
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

extension AttributeValue {
  /// The object that the value refers to; nil for another value.
  fileprivate var reference: ManagedObjectID? { if case .reference(let id) = self { id } else { nil } }
}
