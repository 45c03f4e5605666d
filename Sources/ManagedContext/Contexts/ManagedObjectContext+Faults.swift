extension ManagedObjectContext {
  /// Reads a fault's row, and the rows of the other faults in its page. If a row is gone or unreadable, the
  /// last known values stay.
  func fulfillFault(_ object: ManagedObject) {
    queue.check()
    guard object.isFault else { return }
    if stalenessInterval > 0, object.readAt > 0, clock() - object.readAt <= stalenessInterval {
      object.isFault = false
      return
    }
    var faults = [object]
    if let page = object.batch?.page(around: object.id) {
      faults += page.compactMap { objects[$0] }.filter {
        $0.isFault && $0 !== object && !$0.state.contains(.inFlight)
      }
    }
    do throws(StoreError) {
      try read(faults)
      noteRead(of: object)
    } catch {
      noteFailedRead(error, of: object)
    }
  }

  /// Records that an object's values or a relationship could not be read. They read as empty, and the
  /// program's changes may follow from that.
  func noteFailedRead(_ error: StoreError, of object: ManagedObject) {
    faultError = error
    failedReads[object.id] = error
  }

  /// Records that an object's values or a relationship were read.
  func noteRead(of object: ManagedObject) {
    faultError = nil
    if !failedReads.isEmpty, !hasChanges { failedReads[object.id] = nil }
  }

  /// Makes the next save fail, with the first error since the last save.
  func noteDefect(_ error: StoreError) {
    if defect == nil { defect = error }
  }

  /// Reads objects now. Objects that the parent no longer has are marked as gone.
  ///
  /// - Parameter wanted: Objects of one entity that are not being saved.
  func read(_ wanted: [ManagedObject]) throws(StoreError) {
    guard let entity = wanted.first?.id.entity else { return }
    let rows = try parentRows(StoreQuery(entity: entity, predicate: .ids(wanted.map(\.id))))
    var found: Set<ManagedObjectID> = []
    for row in 0..<rows.count {
      guard let object = objects[rows.id(row: row)] else { continue }
      take(rows, row, into: object)
      found.insert(object.id)
    }
    for object in wanted where !found.contains(object.id) { markGone(object) }
  }

  /// Schedules objects to be read again because their rows may have changed. Objects with unsaved edits,
  /// which stay, are read now. Objects that are being saved wait for their saves, which contain their current
  /// values.
  func readAgain(_ wanted: [ManagedObject]) throws(StoreError) {
    var edited: [ManagedObject] = []
    for object in wanted {
      if object.state.contains(.inFlight) {
        missedMerges.insert(object.id)
      } else if object.snapshot == nil && !object.isDeleted {
        object.isFault = true
      } else if !object.isFault {
        edited.append(object)
      }
    }
    for group in Dictionary(grouping: edited, by: \.id.entity).values { try read(group) }
  }

  /// Queries the parent, and adopts its objects' new IDs before the answer is used.
  func parentRows(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    var rows = try parent.fetch(translated(query))
    adoptParentIDs()
    // A parent context may have saved since it answered.
    if parentIDs != nil { rows.replaceTemporaryIDs { permanentIDs[$0] } }
    return rows
  }

  /// Returns the query with permanent IDs for objects that it names by temporary ones.
  func translated(_ query: StoreQuery) -> StoreQuery {
    guard !permanentIDs.isEmpty else { return query }
    return query.mappingPredicates { $0.mappingIDs { permanentIDs[$0] } }
  }

  func values(of rows: RowBatch, row: Int) -> [AttributeValue] {
    guard rows.leavesOutNulls else {
      return rows.columns.indices.map { rows.value(row: row, column: $0, model: model) }
    }
    var values = [AttributeValue](repeating: .null, count: model[rows.entity].attributes.count)
    for (column, attribute) in rows.columns.enumerated() {
      values[attribute] = rows.value(row: row, column: column, model: model)
    }
    return values
  }
}
