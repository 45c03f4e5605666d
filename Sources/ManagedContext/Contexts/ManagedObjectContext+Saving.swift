/// What a save took out of its context, until the store has answered.
struct InFlightSave {
  let ticket: SaveTicket
  var inserted: [ManagedObject] = []
  var updated: [(object: ManagedObject, snapshot: [AttributeValue])] = []
  var deleted: [ManagedObject] = []
  var batches: [BatchChange] = []
  /// The entities of the objects.
  private(set) var entities: Set<EntityIndex> = []

  var objects: [ManagedObject] { inserted + updated.map(\.object) + deleted }

  /// The same on its way to the store, under the ticket that stands for it.
  func launched(_ ticket: SaveTicket) -> InFlightSave {
    var save = InFlightSave(
      ticket: ticket, inserted: inserted, updated: updated, deleted: deleted, batches: batches)
    save.entities = Set(objects.map(\.id.entity))
    return save
  }
}

extension ManagedObjectContext {
  /// Saves, and waits until the parent has the changes: in memory where that is a context, else in the store.
  ///
  /// It blocks the context's queue; ``BackgroundContext/save()`` and ``MainContext/save()`` do not.
  /// - Throws: What kept the parent from taking the changes; they are in the context still.
  /// - Returns: What changed; empty when there was nothing to save.
  @discardableResult
  public func save() throws(StoreError) -> ContextChanges {
    guard let ticket = try push() else { return ContextChanges() }
    (parent as? RootContext)?.flush()
    let outcome = ticket.wait()
    finish(ticket, outcome: outcome)
    return try outcome.get().changes
  }

  /// Saves as ``save()`` does, and lets the queue go while the store works.
  ///
  /// - Parameter pushed: Called once the changes are handed over.
  nonisolated(nonsending) func commit(
    _ pushed: () -> Void = {}
  ) async throws(StoreError) -> ContextChanges {
    // A save under way may know permanent IDs that this one refers to.
    for save in inFlight.values { _ = try? await save.ticket.committed() }
    settleSaves()
    guard let ticket = try push() else { return ContextChanges() }
    pushed()
    let outcome: SaveTicket.Outcome
    do {
      outcome = .success(try await ticket.committed())
    } catch {
      outcome = .failure(error)
    }
    finish(ticket, outcome: outcome)
    return try outcome.get().changes
  }

  /// Hands all unsaved changes to the parent.
  ///
  /// The ticket ends once the parent has them (see ``SaveTicket``); call ``finish(_:outcome:)`` then, which the
  /// other ways to save do by themselves.
  /// - Parameter prerequisite: An earlier save without which this one must not be written: it fails as that does.
  /// - Returns: Nil when there was nothing to save.
  /// - Throws: ``StoreError/validation(_:)`` when a rule of the model is broken; nothing was handed over.
  @discardableResult
  public func push(after prerequisite: SaveTicket? = nil) throws(StoreError) -> SaveTicket? {
    queue.check()
    if let defect = defects.first {
      defects = []
      throw defect
    }
    // What leads to a deleted object may have been saved elsewhere since its rules were applied.
    applyDeleteRulesAgain()
    try applyDeleteRules()
    try checkDeniedDeletions()
    awaitEarlierSaves()
    dropBrokenPairs()
    var changes = ChangeSet(mergePolicy: mergePolicy, author: transactionAuthor)
    var save = InFlightSave(ticket: SaveTicket())
    let store = parent.writtenStoreNumber
    for object in pending.objectsByAge { try collect(object, in: store, &changes, &save) }
    changes.batches = batches
    guard !changes.isEmpty else { return nil }
    pending.removeAll()
    save.batches = batches
    batches = []
    for object in save.inserted { object.isInserted = false }
    for (object, _) in save.updated { object.snapshot = nil }
    for object in save.objects { object.state.insert(.inFlight) }
    let ticket = parent.accept(changes, after: prerequisite)
    inFlight[ObjectIdentifier(ticket)] = save.launched(ticket)
    return ticket
  }

  /// Forgets pairs with an object that was deleted elsewhere: there is nothing to be paired any more.
  private func dropBrokenPairs() {
    let pairs = pending.entities.filter { model[$0].isJoin }.flatMap { pending[$0].values }
    for pair in pairs where pair.isInserted {
      if pair.values.contains(where: leadsToLostObject) { delete(pair) }
    }
  }

  /// Whether a reference leads to an object that was deleted elsewhere, or one that was never saved and is no more.
  func leadsToLostObject(_ value: AttributeValue) -> Bool {
    guard case .reference(let id) = value else { return false }
    guard let object = objects[permanentIDs[id]] else {
      return id.isTemporary && !(parent is any ContextOwner)
    }
    // With edits, the merge policy may insert it again.
    return object.isGone && object.snapshot == nil
  }

