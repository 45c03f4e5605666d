/// What a context has of rows: one object for each, and what a row of the parent may do to it.
///
/// - A row belongs to the object that is registered under its ID. Temporary IDs are replaced before a row is looked at,
///   so that a new object stays the object of its row.
/// - The parent's row replaces what an object was read with. Unsaved edits stay over it, attribute by attribute.
/// - A row that this context has laid its own changes over is no news to it: an unsaved object (``ManagedObject/isUnsaved``)
///   takes a row only where the parent was asked for it (``read(_:)`` and merges), never from a fetch.
/// - A row that the parent has no more leaves an object that is gone, with the values last known. Nothing of it is
///   saved but edits: the merge policy says what becomes of those.
extension ManagedObjectContext {
  /// The object of a row that was fetched: the registered one, or a new one with the row's values (a fault where the row
  /// has none).
  func register(_ rows: RowBatch, _ row: Int) -> ManagedObject {
    let id = rows.id(row: row)
    let isWhole = rows.leavesOutNulls || rows.columns.count == model[rows.entity].attributes.count
    if let known = objects[id] {
      if known.isUnsaved { return known }
      if isWhole {
        if known.isFault || isNews(rows, row, to: known) { take(rows, row, into: known) }
      } else if mayBeNews(rows, row, to: known) {
        known.isFault = true
        known.readAt = 0
      }
      return known
    }
    releaseUnusedObjects()
    let seed = ManagedObjectSeed(
      id: id, context: self, values: isWhole ? values(of: rows, row: row) : [],
      version: isWhole ? rows.versions[row] : 0, isFault: !isWhole)
    let object = model[rows.entity].objectClass.init(seed)
    if isWhole && stalenessInterval > 0 { object.readAt = clock() }
    objects[id] = object
    noteTemporaryReferences(of: object)
    return object
  }

  /// Whether a row has other values than the object was read with.
  ///
  /// A store's rows tell by their version. A parent that is a context has what its children saved under the version
  /// of the row that it will write one day.
  func isNews(_ rows: RowBatch, _ row: Int, to object: ManagedObject) -> Bool {
    if object.isGone { return true }
    return parent is any ContextOwner
      ? values(of: rows, row: row) != (object.snapshot ?? object.values)
      : object.version != rows.versions[row]
  }

  /// The same for a row without its values.
  private func mayBeNews(_ rows: RowBatch, _ row: Int, to object: ManagedObject) -> Bool {
    object.isGone || parent is any ContextOwner || object.version != rows.versions[row]
  }

  /// Has registered objects read anew with their next use where a store's rows have other versions.
  func readChanged(among rows: RowBatch) {
    guard !(parent is any ContextOwner) else { return }
    for row in 0..<rows.count {
      guard let known = objects[rows.id(row: row)], !known.isUnsaved, mayBeNews(rows, row, to: known) else {
        continue
      }
      known.isFault = true
      known.readAt = 0
    }
  }

  /// Takes over a row that the parent has.
  func take(_ rows: RowBatch, _ row: Int, into object: ManagedObject) {
    let stored = values(of: rows, row: row)
    let references = model.references[Int(object.id.entity)]
    if object.isGone
      || !object.values.isEmpty && references.contains(where: { object.values[$0] != stored[$0] })
    {
      generations[Int(object.id.entity)] += 1
    }
    let shown = didRefreshObject == nil ? [] : object.values
    let wasEdited = object.snapshot != nil
    object.refresh(values: stored, version: rows.versions[row])
    noteTemporaryReferences(of: object)
    if wasEdited { settlePending(object) }
    if !shown.isEmpty && shown != object.values { didRefreshObject?(object) }
    if stalenessInterval > 0 { object.readAt = clock() }
  }

  /// The parent has no such object any more; its values stay as last known.
  func markGone(_ object: ManagedObject) {
    object.isGone = true
    object.isFault = false
    if object.isDeleted {
      // That it goes is what was wanted, whatever was edited before.
      object.isDeleted = false
      object.snapshot = nil
    }
    settlePending(object)
    generations[Int(object.id.entity)] += 1
    if object.values.isEmpty { object.values = model[object.id.entity].defaults }
  }

