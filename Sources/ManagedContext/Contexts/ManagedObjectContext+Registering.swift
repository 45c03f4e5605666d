/// The rules for updating a context's objects from its parent's rows. Each row has one object.
///
/// - A row belongs to the object that is registered under its ID. Temporary IDs are replaced first, so that a
///   new object remains its row's object.
/// - The parent's row replaces the values that an object was read with. Unsaved edits stay, attribute by
///   attribute.
/// - A row to which this context applied its own changes contains nothing new. An unsaved object
///   (``ManagedObject/isUnsaved``) therefore accepts a row only from ``read(_:)`` and merges, never from a
///   fetch.
/// - If the parent no longer has the row, the object is gone and keeps its last known values. A save writes
///   only its edits, and the merge policy decides about them.
extension ManagedObjectContext {
  /// Returns the object for a fetched row: the registered one, or a new one with the row's values. The object
  /// is a fault if the row has no values.
  func register(_ rows: RowBatch, _ row: Int) -> ManagedObject {
    var pages: RowPages?
    return register(rows, row, &pages)
  }

  /// - Parameter pages: The pages of the rows, where a new object reads its values; nil to copy them.
  func register(_ rows: RowBatch, _ row: Int, _ pages: inout RowPages?) -> ManagedObject {
    let id = rows.id(row: row)
    // Objects read pages of whole rows alone.
    let isWhole =
      pages != nil || rows.leavesOutNulls || rows.columns.count == model[rows.entity].attributes.count
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
    let place = pages?.place(of: row)
    let seed = ManagedObjectSeed(
      id: id, context: self, values: isWhole && place == nil ? values(of: rows, row: row) : [],
      page: place?.page, pageRow: place?.row ?? 0, version: isWhole ? rows.versions[row] : 0,
      isFault: !isWhole)
    let object = (pages?.objectClass ?? model[rows.entity].objectClass).init(seed)
    if isWhole && stalenessInterval > 0 { object.readAt = clock() }
    objects[id] = object
    noteTemporaryReferences(of: object)
    return object
  }

  /// Returns whether a row has other values than the object was read with.
  ///
  /// A store's rows differ by version. A parent context returns changes that its children saved under the
  /// version of the row that it will later write.
  func isNews(_ rows: RowBatch, _ row: Int, to object: ManagedObject) -> Bool {
    if object.isGone { return true }
    return parent is any ContextOwner
      ? values(of: rows, row: row) != (object.snapshot ?? object.values)
      : object.version != rows.versions[row]
  }

  /// Returns whether a row may have other values than the object, if the row has no values to compare.
  private func mayBeNews(_ rows: RowBatch, _ row: Int, to object: ManagedObject) -> Bool {
    object.isGone || parent is any ContextOwner || object.version != rows.versions[row]
  }

  /// Turns registered objects into faults if the store's rows have other versions.
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

  /// Adopts a row from the parent.
  func take(_ rows: RowBatch, _ row: Int, into object: ManagedObject) {
    let stored = values(of: rows, row: row)
    let references = model.references[Int(object.id.entity)]
    if object.isGone
      || references.contains(where: {
        object.knownValue(at: $0) != stored[$0] && object.knownValue(at: $0) != nil
      })
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

  /// Marks an object that the parent no longer has. Its last known values stay readable.
  func markGone(_ object: ManagedObject) {
    object.isGone = true
    object.isFault = false
    if object.isDeleted {
      // The object was to be deleted, so its deletion elsewhere has the intended result despite earlier
      // edits.
      object.isDeleted = false
      object.snapshot = nil
    }
    settlePending(object)
    generations[Int(object.id.entity)] += 1
    if object.values.isEmpty { object.values = model[object.id.entity].defaults }
  }

  // MARK: Permanent IDs

  /// Adopts permanent IDs that objects have received, so that no object is mistaken for another.
  func learnIDs() {
    finishEndedSaves()
    adoptParentIDs()
  }

  /// Adopts the IDs that the parent's objects received since the last call, and passes them to the children.
  func adoptParentIDs() {
    guard let changes = parentIDs?.gathered.take(), !changes.isEmpty else { return }
    adoptPermanentIDs(changes.permanentIDs)
    notices.post(changes)
  }

  /// Replaces temporary IDs with the store's permanent IDs throughout this context.
  func adoptPermanentIDs(_ ids: [ManagedObjectID: ManagedObjectID]) {
    guard !ids.isEmpty else { return }
    permanentIDs.add(ids)
    // Most objects saved elsewhere are unknown here, so the shorter list is iterated.
    let registered =
      objects.count < ids.count ? objects.all.map(\.id).filter { ids[$0] != nil } : Array(ids.keys)
    var superseded: [(known: ManagedObject, object: ManagedObject)] = []
    for temporary in registered {
      guard let permanent = ids[temporary], let object = objects.remove(temporary) else {
        continue
      }
      let isPending = pending.remove(object)
      object.id = permanent
      if let known = objects.remove(permanent) {
        pending.remove(known)
        superseded.append((known, object))
      }
      objects[permanent] = object
      if isPending { pending.insert(object) }
      generations[Int(permanent.entity)] += 1
    }
    pending.renameEnds(ids)
    resolveReferences()
    for (known, object) in superseded { supersede(known, by: object) }
  }

  /// Replaces a row's registered object with a new object that became this row. The new object keeps its
  /// unsaved changes.
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

  /// Replaces references to objects that now have permanent IDs.
  private func resolveReferences() {
    pending.objects.forEach(resolveReferences)
    for save in inFlight.values { save.objects.forEach(resolveReferences) }
    let referring = referringToTemporary
    referringToTemporary = []
    for id in referring {
      if let object = objects[permanentIDs[id]] { resolveReferences(of: object) }
    }
  }

  /// Records an object that refers to objects without a permanent ID.
  ///
  /// Rows in a store never contain such references. Rows from a context, or saved to one, may.
  private func noteTemporaryReferences(of object: ManagedObject) {
    guard parentIDs != nil else { return }
    let refers = model.references[Int(object.id.entity)].contains { attribute in
      object.knownValue(at: attribute)?.isTemporaryReference == true
    }
    if refers { referringToTemporary.insert(object.id) }
  }

  /// Replaces an object's references to objects that now have permanent IDs.
  func resolveReferences(of object: ManagedObject) {
    for attribute in model.references[Int(object.id.entity)] {
      if let resolved = object.knownValue(at: attribute).flatMap(resolved) {
        object.values[attribute] = resolved
      }
      if let value = object.snapshot?[attribute], let resolved = resolved(value) {
        object.snapshot?[attribute] = resolved
      }
    }
    noteTemporaryReferences(of: object)
  }

  private func resolved(_ value: AttributeValue) -> AttributeValue? {
    value.isTemporaryReference ? value.mappingID { permanentIDs[$0] } : nil
  }
}
