extension ManagedObjectContext {
  /// Returns a query's rows as this context sees them: the parent's rows with the unsaved changes applied.
  ///
  /// - Parameter isRuled: True while delete rules are applied.
  func rows(_ query: StoreQuery, isRuled: Bool = false) throws(StoreError) -> RowBatch {
    queue.check()
    if !isRuled { try applyDeleteRules() }
    finishEndedSaves()
    guard hasUnsaved(query) else { return try parentRows(query) }
    var query = query
    query.isKeyless = false
    if query.dependsOnOthers {
      // An unsaved edit of one object can move many others.
      let unsorted = try rows(query.unsorted(model), isRuled: isRuled)
      return try RowBatch.sorting(
        [unsorted], for: query, model: model, permanent: { permanentIDs[$0] }
      ) { (inner) throws(StoreError) in try rows(inner.asked(model), isRuled: isRuled) }
    }
    while true {
      settleSaves()
      let rows = try overlaidRows(translated(query))
      // The rows may contain a save that was written during the read, perhaps partly, so the query is
      // repeated.
      if !inFlight.values.contains(where: { $0.ticket.isBeingWritten || $0.ticket.outcome != nil }) {
        return rows
      }
    }
  }

  /// Reads a query's rows as ``rows(_:isRuled:)`` does, in parts of a size if the parent's rows are this context's.
  ///
  /// - Parameter visit: Called with each part. It must not use the store.
  func forEachPart(
    of query: StoreQuery, size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    queue.check()
    try applyDeleteRules()
    finishEndedSaves()
    guard parentIDs == nil, !hasUnsaved(query) else { return visit(try rows(query)) }
    try parent.fetch(translated(query), inPartsOf: size, visit)
  }

  /// Returns whether unsaved changes may affect a query.
  func hasUnsaved(_ query: StoreQuery) -> Bool {
    guard !pending.isEmpty || !inFlight.isEmpty else { return false }
    if let hasPairs = hasUnsavedPairs(query) { return hasPairs }
    return hasUnsaved(query.entity) || query.predicate?.asks(for: hasUnsaved) == true
      || query.sort.contains { $0.asks(for: hasUnsaved, in: query.entity, model) }
  }

  /// Returns whether unsaved pairs may affect a query for one object's pairs; nil for any other query.
  private func hasUnsavedPairs(_ query: StoreQuery) -> Bool? {
    guard inFlight.isEmpty, model[query.entity].isJoin,
      case .compare(_, .equal, .reference(let end))? = query.predicate
    else { return nil }
    return pending.isEndOfPair(permanentIDs[end])
  }

  private func hasUnsaved(_ entity: EntityIndex) -> Bool {
    pending.hasAny(of: entity) || inFlight.values.contains { $0.entities.contains(entity) }
  }

  private func overlaidRows(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    var query = query
    query.predicate = try query.predicate?.replacingQueries(model) { (inner) throws(StoreError) in
      hasUnsaved(inner) ? try rows(inner.asked(model)) : nil
    }
    guard hasUnsaved(query.entity) else { return try parentRows(query) }
    let inMemory = try query.predicate?.replacingQueries(model) { (inner) throws(StoreError) in
      try rows(inner.asked(model))
    }
    let (stored, unsaved) = try parentRowsWithoutUnsaved(query.forMerging(model))
    // The answers may have brought permanent IDs for objects that the query names.
    query = translated(query)
    let holds = inMemory?.mappingIDs { permanentIDs[$0] }.evaluation()
    let mine = unsaved.values.filter { object in
      !object.isDeleted && !object.isGone && holds?((object.id, object.values)) ?? true
    }.sorted { query.precedes(($0.id, $0.values), ($1.id, $1.values)) }
    var changed = RowBatch(entity: query.entity, columns: stored.columns)
    for object in mine {
      changed.beginRow(object.id, version: object.version)
      for column in changed.columns { changed.append(object.values[column]) }
    }
    return RowBatch.merging([stored, changed], for: query, model: model)
  }

  /// Returns the parent's rows except the rows for unsaved objects.
  ///
  /// The query includes these rows and they are removed afterwards. Excluding each by ID would make every
  /// query long in a context with many unsaved changes.
  ///
  /// - Returns: The rows, and the unsaved objects, by their IDs after the read.
  private func parentRowsWithoutUnsaved(
    _ query: StoreQuery
  ) throws(StoreError) -> (rows: RowBatch, unsaved: [ManagedObjectID: ManagedObject]) {
    var query = query
    while true {
      let rows = try parentRows(query)
      let unsaved = unsavedObjects(translated(query))
      let wanted = (0..<rows.count).filter { unsaved[rows.id(row: $0)] == nil }
      if wanted.count == rows.count { return (rows, unsaved) }
      if let limit = query.limit, rows.count == limit {
        // Other rows replace the removed ones.
        query.limit = 2 * limit
        continue
      }
      var left = RowBatch(entity: query.entity, columns: rows.columns)
      for row in wanted { left.appendRow(of: rows, row: row, columns: Array(rows.columns.indices)) }
      return (left, unsaved)
    }
  }

  /// Returns the objects with a row in the parent that differs, or may differ, from this context, among those
  /// that a query may name.
  private func unsavedObjects(_ query: StoreQuery) -> [ManagedObjectID: ManagedObject] {
    let entity = query.entity
    var found = pending[entity]
    if let named = query.predicate?.namedIDs {
      let wanted = Set(named)
      found = wanted.reduce(into: [:]) { $0[$1] = found[$1] }
    }
    for save in inFlight.values {
      for object in save.objects where object.id.entity == entity { found[object.id] = object }
    }
    return found
  }
}

extension StoreQuery {
  /// Returns the query that has the rows of this query inside a predicate: for IDs, if it names no columns.
  fileprivate func asked(_ model: ManagedObjectModel) -> StoreQuery {
    var query = self
    query.columns = columns ?? []
    // An unsaved pair may lead to an object that was deleted elsewhere.
    if model[entity].isJoin, case .compare(let there, .notEqual, .null)? = predicate,
      let destination = model.destination(of: there, in: entity)
    {
      query.predicate = .amongRows(there, of: StoreQuery(entity: destination))
    }
    return query
  }
}
