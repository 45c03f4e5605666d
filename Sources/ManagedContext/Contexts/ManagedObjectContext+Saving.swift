/// What a save took out of its context, until the store has answered.
struct InFlightSave {
  let ticket: SaveTicket
  var inserted: [ManagedObject] = []
  var updated: [(object: ManagedObject, snapshot: [AttributeValue])] = []
  var deleted: [ManagedObject] = []
  var batches: [BatchChange] = []

  var objects: [ManagedObject] { inserted + updated.map(\.object) + deleted }

  func touches(_ entity: EntityIndex) -> Bool {
    inserted.contains { $0.id.entity == entity } || updated.contains { $0.object.id.entity == entity }
      || deleted.contains { $0.id.entity == entity }
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
    try applyDeleteRules()
    try checkDeniedDeletions()
    awaitReferencedSaves()
    var changes = ChangeSet(mergePolicy: mergePolicy, author: transactionAuthor)
    var save = InFlightSave(ticket: SaveTicket())
    // Temporary keys fall with age, so that the oldest object is inserted first.
    for object in pending.values.flatMap({ $0.values }).sorted(by: { abs($0.id.key) < abs($1.id.key) }) {
      try collect(object, &changes, &save)
    }
    changes.batches = batches
    pending = [:]
    guard !changes.isEmpty else { return nil }
    batches = []
    for object in save.inserted { object.isInserted = false }
    for (object, _) in save.updated { object.snapshot = nil }
    let ticket = parent.accept(changes, after: prerequisite)
    inFlight[ObjectIdentifier(ticket)] = InFlightSave(
      ticket: ticket, inserted: save.inserted, updated: save.updated, deleted: save.deleted,
      batches: changes.batches)
    return ticket
  }

  private func collect(
    _ object: ManagedObject, _ changes: inout ChangeSet, _ save: inout InFlightSave
  ) throws(StoreError) {
    if object.isDeleted {
      // Of a fault it is not known what it looks like now: whatever there is may go.
      changes.deletions.append(.init(id: object.id, version: object.isFault ? 0 : object.version))
      save.deleted.append(object)
    } else if object.isInserted {
      resolveReferences(of: object)
      try validate(object, attributes: nil)
      changes.insertions.append(.init(id: object.id, values: object.values))
      save.inserted.append(object)
    } else if let snapshot = object.snapshot {
      resolveReferences(of: object)
      let edited = object.changedAttributes
      guard !edited.isEmpty else {
        object.snapshot = nil
        return
      }
      try validate(object, attributes: edited)
      changes.updates.append(
        .init(id: object.id, edited: edited, values: object.values, base: snapshot, version: object.version))
      save.updated.append((object, snapshot))
    }
  }

  /// Takes over how a save ended: permanent IDs and versions, or the changes back for another try.
  public func finish(_ ticket: SaveTicket, outcome: SaveTicket.Outcome) {
    queue.check()
    guard let save = inFlight.removeValue(forKey: ObjectIdentifier(ticket)) else {
      // The context was reset meanwhile: nothing is left to adopt, but whoever listens has to know.
      if abandoned.removeValue(forKey: ObjectIdentifier(ticket)) != nil, case .success(let result) = outcome {
        didSave.post(result.changes)
        notices.post(result.changes)
      }
      return
    }
    switch outcome {
    case .success(let result):
      adopt(result, of: save)
      didSave.post(result.changes)
      notices.post(result.changes)
    case .failure: restore(save)
    }
  }

  /// Takes over the saves that have ended, and waits for one that is being written just now: its rows may be
  /// visible already.
  func settleSaves() {
    for save in inFlight.values {
      if let outcome = save.ticket.outcome {
        finish(save.ticket, outcome: outcome)
      } else if save.ticket.isBeingWritten {
        finish(save.ticket, outcome: save.ticket.wait())
      }
    }
  }

  /// Waits for earlier saves where an object of this one is, or refers to, an object that has no permanent ID yet.
  private func awaitReferencedSaves() {
    guard !inFlight.isEmpty, !(parent is any ContextOwner) else { return }
    let needsThem = pending.values.contains { objects in
      objects.values.contains { object in
        object.id.isTemporary && !object.isInserted || object.values.contains(where: \.isTemporaryReference)
      }
    }
    guard needsThem else { return }
    for save in inFlight.values { finish(save.ticket, outcome: save.ticket.wait()) }
  }

  // MARK: Outcomes

