extension ManagedObjectContext {
  /// Returns the objects that match a request, with this context's unsaved changes.
  ///
  /// With a batch size, the objects are faults that are read a page at a time.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StoreError) -> [Object] {
    var query = try request.query(model: model)
    if request.batchSize > 0 { query.columns = [] }
    let rows = try rows(query)
    var found: [Object] = []
    found.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard let object = register(rows, row) as? Object else { continue }
      found.append(object)
    }
    if request.batchSize > 0 {
      let batch = FaultBatch(ids: found.map(\.id), size: request.batchSize)
      for object in found where object.isFault { object.batch = batch }
    }
    for path in request.prefetched { try prefetch(path, of: found) }
    return found
  }

  /// Returns the IDs of the objects that match a request, with this context's unsaved changes.
  public func fetchIDs<Object: ManagedObject>(
    _ request: FetchRequest<Object>
  ) throws(StoreError) -> [ManagedObjectID] {
    try rows(try request.query(model: model, columns: [])).ids
  }

  /// Counts the objects that match a request, with this context's unsaved changes.
  public func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StoreError) -> Int {
    try countRows(try request.query(model: model))
  }

  /// Counts a query's rows as this context sees them.
  func countRows(_ query: StoreQuery) throws(StoreError) -> Int {
    queue.check()
    try applyDeleteRules()
    finishEndedSaves()
    guard hasUnsaved(query) else { return try parent.count(translated(query)) }
    var query = query
    query.columns = []
    return try rows(query).count
  }

  /// Returns some attributes from the objects that match a request, without creating objects.
  ///
  /// The array contains values for one key path, and tuples for several.
  public func fetchValues<Object: ManagedObject, each Value: AttributeConvertible>(
    _ request: FetchRequest<Object>, _ paths: repeat any KeyPath<Object, each Value> & Sendable
  ) throws(StoreError) -> [(repeat each Value)] {
    var columns: [Int] = []
    for path in repeat each paths { columns.append(try model.attribute(at: path).index) }
    let rows = try rows(try request.query(model: model, columns: columns))
    var found: [(repeat each Value)] = []
    found.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      var column = 0
      func next<Wanted: AttributeConvertible>(_ type: Wanted.Type) -> Wanted {
        defer { column += 1 }
        return Wanted(attributeValue: rows.value(row: row, column: column, model: model))
          ?? Wanted.placeholder
      }
      found.append((repeat next((each Value).self)))
    }
    return found
  }

  /// Returns some attributes (by index) from the objects that match a request, in the store's format. This is
  /// the fastest way to read many values.
  public func rows<Object: ManagedObject>(
    _ request: FetchRequest<Object>, columns: [Int]
  ) throws(StoreError) -> RowBatch {
    try rows(try request.query(model: model, columns: columns))
  }

  /// Returns the object for a row that this context or another one read earlier, without a query.
  ///
  /// The row must have all the entity's attributes. It may be older than the store; under
  /// ``MergePolicy/error``, a save then fails with ``StoreError/conflict(_:)``.
  ///
  /// - Returns: The context's object for the row, with its own values, or a new object with the row's values.
  ///   Nil if the row belongs to another class.
  public func object<Object: ManagedObject>(_ type: Object.Type, of rows: RowBatch, row: Int) -> Object? {
    queue.check()
    // The row may be older than the registered object.
    if let known = objects[rows.id(row: row)], !known.isFault { return known as? Object }
    return register(rows, row) as? Object
  }
}
