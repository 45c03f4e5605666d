extension ManagedObjectContext {
  /// Refreshes the registered objects that another context saved, in one query for each entity.
  ///
  /// Unsaved edits are kept; objects that were deleted stay readable and say so (``ManagedObject/isGone``).
  /// Doing it twice changes nothing more.
  /// - Throws: What keeps the parent from being read; merge again then.
  /// - Returns: The registered objects that were refreshed.
  @discardableResult
  public func mergeChanges(from changes: ContextChanges) throws(StoreError) -> [ManagedObject] {
    queue.check()
    settleSaves()
    adoptParentIDs()
    adoptPermanentIDs(changes.permanentIDs)
    noteRelationships(in: changes)
    var stale: [EntityIndex: [ManagedObject]] = [:]
    // An object may have been inserted and registered here before the news of its insertion came.
    for id in registered(among: changes) {
      guard let object = objects[id] else { continue }
      object.readAt = 0
      if object.state.contains(.inFlight) {
        missedMerges.insert(id)
      } else if !object.isFault || changes.deleted.contains(id) {
        stale[id.entity, default: []].append(object)
      }
    }
    var refreshed: [ManagedObject] = []
    for (entity, objects) in stale {
      // Deleted ones too: news of several saves may come in another order than they were written in.
      let rows = try parentRows(StoreQuery(entity: entity, predicate: .ids(objects.map(\.id))))
      for row in 0..<rows.count {
        guard let object = self.objects[rows.id(row: row)], object.isFault || isNews(rows, row, to: object)
        else { continue }
        take(rows, row, into: object)
        refreshed.append(object)
      }
      guard rows.count < objects.count else { continue }
      let found = Set(rows.ids)
      for object in objects where !found.contains(object.id) { markGone(object) }
    }
    notices.post(changes)
    return refreshed
  }

  /// Relationships may lead elsewhere now: what is known of them is forgotten, and delete rules are applied once more.
  private func noteRelationships(in changes: ContextChanges) {
    var touched = changes.inserted.entities.union(changes.deleted.map(\.entity))
    for (id, attributes) in changes.updated
    where !attributes.isDisjoint(with: model.referenceSets[Int(id.entity)]) {
      touched.insert(id.entity)
    }
    for entity in touched { generations[Int(entity)] += 1 }
    if !touched.isEmpty { applyDeleteRulesAgain() }
  }

  /// The objects of this context that were inserted, updated or deleted.
  ///
  /// An import changes many objects while a main context shows few: the shorter list is gone through.
  private func registered(among changes: ContextChanges) -> [ManagedObjectID] {
    if objects.count < changes.updated.count + changes.inserted.count + changes.deleted.count {
      return objects.keys.filter {
        changes.updated[$0] != nil || changes.deleted.contains($0) || changes.inserted.contains($0)
      }
    }
    let isRegistered = { [objects] (id: ManagedObjectID) in objects[id] != nil }
    // One that was deleted and inserted again is told of twice.
    return changes.updated.keys.filter(isRegistered) + changes.inserted.filter(isRegistered)
      + changes.deleted.filter { isRegistered($0) && !changes.inserted.contains($0) }
  }
}
