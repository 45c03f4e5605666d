/// Handles references to rows that another context has deleted.
///
/// The store reports such a reference at the end, because checking each reference would cost every save one
/// query for each. A pair with a missing object is dropped. The merge policy decides about any other
/// reference.
extension ChangeSetWriting {
  mutating func settleReferences() throws(StoreError) {
    guard try transaction.brokenReference() != nil else { return }
    try dropPairsOfDeleted()
    for insertion in changes.insertions { try settleReferences(of: insertion) }
    for update in changes.updates { try settleReferences(of: update) }
    if !conflicts.isEmpty { throw error(conflicts) }
    if let broken = try transaction.brokenReference() {
      // Rows that refer to the removed row were not checked, so it must not be removed.
      throw removed.isEmpty ? .validation(broken) : error(removed)
    }
  }

  /// Deletes the remaining pairs with objects that this save deletes: pairs that another context added, and
  /// all pairs with objects that a batch deleted.
  private mutating func dropPairsOfDeleted() throws(StoreError) {
    for id in result.changes.deleted where !model[id.entity].isJoin {
      for relation in model.relations[Int(id.entity)] {
        guard case .join(let join, let here, _) = relation.storage else { continue }
        for key in try transaction.keys(of: join, where: .compare(here, .equal, .reference(id))) {
          let pair = ManagedObjectID(entity: join, store: transaction.store, key: key)
          if try transaction.delete(pair, version: nil) { result.changes.deleted.insert(pair) }
        }
      }
    }
  }

  private mutating func settleReferences(of insertion: ChangeSet.Insertion) throws(StoreError) {
    let entity = insertion.id.entity
    let values = resolved(insertion.values)
    guard let id = result.changes.permanentIDs[insertion.id], result.changes.inserted.contains(id) else {
      return
    }
    let broken = try brokenReferences(entity, values, model.references[Int(entity)])
    guard !broken.isEmpty else { return }
    if model[entity].isJoin {
      _ = try transaction.delete(id, version: nil)
      result.changes.permanentIDs[insertion.id] = nil
      result.changes.inserted.remove(id)
      result.dropped.insert(insertion.id)
    } else {
      try empty(broken, of: id, reportedAs: insertion.id, values)
    }
  }

  private mutating func settleReferences(of update: ChangeSet.Update) throws(StoreError) {
    let isInsertedAgain = result.changes.inserted.contains(update.id)
    guard isInsertedAgain || result.changes.updated[update.id] != nil else { return }
    let values = resolved(update.values)
    let references = model.references[Int(update.id.entity)].filter {
      isInsertedAgain || changes.mergePolicy == .overwrite || update.edited.contains($0)
    }
    let broken = try brokenReferences(update.id.entity, values, references)
    guard !broken.isEmpty else { return }
    result.differing.insert(update.id)
    switch changes.mergePolicy {
    case .storeTrumps, .rollback:
      let undone = changes.mergePolicy == .rollback ? update.edited : broken
      try overwrite(update.id, with: resolved(update.base), attributes: undone)
      // The attribute's previous target may be deleted in the same save.
      let still = try brokenReferences(update.id.entity, resolved(update.base), broken)
      try empty(still, of: update.id, reportedAs: update.id, values)
    case .error, .objectTrumps, .overwrite: try empty(broken, of: update.id, reportedAs: update.id, values)
    }
  }

  /// Sets attributes to null if the merge policy allows it.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a required attribute.
  private mutating func empty(
    _ attributes: [Int], of id: ManagedObjectID, reportedAs reported: ManagedObjectID,
    _ values: [AttributeValue]
  ) throws(StoreError) {
    let entity = model[id.entity]
    for attribute in attributes {
      let name = entity.attributes[attribute].name
      guard entity.attributes[attribute].isOptional else {
        throw .validation(
          ValidationError(entity: entity.name, attribute: name, object: reported, cause: .brokenRelationship))
      }
      guard changes.mergePolicy == .error, case .reference(let other) = values[attribute] else { continue }
      conflicts.append(
        conflict(reported, .reference(attribute: name, other: other), values, [attribute], stored: nil))
    }
    guard conflicts.isEmpty, !attributes.isEmpty else { return }
    let nothing = values.map { _ in AttributeValue.null }
    let isNew = result.changes.inserted.contains(id)
    try overwrite(id, with: nothing, attributes: attributes)
    if isNew { result.changes.updated[id] = nil }
    result.differing.insert(id)
  }

  /// Returns the attributes that lead to a missing row.
  private func brokenReferences(
    _ entity: EntityIndex, _ values: [AttributeValue], _ attributes: [Int]
  ) throws(StoreError) -> [Int] {
    var broken: [Int] = []
    for attribute in attributes {
      guard case .reference(let id) = values[attribute], try transaction.row(id) == nil else { continue }
      broken.append(attribute)
    }
    return broken
  }
}
