extension ManagedObjectContext {
  /// The rows of a query as this context sees them: the parent's, with the unsaved changes laid over them.
  ///
  /// - Parameter isRuled: Whether delete rules are being applied just now.
  func rows(_ query: StoreQuery, isRuled: Bool = false) throws(StoreError) -> RowBatch {
    queue.check()
    if !isRuled { try applyDeleteRules() }
    finishEndedSaves()
    guard hasUnsaved(query) else { return try parentRows(query) }
    while true {
      settleSaves()
      let rows = try overlaidRows(translated(query))
      // A save that was written meanwhile is in the rows already, or only half: look again.
      if !inFlight.values.contains(where: { $0.ticket.isBeingWritten || $0.ticket.outcome != nil }) {
        return rows
      }
    }
  }

  /// Whether unsaved changes may matter to a query.
  func hasUnsaved(_ query: StoreQuery) -> Bool {
    guard !pending.isEmpty || !inFlight.isEmpty else { return false }
    if let hasPairs = hasUnsavedPairs(query) { return hasPairs }
    return hasUnsaved(query.entity) || query.predicate?.asks(for: hasUnsaved) == true
  }

  /// Whether unsaved pairs may be among those of one object that a query asks for; nil for another question.
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
      hasUnsaved(inner) ? try rows(inner.orIDs) : nil
    }
    guard hasUnsaved(query.entity) else { return try parentRows(query) }
    let unsaved = unsavedObjects(of: query.entity, among: query.predicate?.namedIDs)
    let stored = try parentRows(query.forMerging(model), except: unsaved)

    let holds = try query.predicate?.replacingQueries(model) { (inner) throws(StoreError) in
      try rows(inner.orIDs)
    }.evaluation()
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

  /// The parent's rows but those of some objects, which are asked for too: naming all of them would make each question
  /// of a context with many unsaved changes a long one.
  private func parentRows(
    _ query: StoreQuery, except objects: [ManagedObjectID: ManagedObject]
  ) throws(StoreError) -> RowBatch {
    var query = query
    while true {
      let rows = try parentRows(query)
      let wanted = (0..<rows.count).filter { objects[rows.id(row: $0)] == nil }
      if wanted.count == rows.count { return rows }
      if let limit = query.limit, rows.count == limit {
        // Others come in the place of those that were left out.
        query.limit = 2 * limit
        continue
      }
      var left = RowBatch(entity: query.entity, columns: rows.columns)
      for row in wanted { left.appendRow(of: rows, row: row, columns: Array(rows.columns.indices)) }
      return left
    }
  }

  /// The objects whose row in the parent is not what this context has, or is not known to be.
  ///
  /// - Parameter named: The only ones that matter; nil for all.
  private func unsavedObjects(
    of entity: EntityIndex, among named: [ManagedObjectID]?
  ) -> [ManagedObjectID: ManagedObject] {
    var found = pending[entity]
    if let named {
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
  /// The same question for IDs where it names no columns, as a query inside a predicate means it.
  fileprivate var orIDs: StoreQuery {
    var query = self
    query.columns = columns ?? []
    return query
  }
}
