extension ChangeSet {
  /// Writes the change set, step by step, in an open transaction.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` with every conflict if the merge policy is ``MergePolicy/error``,
  ///   or any error from the store. The transaction must be rolled back then.
  public func apply(
    to transaction: inout some StoreTransaction, model: ManagedObjectModel
  ) throws(StoreError) -> CommitResult {
    var writing = ChangeSetWriting(changes: self, model: model, transaction: transaction)
    defer { transaction = writing.transaction }
    try writing.run()
    return writing.result
  }
}

/// Writes one change set to a store. It orders the steps, and applies the merge policy to rows that others
/// changed.
///
/// Two more rules have their own files: unique values that another row has, and references to missing rows.
/// Both are judged by the store's state after the save, not during it.
struct ChangeSetWriting<Transaction: StoreTransaction> {
  let changes: ChangeSet
  let model: ManagedObjectModel
  var transaction: Transaction
  var result = CommitResult()
  var conflicts: [MergeConflict] = []
  /// Conflicts that led to another row's deletion, because the merge policy prefers the object.
  var removed: [MergeConflict] = []
  /// Batch deletions that a related row would forbid, with the references to the deleted rows.
  private var denials: [(Relation, [AttributeValue])] = []
  /// Steps that cannot be executed yet.
  var waiting = WaitingSteps()
  /// The updates before the insertions, and the updates after them, which refer to a new object.
  private let updates: (early: [ChangeSet.Update], late: [ChangeSet.Update])
  /// The number of updates begun in each list.
  private var begun = (early: 0, late: 0)

  init(changes: ChangeSet, model: ManagedObjectModel, transaction: Transaction) {
    self.changes = changes
    self.model = model
    self.transaction = transaction
    let refersToNew = { (update: ChangeSet.Update) in
      update.edited.contains { update.values[$0].isTemporaryReference }
    }
    let someRefer = !changes.insertions.isEmpty && changes.updates.contains(where: refersToNew)
    updates =
      someRefer
      ? (changes.updates.filter { !refersToNew($0) }, changes.updates.filter(refersToNew))
      : (changes.updates, [])
  }

  mutating func run() throws(StoreError) {
    // Deletions come first and updates next, because a new object may use the unique values that they
    // release.
    for deletion in changes.deletions { try delete(deletion) }
    for update in updates.early {
      if try !isWrittenAtOnce(update) {
        try make(.update(update, attributes: update.edited, version: update.version))
      }
      begun.early += 1
    }
    let order = InsertionOrder(changes.insertions, model)
    let leftOut = Dictionary(order.postponed.map { ($0.insertion, $0.attributes) }, uniquingKeysWith: +)
    for place in order.steps {
      if try isInsertedAtOnce(changes.insertions[place]) { continue }
      try make(.insertion(changes.insertions[place], leftOut: leftOut[place] ?? []))
    }
    for update in updates.late {
      try make(.update(update, attributes: update.edited, version: update.version))
      begun.late += 1
    }
    try makeWaitingSteps()
    for (insertion, attributes) in order.postponed { try link(changes.insertions[insertion], attributes) }
    if !conflicts.isEmpty { throw error(conflicts) }
    for batch in changes.batches { try apply(batch) }
    try checkDenials()
    try settleReferences()
  }

  // MARK: Batches

  /// Checks, after all batches, that no deleted row has a relationship with the rule "deny" to a row that stays.
  private mutating func checkDenials() throws(StoreError) {
    for (relation, owners) in denials {
      try refuse(.deleteDenied, relation.entity, relation.name, ifAny: relation, owners)
    }
  }

  private mutating func refuse(
    _ cause: ValidationError.Cause, _ entity: EntityIndex, _ attribute: String, ifAny relation: Relation,
    _ owners: [AttributeValue]
  ) throws(StoreError) {
    guard let (dependents, reference, end) = relation.pairs else { return }
    // A pair with an object that the save deletes too does not count.
    let stays = end.map { StorePredicate.amongRows($0, of: StoreQuery(entity: relation.destination)) }
    let predicate = StorePredicate.all([.among(reference, owners)] + (stays.map { [$0] } ?? []))
    guard let key = try transaction.keys(of: dependents, where: predicate).first else { return }
    let dependent = ManagedObjectID(entity: dependents, store: transaction.store, key: key)
    var object = dependent
    if cause == .deleteDenied, case .reference(let id) = try transaction.row(dependent)?.values[reference] {
      object = id
    }
    throw .validation(
      ValidationError(entity: model[entity].name, attribute: attribute, object: object, cause: cause))
  }