  private func collect(
    _ object: ManagedObject, in store: StoreNumber, _ changes: inout ChangeSet, _ save: inout InFlightSave
  ) throws(StoreError) {
    if object.isDeleted {
      // Of a fault it is not known what it looks like now: whatever there is may go.
      changes.deletions.append(.init(id: object.id, version: object.isFault ? 0 : object.version))
      save.deleted.append(object)
    } else if object.isInserted {
      try validate(object, attributes: nil, in: store)
      changes.insertions.append(.init(id: object.id, values: object.values))
      save.inserted.append(object)
    } else if let snapshot = object.snapshot {
      let edited = object.changedAttributes
      try validate(object, attributes: edited, in: store)
      changes.updates.append(
        .init(id: object.id, edited: edited, values: object.values, base: snapshot, version: object.version))
      save.updated.append((object, snapshot))
    }
  }

  /// Takes over how a save ended: permanent IDs and versions, or the changes back for another try.
  public func finish(_ ticket: SaveTicket, outcome: SaveTicket.Outcome) {
    queue.check()
    guard let save = inFlight.removeValue(forKey: ObjectIdentifier(ticket)) else {
      // The context was reset meanwhile: no object is left, but IDs may be, and the listeners have to know.
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
      didSave.post(result.changes)
      notices.post(result.changes)
    case .failure:
      restore(save)
      readMissedMerges(of: save)
    }
  }

  /// Reads objects anew that others saved while this save was in flight.
  private func readMissedMerges(of save: InFlightSave) {
    guard !missedMerges.isEmpty else { return }
    let missed = save.objects.map(\.current).filter {
      missedMerges.remove($0.id) != nil && !$0.isInserted && objects[$0.id] === $0
    }
    // What cannot be read now makes the next save a conflict, which is no loss.
    try? readAnew(missed)
  }

  /// Takes over the saves that have ended.
  func finishEndedSaves() {
    for save in inFlight.values {
      if let outcome = save.ticket.outcome { finish(save.ticket, outcome: outcome) }
    }
    for ticket in abandoned.values {
      if let outcome = ticket.outcome { finish(ticket, outcome: outcome) }
    }
  }

  /// Takes over the saves that have ended, and waits for one that is being written just now: its rows may be
  /// visible already.
  func settleSaves() {
    finishEndedSaves()
    for save in inFlight.values where save.ticket.isBeingWritten {
      finish(save.ticket, outcome: save.ticket.wait())
    }
  }

  /// Waits for earlier saves that this one builds on: where one of its objects is in flight still, or it refers to an
  /// object that has no permanent ID yet.
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
      // An object that became a row which was there before is not that row's first version.
      object.version = 1
      generations[Int(object.id.entity)] += 1
    }
    for object in save.updated.map(\.object.current) {
      object.version += 1
      // A row that was gone is there again.
      if result.changes.inserted.contains(object.id) { object.isGone = false }
    }
    for object in save.deleted.map(\.current) {
      generations[Int(object.id.entity)] += 1
      if result.differing.contains(object.id) {
        // The store kept the row; what was edited before the deletion went with it.
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
    // What was edited again and cannot be read now is refreshed by the next merge.
    try? readAnew(differing)
    if let didRefreshObject { differing.forEach(didRefreshObject) }
  }

  /// The store has no such object from now on, because a save of this context deleted it.
  private func forgetDeleted(_ object: ManagedObject) {
    objects[object.id] = nil
    object.snapshot = nil
    object.isDeleted = false
    object.isGone = true
    settlePending(object)
  }

  /// The objects of this context whose row is not what they say, because a batch of the same save wrote it too.
  private func writtenByBatches(_ result: CommitResult, of save: InFlightSave) -> Set<ManagedObjectID> {
    guard !save.batches.isEmpty else { return [] }
    let removed = Set(save.deleted.map(\.id))
    for id in result.changes.deleted where !removed.contains(id) {
      if let object = objects[id] { markGone(object) }
    }
    for entity in result.changes.inserted.entities { generations[Int(entity)] += 1 }
    return Set(result.changes.updated.keys).union(save.inserted.map(\.id))
  }

  /// Makes the changes of a save that failed unsaved ones again.
  private func restore(_ save: InFlightSave) {
    for object in save.inserted {
      object.isInserted = true
      object.snapshot = nil
      if object.isDeleted { objects[object.id] = nil } else { pending.insert(object) }
    }
    for (object, snapshot) in save.updated { restoreEdits(of: object, from: snapshot) }
    for object in save.deleted.map(\.current) { pending.insert(object) }
    batches = save.batches + batches
  }

  /// Makes what an object had before a save its base again.
  private func restoreEdits(of object: ManagedObject, from snapshot: [AttributeValue]) {
    let current = object.current
    if current === object {
      object.snapshot = snapshot
      object.touched = .all
      if object.changedAttributes.isEmpty { object.snapshot = nil } else { pending.insert(object) }
    } else {
      // The object that took its place has what the store has, and gets the edits alone.
      for index in snapshot.indices where object.values[index] != snapshot[index] {
        current.setValue(object.values[index], at: index)
      }
    }
  }
}
