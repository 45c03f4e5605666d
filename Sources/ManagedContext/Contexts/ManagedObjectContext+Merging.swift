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
    adoptPermanentIDs(changes.permanentIDs)
    for id in changes.deleted {
      guard let object = objects[id] else { continue }
      if object.isDeleted { pending[id.entity]?[id] = nil }
      markGone(object)
    }
    let saving = Set(inFlight.values.flatMap { $0.objects.map(\.id) })
    var stale: [EntityIndex: [ManagedObjectID]] = [:]
    // An object may have been inserted and registered here before the news of its insertion came.
    for id in registered(among: changes) {
      guard let object = objects[id], !object.isDeleted else { continue }
      if saving.contains(id) {
        // How its save ends says what the object is; only a failed one needs to know what it met.
        missedMerges.insert(id)
        continue
      }
      object.readAt = 0
      if !object.isFault { stale[id.entity, default: []].append(id) }
    }
    for id in changes.inserted { generations[Int(id.entity)] += 1 }
    var refreshed: [ManagedObject] = []
    for (entity, ids) in stale {
      let rows = try parent.fetch(StoreQuery(entity: entity, predicate: .ids(ids)))
      for row in 0..<rows.count {
        guard let object = objects[rows.id(row: row)], isNews(rows, row, to: object) else { continue }
        take(rows, row, into: object)
        refreshed.append(object)
      }
    }
    notices.post(changes)
    return refreshed
  }

  /// The objects of this context that were inserted or updated.
  ///
  /// An import changes many objects while a main context shows few: the shorter list is gone through.
  private func registered(among changes: ContextChanges) -> [ManagedObjectID] {
    if objects.count < changes.updated.count + changes.inserted.count {
      return objects.keys.filter { changes.updated[$0] != nil || changes.inserted.contains($0) }
    }
    return (Array(changes.updated.keys) + Array(changes.inserted)).filter { objects[$0] != nil }
  }
}
