/// A save's changes until the store has answered.
struct InFlightSave {
  /// The parent's ticket, once it has accepted the save.
  var ticket = SaveTicket()
  var inserted: [ManagedObject] = []
  var updated: [(object: ManagedObject, snapshot: [AttributeValue])] = []
  var deleted: [ManagedObject] = []
  var batches: [BatchChange] = []
  /// The objects that were told of the save before it, and will be after it.
  var hooked: [HookedObject] = []
  /// The entities that ``objects`` belong to.
  var entities: Set<EntityIndex> = []

  var objects: [ManagedObject] { inserted + updated.map(\.object) + deleted }
}

extension ManagedObjectContext {
  /// Saves, and waits until the parent has the changes: a parent context in memory, any other parent in the
  /// store.
  ///
  /// It blocks the context's queue; ``BackgroundContext/save()`` and ``MainContext/save()`` do not.
  ///
  /// - Throws: The parent's error; the context keeps the unsaved changes.
  /// - Returns: The changes; empty if nothing was to be saved.
  @discardableResult
  public func save() throws(StoreError) -> ContextChanges {
    guard let ticket = try push() else { return ContextChanges() }
    (parent as? RootContext)?.flush()
    let outcome = ticket.wait()
    finish(ticket, outcome: outcome)
    return try outcome.get().changes
  }

  /// Saves like ``save()``, but does not block the queue while the store works.
  nonisolated(nonsending) func commit() async throws(StoreError) -> ContextChanges {
    // A running save may bring permanent IDs that this save refers to.
    for save in inFlight.values { _ = try? await save.ticket.committed() }
    settleSaves()
    guard let ticket = try push() else { return ContextChanges() }
    // The caller waits for this save, so the root must not wait for more saves.
    (parent as? RootContext)?.flush()
    let outcome: SaveTicket.Outcome
    do {
      outcome = .success(try await ticket.committed())
    } catch {
      outcome = .failure(error)
    }
    finish(ticket, outcome: outcome)
    return try outcome.get().changes
  }

  /// Passes all unsaved changes to the parent.
  ///
  /// The ticket ends once the parent has them (see ``SaveTicket``). Call ``finish(_:outcome:)`` then; the
  /// other save methods call it themselves.
  ///
  /// - Parameter prerequisite: An earlier save that must succeed first; if it fails, this save fails with the
  ///   same error.
  /// - Returns: The ticket; nil if nothing was to be saved.
  /// - Throws: ``StoreError/validation(_:)`` or ``StoreError/violations`` if a rule in the model or in a class
  ///   is broken, or once the error of an earlier read that failed (``faultError``). No changes were passed on
  ///   then.
  @discardableResult
  public func push(after prerequisite: SaveTicket? = nil) throws(StoreError) -> SaveTicket? {
    queue.check()
    if isCallingHooks { throw .request("willSave() or validate() must not save the context \(name)") }
    try throwNotedErrors()
    // Another context may have saved references to a deleted object since its rules were applied.
    applyDeleteRulesAgain()
    try applyDeleteRules()
    var save = InFlightSave()
    save.hooked = try callWillSave()
    try throwNotedErrors()
    awaitEarlierSaves()
    var violations = violations(of: save.hooked)
    // Hooks and observers of the earlier saves may have deleted objects.
    try applyDeleteRules()
    violations += try deniedDeletions()
    dropBrokenPairs()
    // From here on, no code outside this layer runs: it could make changes that would be lost.
    var changes = ChangeSet(mergePolicy: mergePolicy, author: transactionAuthor)
    let store = parent.writtenStoreNumber
    for object in pending.objectsByAge { collect(object, in: store, &changes, &save, &violations) }
    if let error = StoreError(violations) { throw error }
    changes.batches = batches
    guard !changes.isEmpty else { return nil }
    save.hooked.removeAll { !hasChanges(in: $0) }
    pending.removeAll()
    save.batches = batches
    batches = []
    for object in save.inserted { object.isInserted = false }
    for (object, _) in save.updated { object.snapshot = nil }
    for object in save.objects { object.state.insert(.inFlight) }
    save.entities = Set(save.objects.map(\.id.entity))
    save.ticket = parent.accept(changes, after: prerequisite)
    inFlight[ObjectIdentifier(save.ticket)] = save
    return save.ticket
  }