  /// Writes a batch, and applies the delete rules for the rows that it deletes.
  private mutating func apply(_ batch: BatchChange) throws(StoreError) {
    guard case .delete(let deletion) = batch, model.hasDeleteRules(deletion.entity) else {
      return try transaction.apply(batch, model: model, noting: &result.changes)
    }
    var written = ContextChanges()
    try transaction.apply(batch, model: model, noting: &written)
    result.changes.formUnion(written)
    let deleted = written.deleted.filter { $0.entity == deletion.entity }
    guard !deleted.isEmpty else { return }
    let owners = deleted.map(AttributeValue.reference)
    for relation in model.relations[Int(deletion.entity)] {
      switch (relation.deleteRule, relation.storage) {
      case (.deny, .join), (.deny, .inverse): denials.append((relation, owners))
      case (let rule, .join(let join, let here, let there)):
        let pairs = StorePredicate.among(here, owners)
        let related = StoreQuery(entity: join, predicate: pairs, columns: [there])
        let others =
          rule == .cascade
          ? try transaction.keys(of: relation.destination, where: .amongRows(nil, of: related)) : []
        try apply(.delete(BatchDelete(entity: join, predicate: pairs)))
        let ids = others.map {
          ManagedObjectID(entity: relation.destination, store: transaction.store, key: $0)
        }
        if !ids.isEmpty {
          try apply(.delete(BatchDelete(entity: relation.destination, predicate: .ids(ids))))
        }
      case (.cascade, .inverse(let attribute)):
        try apply(.delete(BatchDelete(entity: relation.destination, predicate: .among(attribute, owners))))
      case (.nullify, .inverse(let attribute)):
        let description = model[relation.destination].attributes[attribute]
        guard description.isOptional else {
          try refuse(.missingValue, relation.destination, description.name, ifAny: relation, owners)
          continue
        }
        try apply(
          .update(
            BatchUpdate(
              entity: relation.destination, predicate: .among(attribute, owners), values: [(attribute, .null)]
            )))
      case (_, .attribute), (.noAction, .inverse): break
      }
    }
  }

  /// Writes an update if no clash prevents it, which is the usual case. Otherwise does nothing.
  private mutating func isWrittenAtOnce(_ update: ChangeSet.Update) throws(StoreError) -> Bool {
    guard !waiting.hasBegun,
      case .written = try write(update.id, resolved(update.values), update.edited, version: update.version)
    else { return false }
    noteUpdated(update.id, update.edited)
    return true
  }

  /// Inserts a new object if no clash prevents it. Otherwise does nothing.
  private mutating func isInsertedAtOnce(_ insertion: ChangeSet.Insertion) throws(StoreError) -> Bool {
    let entity = insertion.id.entity
    guard !waiting.hasBegun,
      let key = try transaction.insert(entity, key: nil, values: resolved(insertion.values), version: 1)
    else { return false }
    noteInserted(insertion.id, as: ManagedObjectID(entity: entity, store: transaction.store, key: key))
    return true
  }

  // MARK: Insertions

  /// Records a new object's row.
  mutating func noteInserted(_ temporary: ManagedObjectID, as id: ManagedObjectID) {
    result.changes.permanentIDs[temporary] = id
    result.changes.inserted.insert(id)
    waiting.release(temporary)
  }

  /// Records that a new object is an existing row.
  mutating func adopt(_ row: ManagedObjectID, for temporary: ManagedObjectID) {
    result.changes.permanentIDs[temporary] = row
    result.differing.insert(row)
    waiting.release(temporary)
  }

  /// Sets references that had to wait until their targets were inserted.
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

