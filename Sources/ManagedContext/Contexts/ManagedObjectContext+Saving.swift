/// What a save took out of its context, until the store has answered.
struct InFlightSave {
  let ticket: SaveTicket
  var inserted: [ManagedObject] = []
  var updated: [(object: ManagedObject, snapshot: [AttributeValue])] = []
  var deleted: [ManagedObject] = []
  var upserts: [BatchUpsert] = []
}

extension ManagedObjectContext {
  /// Hands all unsaved changes to the parent.
  ///
  /// The ticket ends once the store has them (see ``SaveTicket``); call ``finish(_:outcome:)`` then, which
  /// ``BackgroundContext/save()`` and ``MainContext/save()`` do by themselves.
  /// - Parameter prerequisite: An earlier save without which this one must not be written: it fails as that does.
  /// - Returns: Nil when there was nothing to save.
  /// - Throws: ``StoreError/invalid(_:)`` when a required value is missing; nothing was handed over.
  @discardableResult
  public func push(after prerequisite: SaveTicket? = nil) throws(StoreError) -> SaveTicket? {
    var changes = ChangeSet(mergePolicy: mergePolicy)
    var inserted: [ManagedObject] = []
    var updated: [(object: ManagedObject, snapshot: [AttributeValue])] = []
    var deleted: [ManagedObject] = []
    for (id, object) in pending.sorted(by: { abs($0.key.key) < abs($1.key.key) }) {
      if object.isDeleted {
        changes.deletions.append(.init(id: id, version: object.version))
        deleted.append(object)
      } else if object.isInserted {
        try validate(object)
        changes.insertions.append(.init(id: id, values: object.values))
        inserted.append(object)
      } else if let snapshot = object.snapshot {
        let edited = object.changedAttributes
        guard !edited.isEmpty else { continue }
        try validate(object)
        changes.updates.append(
          .init(id: id, values: edited.map { ($0, object.values[$0]) }, version: object.version))
        updated.append((object, snapshot))
      }
    }
    changes.upserts = upserts
    guard !changes.isEmpty else {
      pending = [:]
      return nil
    }
    pending = [:]
    upserts = []
    for (object, _) in updated { object.snapshot = nil }
    let ticket = parent.accept(changes, after: prerequisite)
    inFlight[ObjectIdentifier(ticket)] = InFlightSave(
      ticket: ticket, inserted: inserted, updated: updated, deleted: deleted, upserts: changes.upserts)
    return ticket
  }

  /// Saves and waits for the store, on the queue of the context's owner.
  ///
  /// - Parameter pushed: Called once the changes are handed over.
  nonisolated(nonsending) func save(_ pushed: () -> Void = {}) async throws(StoreError) -> ContextChanges {
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

  /// Takes over how a save ended: permanent IDs and versions, or the changes back for another try.
  public func finish(_ ticket: SaveTicket, outcome: SaveTicket.Outcome) {
    guard let save = inFlight.removeValue(forKey: ObjectIdentifier(ticket)) else { return }
    switch outcome {
    case .success(let result): adopt(result, of: save)
    case .failure: restore(save)
    }
  }

  private func adopt(_ result: CommitResult, of save: InFlightSave) {
    for object in save.inserted {
      guard let permanent = result.permanentIDs[object.id] else { continue }
      objects[object.id] = nil
      if pending.removeValue(forKey: object.id) != nil { pending[permanent] = object }
      object.id = permanent
      object.version = 1
      objects[permanent] = object
    }
    // References to objects that were new in the same save keep their temporary key until here.
    for object in save.inserted + save.updated.map(\.object) {
      for (index, value) in object.values.enumerated() {
        if case .reference(let id) = value, let permanent = result.permanentIDs[id] {
          object.values[index] = .reference(permanent)
        }
      }
    }
    for (object, _) in save.updated { object.version += 1 }
    for object in save.deleted { objects[object.id] = nil }
  }

  private func restore(_ save: InFlightSave) {
    for object in save.inserted + save.deleted { pending[object.id] = object }
    for (object, snapshot) in save.updated {
      object.snapshot = snapshot
      pending[object.id] = object
    }
    upserts = save.upserts + upserts
  }

  private func validate(_ object: ManagedObject) throws(StoreError) {
    let entity = model[object.id.entity]
    for attribute in entity.attributes where !attribute.isOptional {
      let value = object.values[attribute.index]
      let isMissing = if case .reference(.none) = value { true } else { value.isNull }
      if isMissing { throw .invalid("\(entity.name).\(attribute.name) has no value") }
    }
  }
}
