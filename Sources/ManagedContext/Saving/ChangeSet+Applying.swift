extension ChangeSet {
  /// Writes the change set, step by step, in a transaction that is open already.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` with every conflict when the merge policy is ``MergePolicy/error``, and
  ///   whatever else keeps the store from writing; the transaction is to be rolled back then.
  public func apply(
    to transaction: inout some StoreTransaction, model: ManagedObjectModel
  ) throws(StoreError) -> CommitResult {
    var writing = ChangeSetWriting(changes: self, model: model, transaction: transaction)
    defer { transaction = writing.transaction }
    try writing.run()
    return writing.result
  }
}

/// One change set on its way into a store.
private struct ChangeSetWriting<Transaction: StoreTransaction> {
  let changes: ChangeSet
  let model: ManagedObjectModel
  var transaction: Transaction
  var result = CommitResult()
  private var conflicts: [MergeConflict] = []
  /// The conflicts for which another row was deleted, because the merge policy lets the object win.
  private var removed: [MergeConflict] = []

  init(changes: ChangeSet, model: ManagedObjectModel, transaction: Transaction) {
    self.changes = changes
    self.model = model
    self.transaction = transaction
  }

  mutating func run() throws(StoreError) {
    // Deletions come first: a new object may take the unique values of one that goes.
    for deletion in changes.deletions { try delete(deletion) }
    let order = InsertionOrder(changes.insertions, model)
    for step in order.steps { try insert(changes.insertions[step]) }
    for (insertion, attributes) in order.postponed { try link(changes.insertions[insertion], attributes) }
    for update in changes.updates { try self.update(update) }
    if !conflicts.isEmpty { throw .conflict(conflicts) }
    for batch in changes.batches {
      try transaction.apply(batch, model: model, noting: &result.changes)
    }
    if let broken = try transaction.brokenReference() {
      // What refers to a row that had to go was not asked: then it may not go.
      throw removed.isEmpty ? .validation(broken) : .conflict(removed)
    }
  }

  // MARK: Insertions

  private mutating func insert(_ insertion: ChangeSet.Insertion) throws(StoreError) {
    let entity = insertion.id.entity
    let values = resolved(insertion.values)
    if let key = try transaction.insert(entity, key: nil, values: values) {
      let id = ManagedObjectID(entity: entity, key: key)
      result.changes.permanentIDs[insertion.id] = id
      result.changes.inserted.insert(id)
      return
    }
    guard let taken = try owner(of: entity, values, besides: nil) else {
      throw .invalid("a new \(model[entity].name) has unique values that are taken")
    }
    // A pair that is joined already is what was wanted.
    switch model[entity].isJoin ? .storeTrumps : changes.mergePolicy {
    case .error:
      conflicts.append(
        try conflict(insertion.id, taken, values, Array(model[entity].attributes.indices)))
      // Whoever refers to this object goes on until all conflicts are known.
      result.changes.permanentIDs[insertion.id] = taken.id
    case .storeTrumps, .rollback:
      adopt(taken.id, for: insertion.id)
    case .objectTrumps:
      let set = values.indices.filter { values[$0] != model[entity].defaults[$0] }
      try overwrite(taken.id, with: values, attributes: set)
      adopt(taken.id, for: insertion.id)
    case .overwrite:
      try overwrite(taken.id, with: values, attributes: Array(values.indices))
      adopt(taken.id, for: insertion.id)
    }
  }

  /// The new object is a row that was there before.
  private mutating func adopt(_ row: ManagedObjectID, for temporary: ManagedObjectID) {
    result.changes.permanentIDs[temporary] = row
    result.differing.insert(row)
  }

  /// Sets references that had to wait until what they lead to was inserted.
  private mutating func link(
    _ insertion: ChangeSet.Insertion, _ attributes: [Int]
  ) throws(StoreError) {
    guard let id = result.changes.permanentIDs[insertion.id] else { return }
    let values = resolved(insertion.values)
    for attribute in attributes where values[attribute].isNull {
      throw .validation(
        ValidationError(
          entity: model[id.entity].name, attribute: model[id.entity].attributes[attribute].name,
          object: insertion.id, cause: .brokenRelationship))
    }
    try overwrite(id, with: values, attributes: attributes)
    result.differing.insert(id)
    result.changes.updated[id] = nil
  }