  /// The updates not yet completed, including the current one.
  var unwritten: [ChangeSet.Update] { Array(updates.early[begun.early...] + updates.late[begun.late...]) }

  /// Records an update that the save or the merge policy wrote.
  mutating func noteUpdated(_ id: ManagedObjectID, _ attributes: [Int]) {
    if !attributes.isEmpty { result.changes.updated[id, default: []].formUnion(.init(indexes: attributes)) }
    waiting.release(id)
  }

  /// Applies the merge policy to a row that another context has changed.
  mutating func resolveStale(
    _ update: ChangeSet.Update, _ values: [AttributeValue]
  ) throws(StoreError) {
    result.differing.insert(update.id)
    guard let stored = try transaction.row(update.id)?.values else {
      switch changes.mergePolicy {
      case .error: conflicts.append(conflict(update.id, .deleted, values, update.edited, stored: nil))
      case .storeTrumps, .rollback: break
      case .objectTrumps, .overwrite: try insertAgain(update, values)
      }
      waiting.release(update.id)
      return
    }
    let attributes: [Int]
    switch changes.mergePolicy {
    case .error:
      conflicts.append(conflict(update.id, .changed, values, update.edited, stored: stored))
      attributes = []
    case .rollback: attributes = []
    case .storeTrumps: attributes = update.edited.filter { stored[$0] == update.base[$0] }
    case .objectTrumps: attributes = update.edited
    case .overwrite: attributes = Array(values.indices)
    }
    if attributes.isEmpty {
      waiting.release(update.id)
    } else {
      try attempt(.update(update, attributes: attributes, version: nil))
    }
  }

  private mutating func insertAgain(
    _ update: ChangeSet.Update, _ values: [AttributeValue]
  ) throws(StoreError) {
    // A version that no context has seen. Contexts must not mistake the row for the deleted one or an earlier
    // one.
    let version = Int64.random(in: 1 << 32..<1 << 62)
    while try transaction.insert(update.id.entity, key: update.id.key, values: values, version: version)
      == nil
    {
      try removeOwner(of: update.id.entity, values, besides: update.id)
    }
    result.changes.inserted.insert(update.id)
  }

  /// Writes attributes regardless of the row's version, and deletes the rows that have the same unique
  /// values.
  mutating func overwrite(
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

  mutating func write(
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
    // A row that is already gone has the intended state.
    guard let stored = try transaction.row(deletion.id)?.values else { return }
    switch changes.mergePolicy {
    case .error: conflicts.append(conflict(deletion.id, .changed, [], [], stored: stored))
    case .storeTrumps, .rollback: result.differing.insert(deletion.id)
    case .objectTrumps, .overwrite:
      if try transaction.delete(deletion.id, version: nil) { result.changes.deleted.insert(deletion.id) }
    }
  }

  // MARK: Conflicts

  func conflict(
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

  /// Returns the error for a save that ends with conflicts.
  ///
  /// The save's insertions are undone, so a conflict names an inserted row by its object's temporary ID.
  func error(_ conflicts: [MergeConflict]) -> StoreError {
    let refused = Set(conflicts.map(\.object))
    var new: [ManagedObjectID: ManagedObjectID] = [:]
    for (temporary, row) in result.changes.permanentIDs
    where result.changes.inserted.contains(row) && !refused.contains(temporary) { new[row] = temporary }
    return .conflict(
      conflicts.map { conflict in
        guard case .unique(let attributes, let other) = conflict.kind, let other = new[other] else {
          return conflict
        }
        return MergeConflict(
          object: conflict.object, entity: conflict.entity,
          kind: .unique(attributes: attributes, other: other),
          objectValues: conflict.objectValues, storeValues: conflict.storeValues)
      })
  }

  /// Returns the values with permanent IDs for objects that were inserted before, and null for other
  /// temporary IDs.
  func resolved(_ values: [AttributeValue]) -> [AttributeValue] {
    guard values.contains(where: \.isTemporaryReference) else { return values }
    return values.map { $0.mappingID { $0.isTemporary ? result.changes.permanentIDs[$0] : $0 } }
  }
}