  // MARK: Permanent IDs

  /// Takes over the IDs that objects got meanwhile, so that none is taken for another's.
  func learnIDs() {
    finishEndedSaves()
    adoptParentIDs()
  }

  /// Takes over the IDs that the parent's objects got since the last time, and tells the children of them.
  func adoptParentIDs() {
    guard let ids = parentIDs?.take() else { return }
    adoptPermanentIDs(ids)
    var changes = ContextChanges()
    changes.permanentIDs = ids
    notices.post(changes)
  }

  /// Gives objects the IDs that a store gave them, wherever this context knows them.
  func adoptPermanentIDs(_ ids: [ManagedObjectID: ManagedObjectID]) {
    guard !ids.isEmpty else { return }
    permanentIDs.add(ids)
    // Of what was saved elsewhere most is not known here: the shorter list is gone through.
    let registered = objects.count < ids.count ? objects.keys.filter { ids[$0] != nil } : Array(ids.keys)
    var superseded: [(known: ManagedObject, object: ManagedObject)] = []
    for temporary in registered {
      guard let permanent = ids[temporary], let object = objects.removeValue(forKey: temporary) else {
        continue
      }
      let isPending = pending.remove(object)
      object.id = permanent
      if let known = objects.updateValue(object, forKey: permanent) {
        pending.remove(known)
        superseded.append((known, object))
      }
      if isPending { pending.insert(object) }
      generations[Int(permanent.entity)] += 1
    }
    pending.renameEnds(ids)
    resolveReferences()
    for (known, object) in superseded { supersede(known, by: object) }
  }

  /// A new object turned out to be a row that another object stands for: it takes that one's place, with its unsaved
  /// changes.
  private func supersede(_ known: ManagedObject, by object: ManagedObject) {
    let edits = known.changedAttributes.map { (index: $0, value: known.values[$0]) }
    let wasDeleted = known.isDeleted
    known.snapshot = nil
    object.state.set(.inFlight, known.state.contains(.inFlight))
    known.related = []
    known.state = .superseded
    known.isFault = true
    object.isFault = true
    object.readAt = 0
    for edit in edits { object.setValue(edit.value, at: edit.index) }
    if wasDeleted { delete(object) }
  }

  /// Replaces references to objects that have permanent IDs by now.
  private func resolveReferences() {
    pending.objects.forEach(resolveReferences)
    for save in inFlight.values { save.objects.forEach(resolveReferences) }
    let referring = referringToTemporary
    referringToTemporary = []
    for id in referring {
      if let object = objects[permanentIDs[id]] { resolveReferences(of: object) }
    }
  }

  /// Notes an object that refers to others which have no permanent ID yet.
  ///
  /// What came from a store has no such references; what came from a context may, and what was saved to one.
  private func noteTemporaryReferences(of object: ManagedObject) {
    guard parentIDs != nil else { return }
    let refers = model.references[Int(object.id.entity)].contains { attribute in
      attribute < object.values.count && object.values[attribute].isTemporaryReference
    }
    if refers { referringToTemporary.insert(object.id) }
  }

  /// Replaces an object's references to objects that have permanent IDs by now.
  func resolveReferences(of object: ManagedObject) {
    for attribute in model.references[Int(object.id.entity)] where attribute < object.values.count {
      if let resolved = resolved(object.values[attribute]) { object.values[attribute] = resolved }
      if let value = object.snapshot?[attribute], let resolved = resolved(value) {
        object.snapshot?[attribute] = resolved
      }
    }
    noteTemporaryReferences(of: object)
  }

  private func resolved(_ value: AttributeValue) -> AttributeValue? {
    guard case .reference(let id) = value, id.isTemporary else { return nil }
    let known = permanentIDs[id]
    return known == id ? nil : .reference(known)
  }
}
