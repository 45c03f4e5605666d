extension ManagedObjectContext {
  /// Forgets all objects and unsaved changes.
  ///
  /// Objects that are still held keep their values but have no context. A saved object's temporary ID still
  /// leads to it.
  public func reset() {
    queue.check()
    // In a context that is reset after each save, nothing else may apply their outcomes.
    finishAbandonedSaves()
    for object in objects.all { object.context = nil }
    // Running saves may fail.
    let undone = pending.objects + inFlight.values.flatMap(\.objects)
    objects = ObjectTable()
    pending.removeAll()
    batches = []
    for (id, save) in inFlight { abandoned[id] = save.ticket }
    inFlight = [:]
    unruled = []
    missedMerges = []
    referringToTemporary = []
    defect = nil
    failedReads = [:]
    faultError = nil
    if let didChangeObject { undone.forEach(didChangeObject) }
    didReset?()
  }

  /// Discards all unsaved changes.
  public func rollback() {
    queue.check()
    finishEndedSaves()
    let undone = pending.objects
    pending.removeAll()
    for object in undone { undo(object) }
    batches = []
    unruled = []
    defect = nil
    failedReads = [:]
    if let didChangeObject { undone.forEach(didChangeObject) }
  }

  /// Reverts an object's changes after its removal from the pending objects.
  private func undo(_ object: ManagedObject) {
    object.isDeleted = false
    generations[Int(object.id.entity)] += 1
    if object.isInserted {
      objects[object.id] = nil
      object.isDeleted = true
    }
    if let snapshot = object.snapshot {
      object.values = snapshot
      object.snapshot = nil
    }
  }

  /// Turns an object into a fault, together with the objects that only its relationships lead to.
  ///
  /// With unsaved edits that stay, it is read at once. The call has no effect on an object that was never
  /// saved.
  ///
  /// - Parameters:
  ///   - object: An object in this context.
  ///   - mergeChanges: True to keep its unsaved edits. False discards them, and recursively forgets the
  ///     objects that its relationships lead to, unless other code holds them or they have unsaved changes.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    queue.check()
    finishEndedSaves()
    let object = object.current
    guard object.context === self, !object.isInserted else { return }
    if !mergeChanges {
      if pending.remove(object) {
        undo(object)
        didChangeObject?(object)
      }
      forgetUnheldObjects(relatedTo: object)
    }
    object.related = []
    // If the read fails, the edits stay on the values read before.
    try? readAgain([object])
  }

  /// Turns all objects into faults. Unsaved edits stay.
  public func refreshAllObjects() {
    queue.check()
    for entity in generations.indices { generations[entity] += 1 }
    for group in Dictionary(grouping: objects.all, by: \.id.entity).values {
      try? readAgain(group.filter { !$0.isInserted })
    }
  }
}