  // MARK: Updates

  private mutating func update(_ update: ChangeSet.Update) throws(StoreError) {
    let values = resolved(update.values)
    switch try write(update.id, values, update.edited, version: update.version) {
    case .written: result.changes.updated[update.id, default: []].formUnion(.init(indexes: update.edited))
    case .stale: try resolveStale(update, values)
    case .notUnique: try resolveTaken(update, values, edited: update.edited, version: update.version)
    }
  }

  private mutating func resolveStale(
    _ update: ChangeSet.Update, _ values: [AttributeValue]
  ) throws(StoreError) {
    result.differing.insert(update.id)
    guard let stored = try transaction.row(update.id)?.values else {
      switch changes.mergePolicy {
      case .error: conflicts.append(conflict(update.id, .deleted, values, update.edited, stored: nil))
      case .storeTrumps, .rollback: break
      case .objectTrumps, .overwrite: try insertAgain(update.id, values)
      }
      return
    }
    switch changes.mergePolicy {
    case .error: conflicts.append(conflict(update.id, .changed, values, update.edited, stored: stored))
    case .rollback: break
    case .storeTrumps:
      let free = update.edited.filter { stored[$0] == update.base[$0] }
      try writeMerged(update, values, free)
    case .objectTrumps: try writeMerged(update, values, update.edited)
    case .overwrite: try writeMerged(update, values, Array(values.indices))
    }
  }

  private mutating func writeMerged(
    _ update: ChangeSet.Update, _ values: [AttributeValue], _ attributes: [Int]
  ) throws(StoreError) {
    guard !attributes.isEmpty else { return }
    switch try write(update.id, values, attributes, version: nil) {
    case .written: result.changes.updated[update.id, default: []].formUnion(.init(indexes: attributes))
    case .stale: break
    case .notUnique: try resolveTaken(update, values, edited: attributes, version: nil)
    }
  }

  private mutating func resolveTaken(
    _ update: ChangeSet.Update, _ values: [AttributeValue], edited: [Int], version: Int64?
  ) throws(StoreError) {
    let entity = update.id.entity
    // The constraints are on the whole row, also on what was not edited.
    var whole = try transaction.row(update.id)?.values ?? values
    for index in edited { whole[index] = values[index] }
    guard let taken = try owner(of: entity, whole, besides: update.id) else {
      throw .invalid("\(model[entity].name) \(update.id) has unique values that are taken")
    }
    result.differing.insert(update.id)
    switch changes.mergePolicy {
    case .error: conflicts.append(try conflict(update.id, taken, values, edited))
    case .rollback: break
    case .storeTrumps:
      let free = edited.filter { !taken.constraint.contains($0) }
      try writeMerged(update, values, free)
    case .objectTrumps, .overwrite:
      try overwrite(update.id, with: values, attributes: edited)
    }
  }

  private mutating func insertAgain(_ id: ManagedObjectID, _ values: [AttributeValue]) throws(StoreError) {
    while try transaction.insert(id.entity, key: id.key, values: values) == nil {
      try removeOwner(of: id.entity, values, besides: id)
    }
    result.changes.inserted.insert(id)
  }

  /// Writes attributes whatever the row's version, and deletes the rows that have the same unique values.
  private mutating func overwrite(
    _ id: ManagedObjectID, with values: [AttributeValue], attributes: [Int]
  ) throws(StoreError) {
    guard !attributes.isEmpty else { return }
    while case .notUnique = try write(id, values, attributes, version: nil) {
      var whole = try transaction.row(id)?.values ?? values
      for index in attributes { whole[index] = values[index] }
      try removeOwner(of: id.entity, whole, besides: id)
    }
    result.changes.updated[id, default: []].formUnion(AttributeSet(indexes: attributes))
  }

