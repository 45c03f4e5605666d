/// Unique values that are taken.
///
/// Only values that clash once the whole save is done are a conflict. A step whose values another row of the save is
/// about to give up waits for that row. Rows that wait for each other in a circle, as in a swap, are untied by taking one
/// of them out of the table until its turn comes. What still clashes then is decided by the merge policy.
extension ChangeSetWriting {
  /// The steps that could not be made yet.
  struct WaitingSteps {
    /// By what they wait for: a row that is to give up its values, or a new object that is to be inserted (under its
    /// temporary ID).
    private var byObject: [ManagedObjectID: [Step]] = [:]
    /// Steps whose reason to wait has gone; the next one comes last.
    private var released: [Step] = []
    /// Steps whose values a row has that keeps them, and how many of them were taken.
    private var clashing: (steps: [Step], taken: Int) = ([], 0)
    /// New objects that are not inserted yet, because they wait.
    private var insertions: Set<ManagedObjectID> = []
    /// The rows that the save has still to update, with the attributes; nil before the first clash.
    private var unwritten: [ManagedObjectID: [Int]]?
    /// Rows that were taken out of their table until their step comes, as they were.
    var takenOut: [ManagedObjectID: (values: [AttributeValue], version: Int64)] = [:]

    /// Whether a step has clashed so far.
    var hasBegun: Bool { unwritten != nil }

    mutating func begin(unwritten updates: [ChangeSet.Update]) {
      unwritten = Dictionary(updates.map { ($0.id, $0.edited) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the save is still to write other values of some of these attributes to a row.
    func isToBeUpdated(_ row: ManagedObjectID, _ attributes: [Int]) -> Bool {
      unwritten?[row]?.contains(where: attributes.contains) ?? false
    }

    /// A new object that some values lead to, and which waits to be inserted; nil for none.
    func insertion(in values: [AttributeValue], _ attributes: [Int]) -> ManagedObjectID? {
      guard !insertions.isEmpty else { return nil }
      for attribute in attributes {
        if case .reference(let id) = values[attribute], insertions.contains(id) { return id }
      }
      return nil
    }

    mutating func add(_ step: Step, for object: ManagedObjectID) {
      byObject[object, default: []].append(step)
      noteInsertion(step)
    }

    mutating func addClashing(_ step: Step) {
      clashing.steps.append(step)
      noteInsertion(step)
    }

    private mutating func noteInsertion(_ step: Step) {
      if case .insertion(let insertion, _) = step { insertions.insert(insertion.id) }
    }

    /// The row has given up what it will give up, or the new object is inserted: who waited for it may try again.
    mutating func release(_ object: ManagedObjectID) {
      guard unwritten != nil else { return }
      unwritten?[object] = nil
      insertions.remove(object)
      released += (byObject.removeValue(forKey: object) ?? []).reversed()
    }

    mutating func takeReleased() -> Step? { released.popLast() }

    mutating func takeClashing() -> Step? {
      guard clashing.taken < clashing.steps.count else { return nil }
      clashing.taken += 1
      return clashing.steps[clashing.taken - 1]
    }

    /// A row that others wait for, and which waits itself.
    var rowInCircle: ManagedObjectID? { byObject.keys.filter { !$0.isTemporary }.min { $0.key < $1.key } }
  }

  /// Makes a step, and those that waited for it.
  mutating func make(_ step: Step) throws(StoreError) {
    try attempt(step)
    while let next = waiting.takeReleased() { try attempt(next) }
  }

  /// Makes the steps that wait still: what clashes by the merge policy, circles by taking out one of their rows.
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

  /// Makes a step, or has it wait.
  ///
  /// - Parameter isLast: Whether a clash with a row that keeps its values is decided now.
  mutating func attempt(_ step: Step, isLast: Bool = false) throws(StoreError) {
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
        // The constraints are on the whole row, also on what was not edited.
        let whole = try wholeRow(update.id, values, attributes)
        guard let taken = try keptOwner(update.id.entity, whole, besides: update.id, of: step, isLast: isLast)
        else { return }
        try resolveTaken(update, values, attributes, taken)
      }
    }
  }

  /// A row that has the unique values of a step and keeps them, where that is to be decided now; else the step waits.
  private mutating func keptOwner(
    _ entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID?, of step: Step,
    isLast: Bool
  ) throws(StoreError) -> UniqueOwner? {
    if !waiting.hasBegun { waiting.begin(unwritten: unwritten) }
    let owners = try transaction.owners(of: entity, values, besides: id, model)
    guard let first = owners.first else {
      throw .invalid("\(model[entity].name) has unique values that are taken")
    }
    if let kept = owners.first(where: { !waiting.isToBeUpdated($0.id, $0.constraint) }) {
      if isLast { return kept }
      waiting.addClashing(step)
    } else {
      waiting.add(step, for: first.id)
    }
    return nil
  }

  // MARK: What the merge policy decides

  private mutating func resolveTaken(
    _ insertion: ChangeSet.Insertion, _ values: [AttributeValue], _ taken: UniqueOwner
  ) throws(StoreError) {
    let entity = insertion.id.entity
    // A pair that is joined already is what was wanted.
    switch model[entity].isJoin ? .storeTrumps : changes.mergePolicy {
    case .error:
      conflicts.append(
        try conflict(insertion.id, taken, values, Array(model[entity].attributes.indices)))
      // Whoever refers to this object goes on until all conflicts are known.
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

  /// Puts a row back that was taken out of its table, with what the save writes to it.
  private mutating func putBack(
    _ id: ManagedObjectID, _ stored: [AttributeValue], _ version: Int64, _ values: [AttributeValue],
    _ attributes: [Int]
  ) throws(StoreError) {
    var whole = stored
    for index in attributes { whole[index] = values[index] }
    waiting.takenOut[id] = nil
    while try transaction.insert(id.entity, key: id.key, values: whole, version: version + 1) == nil {
      guard changes.mergePolicy == .objectTrumps || changes.mergePolicy == .overwrite else {
        // What the row had may be another's by now: there is nothing to go back to.
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
      throw .invalid("\(model[entity].name) \(id) has unique values that are taken")
    }
    removed.append(try conflict(id, taken, values, taken.constraint))
    _ = try transaction.delete(taken.id, version: nil)
    result.changes.inserted.remove(taken.id)
    result.changes.updated[taken.id] = nil
    result.changes.deleted.insert(taken.id)
    waiting.release(taken.id)
  }

  /// What a row would have with some other values.
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
