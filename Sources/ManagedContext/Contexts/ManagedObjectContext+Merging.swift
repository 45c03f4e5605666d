extension ManagedObjectContext {
  /// Refreshes the registered objects that another context saved, in one query for each entity.
  ///
  /// Unsaved edits are kept; objects that were deleted stay readable and say so (``ManagedObject/isGone``).
  /// Doing it twice changes nothing more.
  /// - Returns: The registered objects that were refreshed.
  @discardableResult
  public func mergeChanges(from changes: ContextChanges) throws(StoreError) -> [ManagedObject] {
    for id in changes.deleted {
      guard let object = objects[id] else { continue }
      if object.isFault { fulfillFault(object) }
      object.isGone = true
    }
    var keys: [EntityIndex: [Int64]] = [:]
    // An object may have been inserted and registered here before the news of its insertion came.
    for id in changes.updated.union(changes.inserted) {
      guard let object = objects[id], !object.isFault, !object.isDeleted else { continue }
      keys[id.entity, default: []].append(id.key)
    }
    var refreshed: [ManagedObject] = []
    for (entity, keys) in keys {
      let rows = try parent.fetch(StoreQuery(entity: entity, predicate: .keys(keys)))
      for row in 0..<rows.count {
        guard let object = objects[ManagedObjectID(entity: entity, key: rows.keys[row])],
          object.version < rows.versions[row]
        else { continue }
        object.refresh(values: values(of: rows, row: row), version: rows.versions[row])
        refreshed.append(object)
      }
    }
    return refreshed
  }
}
