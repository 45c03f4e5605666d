/// Handles unique values that another row already has.
///
/// Only values that still clash after the whole save are a conflict. A step waits if its values belong to a
/// row that this save will change. If rows wait for each other in a circle, as in a swap, a row is removed
/// from the table until its turn comes. The merge policy decides about the remaining clashes.
extension ChangeSetWriting {
  /// Executes a step, and the steps that waited for it.
  mutating func make(_ step: WritingStep) throws(StoreError) {
    try attempt(step)
    while let next = waiting.takeReleased() { try attempt(next) }
  }

  /// Executes the waiting steps. The merge policy resolves clashes, and removing one row breaks a circle.
  mutating func makeWaitingSteps() throws(StoreError) {
    while true {
      if let step = waiting.takeReleased() {
        try attempt(step)
      } else if let step = waiting.takeClashing() {
        try attempt(step, isLast: true)
      } else if let row = waiting.rowInCircle {
        waiting.takenOut[row] = try transaction.row(row)
        _ = try transaction.delete(row, version: nil)
        waiting.release(row)
      } else {
        return
      }
    }
  }

  /// Executes a step, or makes it wait.
  ///
  /// - Parameter isLast: True to resolve a clash now, even with a row that keeps its values.
  mutating func attempt(_ step: WritingStep, isLast: Bool = false) throws(StoreError) {
    switch step {
    case .insertion(let insertion, let leftOut):
      let entity = insertion.id.entity
      let references =
        leftOut.isEmpty
        ? model.references[Int(entity)] : model.references[Int(entity)].filter { !leftOut.contains($0) }
      if let missing = waiting.insertion(in: insertion.values, references) {
        waiting.add(step, for: missing)
        return
      }
      let values = resolved(insertion.values)
      if let key = try transaction.insert(entity, key: nil, values: values, version: 1) {
        noteInserted(insertion.id, as: ManagedObjectID(entity: entity, store: transaction.store, key: key))
        return
      }
      guard let taken = try keptOwner(entity, values, besides: nil, of: step, isLast: isLast) else { return }
      try resolveTaken(insertion, values, taken)
    case .update(let update, let attributes, let version):
      if let missing = waiting.insertion(in: update.values, attributes) {
        waiting.add(step, for: missing)
        return
      }
      let values = resolved(update.values)
      if let row = waiting.takenOut[update.id] {
        try putBack(update.id, row.values, row.version, values, attributes)
        return
      }
      switch try write(update.id, values, attributes, version: version) {
      case .written: noteUpdated(update.id, attributes)
      case .stale where version == nil: waiting.release(update.id)
      case .stale: try resolveStale(update, values)
      case .notUnique:
        // The constraints apply to the whole row, including attributes that were not edited.
        let whole = try wholeRow(update.id, values, attributes)
        guard let taken = try keptOwner(update.id.entity, whole, besides: update.id, of: step, isLast: isLast)
        else { return }
        try resolveTaken(update, values, attributes, taken)
      }
    }
  }

  /// Returns the row that keeps a step's unique values, if the clash is to be resolved now. Otherwise the
  /// step waits.
  private mutating func keptOwner(
    _ entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID?, of step: WritingStep,
    isLast: Bool
  ) throws(StoreError) -> UniqueOwner? {
    if !waiting.hasBegun { waiting.begin(unwritten: unwritten) }
    let owners = try transaction.owners(of: entity, values, besides: id, model)
    guard let first = owners.first else {
      throw .invalid("\(model[entity].name) has unique values of another row")
    }
    if let kept = owners.first(where: { !waiting.isToBeUpdated($0.id, $0.constraint) }) {
      if isLast { return kept }
      waiting.addClashing(step)
    } else {
      waiting.add(step, for: first.id)
    }
    return nil
  }

  // MARK: Merge policy

  private mutating func resolveTaken(
    _ insertion: ChangeSet.Insertion, _ values: [AttributeValue], _ taken: UniqueOwner
  ) throws(StoreError) {
    let entity = insertion.id.entity
    // An existing pair already has the intended effect.
    switch model[entity].isJoin ? .storeTrumps : changes.mergePolicy {
    case .error:
      conflicts.append(
        try conflict(insertion.id, taken, values, Array(model[entity].attributes.indices)))
      // Steps that refer to this object continue, so that all conflicts become known.
      adopt(taken.id, for: insertion.id)
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

  private mutating func resolveTaken(
    _ update: ChangeSet.Update, _ values: [AttributeValue], _ attributes: [Int], _ taken: UniqueOwner
  ) throws(StoreError) {
    result.differing.insert(update.id)
    switch changes.mergePolicy {
    case .error:
      conflicts.append(try conflict(update.id, taken, values, attributes))
      waiting.release(update.id)
    case .rollback: waiting.release(update.id)
    case .storeTrumps:
      let free = attributes.filter { !taken.constraint.contains($0) }
      if free.isEmpty {
        waiting.release(update.id)
      } else {
        try attempt(.update(update, attributes: free, version: nil), isLast: true)
      }
    case .objectTrumps, .overwrite:
      try overwrite(update.id, with: values, attributes: attributes)
      waiting.release(update.id)
    }
  }

  /// Returns a removed row to its table, with the values that the save writes to it.
  private mutating func putBack(
    _ id: ManagedObjectID, _ stored: [AttributeValue], _ version: Int64, _ values: [AttributeValue],
    _ attributes: [Int]
  ) throws(StoreError) {
    var whole = stored
    for index in attributes { whole[index] = values[index] }
    waiting.takenOut[id] = nil
    while try transaction.insert(id.entity, key: id.key, values: whole, version: version &+ 1) == nil {
      guard changes.mergePolicy == .objectTrumps || changes.mergePolicy == .overwrite else {
        // Another row may have the earlier values by now, so they cannot be restored.
        let taken = try transaction.owners(of: id.entity, whole, besides: id, model)
        throw error(
          try taken.map { (taken) throws(StoreError) in try conflict(id, taken, whole, attributes) })
      }
      try removeOwner(of: id.entity, whole, besides: id)
    }
    noteUpdated(id, attributes)
  }

  /// Deletes the row that has the same unique values.
  mutating func removeOwner(
    of entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID
  ) throws(StoreError) {
    guard let taken = try transaction.owners(of: entity, values, besides: id, model).first else {
      throw .invalid("\(model[entity].name) \(id) has unique values of another row")
    }
    removed.append(try conflict(id, taken, values, taken.constraint))
    _ = try transaction.delete(taken.id, version: nil)
    result.changes.inserted.remove(taken.id)
    result.changes.updated[taken.id] = nil
    result.changes.deleted.insert(taken.id)
    waiting.release(taken.id)
  }

  /// Returns a row's values with some of them replaced.
  private func wholeRow(
    _ id: ManagedObjectID, _ values: [AttributeValue], _ attributes: [Int]
  ) throws(StoreError) -> [AttributeValue] {
    var whole = try transaction.row(id)?.values ?? values
    for index in attributes { whole[index] = values[index] }
    return whole
  }

  private func conflict(
    _ id: ManagedObjectID, _ taken: UniqueOwner, _ values: [AttributeValue], _ attributes: [Int]
  ) throws(StoreError) -> MergeConflict {
    let names = taken.constraint.map { model[id.entity].attributes[$0].name }
    return conflict(
      id, .unique(attributes: names, other: taken.id), values, attributes,
      stored: try transaction.row(taken.id)?.values)
  }
}