  private func adopt(_ result: CommitResult, of save: InFlightSave) {
    adoptPermanentIDs(result.changes.permanentIDs)
    for object in save.inserted {
      resolveReferences(of: object)
      // An object that became a row which was there before is not that row's first version.
      object.version = 1
      generations[Int(object.id.entity)] += 1
    }
    for (object, _) in save.updated {
      resolveReferences(of: object)
      missedMerges.remove(object.id)
      object.version += 1
    }
    for object in save.deleted {
      object.isDeleted = false
      generations[Int(object.id.entity)] += 1
      if result.differing.contains(object.id) { continue }
      objects[object.id] = nil
      object.isGone = true
    }
    for id in result.differing.union(writtenByBatches(result, of: save)) {
      guard let object = objects[id] else { continue }
      if object.snapshot == nil {
        object.isFault = true
        object.readAt = 0
        object.version = 0
      } else {
        // Edited again meanwhile; what cannot be read now is refreshed by the next merge.
        try? read([object])
      }
      didRefreshObject?(object)
    }
  }

  /// The objects of this context whose row is not what they say, because a batch of the same save wrote it too.
  private func writtenByBatches(_ result: CommitResult, of save: InFlightSave) -> Set<ManagedObjectID> {
    guard !save.batches.isEmpty else { return [] }
    let removed = Set(save.deleted.map(\.id))
    for id in result.changes.deleted where !removed.contains(id) {
      if let object = objects[id] { markGone(object) }
    }
    for id in result.changes.inserted { generations[Int(id.entity)] += 1 }
    return Set(result.changes.updated.keys).union(save.inserted.map(\.id))
  }

  private func restore(_ save: InFlightSave) {
    for object in save.inserted {
      object.isInserted = true
      object.snapshot = nil
    }
    for object in save.objects { pending[object.id.entity, default: [:]][object.id] = object }
    for (object, snapshot) in save.updated {
      object.snapshot = snapshot
      object.touched = .all
    }
    batches = save.batches + batches
    let missed = save.updated.map(\.object).filter { missedMerges.remove($0.id) != nil }
    for group in Dictionary(grouping: missed, by: \.id.entity).values {
      // What cannot be read now makes the next save a conflict, which is no loss either.
      try? read(group)
    }
  }

  /// Gives objects the IDs that a store gave them, wherever this context knows them.
  func adoptPermanentIDs(_ ids: [ManagedObjectID: ManagedObjectID]) {
    guard !ids.isEmpty else { return }
    permanentIDs.add(ids)
    // Of what was saved elsewhere most is not known here: the shorter list is gone through.
    let registered = objects.count < ids.count ? objects.keys.filter { ids[$0] != nil } : Array(ids.keys)
    for temporary in registered {
      guard let permanent = ids[temporary], let object = objects.removeValue(forKey: temporary) else {
        continue
      }
      object.id = permanent
      let isPending = pending[temporary.entity]?.removeValue(forKey: temporary) != nil
      if let known = objects[permanent], known !== object {
        // It turned out to be a row that is registered already; there is one object for each row.
        object.isGone = true
        object.context = nil
        continue
      }
      if isPending { pending[permanent.entity, default: [:]][permanent] = object }
      objects[permanent] = object
      generations[Int(permanent.entity)] += 1
    }
    // Only objects that came from another context's memory may refer to temporary IDs of others.
    if parent is any ContextOwner { objects.values.forEach(resolveReferences) }
  }

  /// Takes over permanent IDs, and tells the children of them.
  func pass(_ ids: [ManagedObjectID: ManagedObjectID]) {
    adoptPermanentIDs(ids)
    var changes = ContextChanges()
    changes.permanentIDs = ids
    notices.post(changes)
  }

  /// Replaces references to objects that have been saved meanwhile.
  private func resolveReferences(of object: ManagedObject) {
    guard !permanentIDs.isEmpty else { return }
    for attribute in model.references[Int(object.id.entity)] where attribute < object.values.count {
      if let resolved = resolved(object.values[attribute]) { object.values[attribute] = resolved }
      if let value = object.snapshot?[attribute], let resolved = resolved(value) {
        object.snapshot?[attribute] = resolved
      }
    }
  }

  private func resolved(_ value: AttributeValue) -> AttributeValue? {
    guard case .reference(let id) = value, id.isTemporary else { return nil }
    let known = permanentIDs[id]
    return known == id ? nil : .reference(known)
  }
}
