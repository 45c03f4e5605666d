/// References to rows that another context has deleted.
///
/// They are found at the end, when the store says that there is one: looking at each would cost every save a question
/// for each reference. A pair of which one object is gone is dropped. What else leads to a row that is gone, the merge
/// policy decides.
extension ChangeSetWriting {
  mutating func settleReferences() throws(StoreError) {
    guard try transaction.brokenReference() != nil else { return }
    try dropPairsOfDeleted()
    for insertion in changes.insertions { try settleReferences(of: insertion) }
    for update in changes.updates { try settleReferences(of: update) }
    if !conflicts.isEmpty { throw error(conflicts) }
    if let broken = try transaction.brokenReference() {
      // What refers to a row that had to go was not asked: then it may not go.
      throw removed.isEmpty ? .validation(broken) : error(removed)
    }
  }

  /// Pairs with an object that this save deletes go with it: those that another context has made, and all of one that
  /// a batch deletes.
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
      // What the attribute led to before may go in the same save.
      let still = try brokenReferences(update.id.entity, resolved(update.base), broken)
      try empty(still, of: update.id, reportedAs: update.id, values)
    case .error, .objectTrumps, .overwrite: try empty(broken, of: update.id, reportedAs: update.id, values)
    }
  }

  /// Makes attributes lead nowhere, where the merge policy lets them.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a required one: no policy can make it lead elsewhere.
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

  /// The attributes, of some, that lead to a row that is not there.
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
