extension ManagedObjectContext {
  /// Refreshes the registered objects that another context saved, with one query for each entity.
  ///
  /// Unsaved edits are kept. Deleted objects stay readable, and their ``ManagedObject/isGone`` is true.
  /// Merging the same changes again has no effect.
  ///
  /// - Throws: The parent's error if it cannot be read; merge again then.
  /// - Returns: The registered objects that were refreshed.
  @discardableResult
  public func mergeChanges(from changes: ContextChanges) throws(StoreError) -> [ManagedObject] {
    queue.check()
    settleSaves()
    adoptParentIDs()
    adoptPermanentIDs(changes.permanentIDs)
    noteRelationships(in: changes)
    var stale: [EntityIndex: [ManagedObject]] = [:]
    // An object may be inserted and registered here before the notification of its insertion arrives.
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
      // Deleted objects are included, because notifications may arrive in another order than the saves.
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

  /// Forgets cached relationships, which may have changed, and applies delete rules again.
  private func noteRelationships(in changes: ContextChanges) {
    var touched = changes.inserted.entities.union(changes.deleted.map(\.entity))
    for (id, attributes) in changes.updated
    where !attributes.isDisjoint(with: model.referenceSets[Int(id.entity)]) {
      touched.insert(id.entity)
    }
    for entity in touched { generations[Int(entity)] += 1 }
    if !touched.isEmpty { applyDeleteRulesAgain() }
  }

  /// Returns this context's objects that were inserted, updated or deleted.
  ///
  /// An import changes many objects while a main context has few, so the shorter list is iterated.
  private func registered(among changes: ContextChanges) -> [ManagedObjectID] {
    if objects.count < changes.updated.count + changes.inserted.count + changes.deleted.count {
      return objects.all.map(\.id).filter {
        changes.updated[$0] != nil || changes.deleted.contains($0) || changes.inserted.contains($0)
      }
    }
    let isRegistered = { [objects] (id: ManagedObjectID) in objects[id] != nil }
    // An object that was deleted and inserted again is in both lists.
    return changes.updated.keys.filter(isRegistered) + changes.inserted.filter(isRegistered)
      + changes.deleted.filter { isRegistered($0) && !changes.inserted.contains($0) }
  }
}
