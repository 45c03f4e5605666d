extension ManagedObjectContext {
  /// Adopts a child's changes as this context's unsaved changes.
  ///
  /// - Returns: The changes; new objects have temporary IDs.
  func absorb(_ changes: ChangeSet) throws(StoreError) -> CommitResult {
    queue.check()
    let pairs = changes.deletions.filter { model[$0.id.entity].isJoin }
    let touched = (changes.updates.map(\.id) + pairs.map(\.id)).compactMap { object(with: $0) }
    // A row that was gone may have been inserted again.
    let unread = touched.filter { ($0.isFault || $0.isGone) && !$0.state.contains(.inFlight) }
    for group in Dictionary(grouping: unread, by: \.id.entity).values { try read(group) }
    let missing = changes.updates.filter { update in
      guard let object = object(with: update.id) else { return true }
      return object.isGone || object.isDeleted
    }
    if !missing.isEmpty { throw .conflict(missing.map(deletionConflict)) }
    try readStaleObjects(of: changes.updates)
    var result = CommitResult()
    let known = try knownPairs(among: changes)
    for deletion in changes.deletions {
      guard let object = object(with: deletion.id) else { continue }
      delete(object)
      generations[Int(deletion.id.entity)] += 1
      result.changes.deleted.insert(object.id)
    }
    for insertion in changes.insertions {
      let values = insertion.values.map(translated)
      if let pair = known[insertion.id.entity]?[values], !pair.isDeleted {
        result.changes.permanentIDs[insertion.id] = pair.id
        continue
      }
      if model[insertion.id.entity].isJoin, values.contains(where: leadsToLostObject) {
        // The object at one end no longer exists.
        result.dropped.insert(insertion.id)
        continue
      }
      insertOfChild(insertion.id, values)
      generations[Int(insertion.id.entity)] += 1
      result.changes.inserted.insert(insertion.id)
    }
    for update in changes.updates {
      guard let object = object(with: update.id) else { continue }
      for index in update.edited { object.setValue(translated(update.values[index]), at: index) }
      result.changes.updated[object.id, default: []].formUnion(AttributeSet(indexes: update.edited))
    }
    batches += changes.batches
    // The child may have added relationships to an object that is deleted here.
    applyDeleteRulesAgain()
    notices.post(result.changes)
    return result
  }

  /// Inserts a child's new object. If a fault for its ID is registered, the fault becomes the new object.
  private func insertOfChild(_ id: ManagedObjectID, _ values: [AttributeValue]) {
    guard let fault = objects[id] else {
      _ = insert(model[id.entity].objectClass, id, values)
      return
    }
    fault.refresh(values: values, version: 0)
    fault.snapshot = nil
    fault.isInserted = true
    pending.insert(fault)
    didRefreshObject?(fault)
  }

  /// Reads objects again if a child saw other values for them.
  ///
  /// The child bypasses its parent's objects for rows that others have saved since. Its new value for an
  /// attribute may equal the value here, and is still an edit.
  private func readStaleObjects(of updates: [ChangeSet.Update]) throws(StoreError) {
    let stale = updates.compactMap { update -> ManagedObject? in
      guard let object = objects[permanentIDs[update.id]], !object.isInserted, !object.isFault,
        !object.state.contains(.inFlight)
      else { return nil }
      return update.edited.contains { object.values[$0] != translated(update.base[$0]) } ? object : nil
    }
    for group in Dictionary(grouping: stale, by: \.id.entity).values { try read(group) }
  }

  /// Returns this context's pairs for the objects that a child has paired, by entity and ends.
  private func knownPairs(
    among changes: ChangeSet
  ) throws(StoreError) -> [EntityIndex: [[AttributeValue]: ManagedObject]] {
    var pairs: [EntityIndex: [[AttributeValue]: ManagedObject]] = [:]
    let made = changes.insertions.filter { model[$0.id.entity].isJoin }
    for (join, insertions) in Dictionary(grouping: made, by: \.id.entity) {
      let rows = try rows(
        StoreQuery(
          entity: join,
          predicate: .all([0, 1].map { end in .among(end, insertions.map { translated($0.values[end]) }) })))
      for row in 0..<rows.count {
        pairs[join, default: [:]][values(of: rows, row: row)] = register(rows, row)
      }
    }
    return pairs
  }

  private func translated(_ value: AttributeValue) -> AttributeValue {
    value.mappingID { permanentIDs[$0] }
  }

  private func deletionConflict(_ update: ChangeSet.Update) -> MergeConflict {
    let entity = model[update.id.entity]
    let values = update.edited.map { (entity.attributes[$0].name, update.values[$0]) }
    return MergeConflict(
      object: update.id, entity: entity.name, kind: .deleted,
      objectValues: Dictionary(uniqueKeysWithValues: values), storeValues: [:])
  }
}

extension StorePredicate {
  /// Returns the predicate with other IDs.
  func mappingIDs(_ map: (ManagedObjectID) -> ManagedObjectID) -> StorePredicate {
    switch self {
    case .compare(let attribute, let comparison, let value):
      return .compare(attribute, comparison, value.mappingID(map))
    case .match: return self
    case .among(let attribute, let values): return .among(attribute, values.map { $0.mappingID(map) })
    case .ids(let ids): return .ids(ids.map(map))
    case .amongRows(let attribute, var query):
      query.predicate = query.predicate?.mappingIDs(map)
      return .amongRows(attribute, of: query)
    case .count(var query, let comparison, let number):
      query.predicate = query.predicate?.mappingIDs(map)
      return .count(of: query, comparison, number)
    case .all(let parts): return .all(parts.map { $0.mappingIDs(map) })
    case .any(let parts): return .any(parts.map { $0.mappingIDs(map) })
    case .not(let part): return .not(part.mappingIDs(map))
    }
  }
}
