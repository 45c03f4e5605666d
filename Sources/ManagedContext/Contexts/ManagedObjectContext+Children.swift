extension ManagedObjectContext {
  /// Answers a child: the rows as this context has them.
  func answer(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try rows(translated(query))
  }

  /// Counts for a child.
  func answerCount(_ query: StoreQuery) throws(StoreError) -> Int {
    try countRows(translated(query))
  }

  /// A child may know objects by the temporary IDs that they had.
  private func translated(_ query: StoreQuery) -> StoreQuery {
    guard !permanentIDs.isEmpty else { return query }
    var query = query
    query.predicate = query.predicate?.mappingIDs { permanentIDs[$0] }
    return query
  }

  /// Takes a child's changes as unsaved changes of this context.
  ///
  /// - Returns: What changed, under temporary IDs where objects are new.
  /// - Throws: ``StoreError/conflict(_:)`` when an object that the child changed is deleted here; nothing was taken.
  func absorb(_ changes: ChangeSet) throws(StoreError) -> CommitResult {
    queue.check()
    let missing = changes.updates.filter { update in
      guard let object = object(with: update.id) else { return true }
      if object.isFault { fulfillFault(object) }
      return object.isGone || object.isDeleted
    }
    if !missing.isEmpty { throw .conflict(missing.map(deletionConflict)) }
    var result = CommitResult()
    for insertion in changes.insertions {
      _ = insert(model[insertion.id.entity].objectClass, insertion.id, insertion.values.map(translated))
      generations[Int(insertion.id.entity)] += 1
      result.changes.inserted.insert(insertion.id)
    }
    for update in changes.updates {
      guard let object = object(with: update.id) else { continue }
      for index in update.edited { object.setValue(translated(update.values[index]), at: index) }
      result.changes.updated[object.id, default: []].formUnion(AttributeSet(indexes: update.edited))
    }
    for deletion in changes.deletions {
      guard let object = object(with: deletion.id) else { continue }
      delete(object)
      result.changes.deleted.insert(object.id)
    }
    batches += changes.batches
    notices.post(result.changes)
    return result
  }

  private func translated(_ value: AttributeValue) -> AttributeValue {
    if case .reference(let id) = value { .reference(permanentIDs[id]) } else { value }
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
  /// The same predicate with other IDs in it.
  func mappingIDs(_ map: (ManagedObjectID) -> ManagedObjectID) -> StorePredicate {
    func mapped(_ value: AttributeValue) -> AttributeValue {
      if case .reference(let id) = value { .reference(map(id)) } else { value }
    }
    switch self {
    case .compare(let attribute, let comparison, let value):
      return .compare(attribute, comparison, mapped(value))
    case .match: return self
    case .among(let attribute, let values): return .among(attribute, values.map(mapped))
    case .ids(let ids): return .ids(ids.map(map))
    case .amongRows(let attribute, var query):
      query.predicate = query.predicate?.mappingIDs(map)
      return .amongRows(attribute, of: query)
    case .all(let parts): return .all(parts.map { $0.mappingIDs(map) })
    case .any(let parts): return .any(parts.map { $0.mappingIDs(map) })
    case .not(let part): return .not(part.mappingIDs(map))
    }
  }
}
