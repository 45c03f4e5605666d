extension ManagedObjectContext {
  /// Returns the objects that match a request, with this context's unsaved changes.
  ///
  /// With a batch size, the objects are faults that are read a page at a time.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StoreError) -> [Object] {
    var query = try request.query(model: model)
    if request.batchSize > 0 { query.columns = [] }
    var parts: [RowBatch] = []
    try forEachPart(of: query, size: RowPage.size) { parts.append($0) }
    let count = parts.reduce(0) { $0 + $1.count }
    var found: [Object] = []
    found.reserveCapacity(count)
    releaseUnusedObjects(before: count)
    for rows in parts {
      var pages = RowPages(rows, model)
      for row in 0..<rows.count {
        guard let object = register(rows, row, &pages) as? Object else { continue }
        found.append(object)
      }
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

  /// Returns an attribute from the objects that match a request, without creating objects.
  @inlinable
  public func fetchValues<Object: ManagedObject, Value: AttributeConvertible>(
    _ request: FetchRequest<Object>, _ path: any KeyPath<Object, Value> & Sendable
  ) throws(StoreError) -> [Value] {
    try values(request, [place(at: path)]) { $0.next() }
  }

  /// Returns two attributes from the objects that match a request, without creating objects.
  @inlinable
  public func fetchValues<Object: ManagedObject, First: AttributeConvertible, Second: AttributeConvertible>(
    _ request: FetchRequest<Object>, _ first: any KeyPath<Object, First> & Sendable,
    _ second: any KeyPath<Object, Second> & Sendable
  ) throws(StoreError) -> [(First, Second)] {
    try values(request, [place(at: first), place(at: second)]) { ($0.next(), $0.next()) }
  }

  // Swift makes no copies of functions with parameter packs for the types of their callers: the function below
  // takes a third longer than those above.

  /// Returns some attributes as tuples from the objects that match a request, without creating objects.
  public func fetchValues<
    Object: ManagedObject, First: AttributeConvertible, Second: AttributeConvertible,
    each Value: AttributeConvertible
  >(
    _ request: FetchRequest<Object>, _ first: any KeyPath<Object, First> & Sendable,
    _ second: any KeyPath<Object, Second> & Sendable,
    _ paths: repeat any KeyPath<Object, each Value> & Sendable
  ) throws(StoreError) -> [(First, Second, repeat each Value)] {
    var places = [try place(at: first), try place(at: second)]
    for path in repeat each paths { places.append(try place(at: path)) }
    return try values(request, places) { row in
      func next<Wanted: AttributeConvertible>(_ type: Wanted.Type) -> Wanted { row.next() }
      return (row.next(), row.next(), repeat next((each Value).self))
    }
  }

  /// Returns values from the rows that match a request.
  @inlinable
  func values<Object: ManagedObject, Value>(
    _ request: FetchRequest<Object>, _ places: [AttributePlace], _ make: (inout RowValues) -> Value
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    try forEachPart(of: request, places) { cursor in
      let rows = cursor.rows
      for row in 0..<rows.count {
        (cursor.row, cursor.column) = (row, 0)
        values.append(make(&cursor))
      }
    }
    return values
  }

  /// Returns the attribute at a key path, which may lead through a to-one relationship.
  @usableFromInline
  func place<Object: ManagedObject, Value: AttributeConvertible>(
    at path: any KeyPath<Object, Value> & Sendable
  ) throws(StoreError) -> AttributePlace {
    try model.place(at: PropertyPath(path))
  }

  /// Reads attributes of the objects that match a request in parts of some rows.
  @usableFromInline
  func forEachPart<Object: ManagedObject>(
    of request: FetchRequest<Object>, _ places: [AttributePlace], _ visit: (inout RowValues) -> Void
  ) throws(StoreError) {
    var query = try request.query(model: model, columns: places.map { $0.through ?? $0.attribute })
    query.isKeyless = true
    guard places.contains(where: { $0.through != nil }) else {
      // The parts remain in the processor's cache.
      return try forEachPart(of: query, size: 1000) { [model] rows in
        var values = RowValues(rows, model)
        visit(&values)
      }
    }
    let rows = try rows(query)
    let values = try places.enumerated().map { (column, place) throws(StoreError) -> [AttributeValue] in
      guard place.through != nil else {
        return (0..<rows.count).map { rows.value(row: $0, column: column, model: model) }
      }
      let path = StoreSort(attribute: place.attribute, through: place.through, isAscending: true)
      return try rows.values(of: path, model, permanent: { permanentIDs[$0] }) { (query) throws(StoreError) in
        try self.rows(query)
      } ?? []
    }
    var found = RowValues(rows, values)
    visit(&found)
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

/// The values of a row, one after the other.
@usableFromInline
struct RowValues {
  @usableFromInline let rows: RowBatch
  @usableFromInline let destinations: [EntityIndex?]
  /// The values of each column, if some are related objects' values; otherwise nil, and the rows have them.
  @usableFromInline let related: [[AttributeValue]]?
  @usableFromInline var row = 0
  @usableFromInline var column = 0

  @usableFromInline
  init(_ rows: RowBatch, _ model: ManagedObjectModel) {
    self.rows = rows
    destinations = rows.destinations(model)
    related = nil
  }

  init(_ rows: RowBatch, _ related: [[AttributeValue]]) {
    (self.rows, self.related) = (rows, related)
    destinations = []
  }

  @inlinable
  mutating func next<Value: AttributeConvertible>() -> Value {
    defer { column += 1 }
    let value =
      related?[column][row] ?? rows.value(row: row, column: column, destination: destinations[column])
    return Value(attributeValue: value) ?? .placeholder
  }
}
