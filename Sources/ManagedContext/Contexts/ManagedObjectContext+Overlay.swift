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
    return hasUnsaved(query.entity) || query.predicate?.asks(for: hasUnsaved) == true
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
    var base = query.forMerging(model)
    // A store knows no object that was never saved; a context may.
    let known = unsaved.map(\.id).filter { !$0.isTemporary || parent is any ContextOwner }
    base.predicate = .all([.not(.ids(known))] + [query.predicate].compactMap { $0 })
    let stored = try parentRows(base)

    let holds = try query.predicate?.replacingQueries(model) { (inner) throws(StoreError) in
      try rows(inner.orIDs)
    }.evaluation()
    let mine = unsaved.filter { object in
      !object.isDeleted && !object.isGone && holds?((object.id, object.values)) ?? true
    }.sorted { query.precedes(($0.id, $0.values), ($1.id, $1.values)) }
    var changed = RowBatch(entity: query.entity, columns: base.columns ?? [])
    for object in mine {
      changed.beginRow(object.id, version: object.version)
      for column in changed.columns { changed.append(object.values[column]) }
    }
    return RowBatch.merging([stored, changed], for: query, model: model)
  }

  /// The objects whose row in the parent is not what this context has, or is not known to be.
  ///
  /// - Parameter named: The only ones that matter; nil for all.
  private func unsavedObjects(of entity: EntityIndex, among named: [ManagedObjectID]?) -> [ManagedObject] {
    var found = pending[entity]
    if let named {
      let wanted = Set(named)
      found = wanted.reduce(into: [:]) { $0[$1] = found[$1] }
    }
    for save in inFlight.values {
      for object in save.objects where object.id.entity == entity { found[object.id] = object }
    }
    return Array(found.values)
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