  private mutating func removeOwner(
    of entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID
  ) throws(StoreError) {
    guard let taken = try owner(of: entity, values, besides: id) else {
      throw .invalid("\(model[entity].name) \(id) has unique values that are taken")
    }
    removed.append(try conflict(id, taken, values, taken.constraint))
    _ = try transaction.delete(taken.id, version: nil)
    result.changes.inserted.remove(taken.id)
    result.changes.updated[taken.id] = nil
    result.changes.deleted.insert(taken.id)
  }

  private mutating func write(
    _ id: ManagedObjectID, _ values: [AttributeValue], _ attributes: [Int], version: Int64?
  ) throws(StoreError) -> RowUpdate {
    try transaction.update(id, values: attributes.map { ($0, values[$0]) }, version: version)
  }

  // MARK: Deletions

  private mutating func delete(_ deletion: ChangeSet.Deletion) throws(StoreError) {
    let version = deletion.version == 0 ? nil : deletion.version
    if try transaction.delete(deletion.id, version: version) {
      result.changes.deleted.insert(deletion.id)
      return
    }
    // Gone already is what was wanted.
    guard let stored = try transaction.row(deletion.id)?.values else { return }
    switch changes.mergePolicy {
    case .error: conflicts.append(conflict(deletion.id, .changed, [], [], stored: stored))
    case .storeTrumps, .rollback: result.differing.insert(deletion.id)
    case .objectTrumps, .overwrite:
      if try transaction.delete(deletion.id, version: nil) { result.changes.deleted.insert(deletion.id) }
    }
  }

  // MARK: Conflicts

  private struct Taken {
    let id: ManagedObjectID
    let constraint: [Int]
  }

  /// The row that has the same values of a uniqueness constraint.
  private func owner(
    of entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID?
  ) throws(StoreError) -> Taken? {
    for constraint in model[entity].uniqueness {
      guard !constraint.contains(where: { values[$0].isNull }) else { continue }
      if let key = try transaction.key(of: entity, having: constraint.map { ($0, values[$0]) }),
        key != id?.key
      {
        return Taken(id: ManagedObjectID(entity: entity, key: key), constraint: constraint)
      }
    }
    return nil
  }

  private func conflict(
    _ id: ManagedObjectID, _ taken: Taken, _ values: [AttributeValue], _ attributes: [Int]
  ) throws(StoreError) -> MergeConflict {
    let names = taken.constraint.map { model[id.entity].attributes[$0].name }
    return conflict(
      id, .unique(attributes: names, other: taken.id), values, attributes,
      stored: try transaction.row(taken.id)?.values)
  }

  private func conflict(
    _ id: ManagedObjectID, _ kind: MergeConflict.Kind, _ values: [AttributeValue], _ attributes: [Int],
    stored: [AttributeValue]?
  ) -> MergeConflict {
    let entity = model[id.entity]
    let named = { (values: [AttributeValue], indexes: [Int]) in
      Dictionary(uniqueKeysWithValues: indexes.map { (entity.attributes[$0].name, values[$0]) })
    }
    let compared = attributes.isEmpty ? Array(entity.attributes.indices) : attributes
    return MergeConflict(
      object: id, entity: entity.name, kind: kind, objectValues: named(values, attributes),
      storeValues: stored.map { named($0, compared) } ?? [:])
  }

  /// The same values, with the permanent IDs of objects that were inserted before; null for one that was not.
  private func resolved(_ values: [AttributeValue]) -> [AttributeValue] {
    guard values.contains(where: \.isTemporaryReference) else { return values }
    return values.map { value in
      guard case .reference(let id) = value, id.isTemporary else { return value }
      return result.changes.permanentIDs[id].map(AttributeValue.reference) ?? .null
    }
  }
}

extension AttributeValue {
  /// Whether it leads to an object that was never saved.
  var isTemporaryReference: Bool {
    if case .reference(let id) = self { id.isTemporary } else { false }
  }
}