  /// Throws the first mistake or failed read that was noted, once.
  private func throwNotedErrors() throws(StoreError) {
    if let defect = defect.take() { throw defect }
    if hasChanges, let error = failedReads.values.first {
      failedReads = [:]
      throw error
    }
  }

  /// Forgets pairs with an object that was deleted elsewhere.
  private func dropBrokenPairs() {
    let pairs = pending.entities.filter { model[$0].isJoin }.flatMap { pending[$0].values }
    for pair in pairs where pair.isInserted {
      if pair.values.contains(where: leadsToLostObject) { delete(pair) }
    }
  }

  /// Returns whether a reference leads to an object that was deleted elsewhere, or that was never saved and
  /// no longer exists.
  func leadsToLostObject(_ value: AttributeValue) -> Bool {
    guard case .reference(let id) = value else { return false }
    guard let object = objects[permanentIDs[id]] else {
      return id.isTemporary && !(parent is any ContextOwner)
    }
    // An object with edits is excluded, because the merge policy may insert it again.
    return object.isGone && object.snapshot == nil
  }

  private func collect(
    _ object: ManagedObject, in store: StoreNumber, _ changes: inout ChangeSet, _ save: inout InFlightSave,
    _ violations: inout [ValidationError]
  ) {
    if object.isDeleted {
      // A fault's version is unknown, so the deletion applies to any version.
      changes.deletions.append(.init(id: object.id, version: object.isFault ? 0 : object.version))
      save.deleted.append(object)
    } else if object.isInserted {
      check(object, attributes: nil, in: store, &violations)
      changes.insertions.append(.init(id: object.id, values: object.values))
      save.inserted.append(object)
    } else if let snapshot = object.snapshot {
      let edited = object.changedAttributes
      check(object, attributes: edited, in: store, &violations)
      changes.updates.append(
        .init(id: object.id, edited: edited, values: object.values, base: snapshot, version: object.version))
      save.updated.append((object, snapshot))
    }
  }

  /// Applies a save's outcome: permanent IDs and versions, or the changes back as unsaved changes.
  public func finish(_ ticket: SaveTicket, outcome: SaveTicket.Outcome) {
    queue.check()
    guard let save = inFlight.removeValue(forKey: ObjectIdentifier(ticket)) else {
      // The context was reset during the save. Its objects are gone, but IDs may remain in use and observers
      // need the outcome.
      if abandoned.removeValue(forKey: ObjectIdentifier(ticket)) != nil, case .success(let result) = outcome {
        adoptPermanentIDs(result.changes.permanentIDs)
        didSave.post(result.changes)
        notices.post(result.changes)
      }
      return
    }
    for object in save.objects { object.current.state.remove(.inFlight) }
    switch outcome {
    case .success(let result):
      adopt(result, of: save)
      readMissedMerges(of: save)
      for object in save.hooked { object.didSave() }
      didSave.post(result.changes)
      notices.post(result.changes)
    case .failure:
      restore(save)
      readMissedMerges(of: save)
    }
  }

  /// Reads objects again if another context saved them during this save.
  private func readMissedMerges(of save: InFlightSave) {
    guard !missedMerges.isEmpty else { return }
    let missed = save.objects.map(\.current).filter {
      missedMerges.remove($0.id) != nil && !$0.isInserted && objects[$0.id] === $0
    }
    // An object that cannot be read now leads to a conflict at the next save, and no data is lost.
    try? readAgain(missed)
  }

  /// Applies the outcomes of ended saves.
  func finishEndedSaves() {
    for save in inFlight.values {
      if let outcome = save.ticket.outcome { finish(save.ticket, outcome: outcome) }
    }
    finishAbandonedSaves()
  }

  /// Applies the outcomes of ended saves that were running when the context was reset.
  func finishAbandonedSaves() {
    for ticket in abandoned.values {
      if let outcome = ticket.outcome { finish(ticket, outcome: outcome) }
    }
  }

  /// Applies the outcomes of ended saves, and waits for a save that is being written, because its rows may be
  /// visible already.
  func settleSaves() {
    finishEndedSaves()
    for save in inFlight.values where save.ticket.isBeingWritten {
      finish(save.ticket, outcome: save.ticket.wait())
    }
  }

  /// Waits for all running saves if they contain an object of this save, or an object that it refers to.
  private func awaitEarlierSaves() {
    guard !inFlight.isEmpty, !(parent is any ContextOwner) else { return }
    finishEndedSaves()
    let isInFlight = { [objects] (id: ManagedObjectID) in objects[id]?.state.contains(.inFlight) ?? false }
    let needsThem = pending.objects.contains { object in
      if object.state.contains(.inFlight) { return true }
      return object.values.contains { if case .reference(let id) = $0 { isInFlight(id) } else { false } }
    }
    guard needsThem, !inFlight.isEmpty else { return }
    (parent as? RootContext)?.flush()
    for save in inFlight.values { finish(save.ticket, outcome: save.ticket.wait()) }
  }

  // MARK: Outcomes

  private func adopt(_ result: CommitResult, of save: InFlightSave) {
    adoptPermanentIDs(result.changes.permanentIDs)
    save.objects.map(\.current).forEach(resolveReferences)
    for object in save.inserted.map(\.current) {
      // A new row's first version. Objects that became existing rows are in `differing`, and get version 0
      // below.
      object.version = 1
      generations[Int(object.id.entity)] += 1
    }
    for object in save.updated.map(\.object.current) {
      // Another program may have written any number.
      object.version &+= 1
      // A row that was gone exists again.
      if result.changes.inserted.contains(object.id) { object.isGone = false }
    }
    for object in save.deleted.map(\.current) {
      generations[Int(object.id.entity)] += 1
      if result.differing.contains(object.id) {
        // The store kept the row. The edits made before the deletion are lost.
        object.isDeleted = false
        object.snapshot = nil
      } else {
        forgetDeleted(object)
      }
    }
    for id in result.dropped {
      if let object = objects[id] { forgetDeleted(object) }
    }
    let differing = result.differing.union(writtenByBatches(result, of: save)).compactMap { objects[$0] }
    for object in differing {
      object.readAt = 0
      object.version = 0
    }
    // An edited object that cannot be read now is refreshed by the next merge.
    try? readAgain(differing)
    if let didRefreshObject { differing.forEach(didRefreshObject) }
  }

  /// Forgets an object that this context's save deleted in the store.
  private func forgetDeleted(_ object: ManagedObject) {
    objects[object.id] = nil
    object.snapshot = nil
    object.isDeleted = false
    object.isGone = true
    settlePending(object)
  }

  /// Returns this context's objects with rows that a batch in the same save also wrote.
  private func writtenByBatches(_ result: CommitResult, of save: InFlightSave) -> Set<ManagedObjectID> {
    guard !save.batches.isEmpty else { return [] }
    let removed = Set(save.deleted.map(\.id))
    for id in result.changes.deleted where !removed.contains(id) {
      if let object = objects[id] { markGone(object) }
    }
    let changed = result.changes.deleted.map(\.entity) + result.changes.updated.keys.map(\.entity)
    for entity in Set(changed + result.changes.inserted.entities) { generations[Int(entity)] += 1 }
    return Set(result.changes.updated.keys).union(save.inserted.map(\.id))
  }

  /// Turns a failed save's changes into unsaved changes again.
  private func restore(_ save: InFlightSave) {
    for object in save.inserted {
      object.isInserted = true
      object.snapshot = nil
      if object.isDeleted {
        // It was deleted during the save, so nothing of it remains to be saved.
        objects[object.id] = nil
        pending.remove(object)
      } else {
        pending.insert(object)
      }
    }
    for (object, snapshot) in save.updated { restoreEdits(of: object, from: snapshot) }
    for object in save.deleted.map(\.current) { pending.insert(object) }
    batches = save.batches + batches
  }

  /// Restores the values from before a save as an object's base.
  private func restoreEdits(of object: ManagedObject, from snapshot: [AttributeValue]) {
    let current = object.current
    if current === object {
      object.snapshot = snapshot
      object.touched = .all
      if object.changedAttributes.isEmpty { object.snapshot = nil } else { pending.insert(object) }
    } else {
      // The object that replaced this one has the store's values and receives only the edits.
      for index in snapshot.indices where object.values[index] != snapshot[index] {
        current.setValue(object.values[index], at: index)
      }
    }
  }
}
