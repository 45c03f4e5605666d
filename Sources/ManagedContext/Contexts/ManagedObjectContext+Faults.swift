extension ManagedObjectContext {
  /// Reads the row of a fault, and those of its batch; where it is gone or unreadable its values stay as last known.
  func fulfillFault(_ object: ManagedObject) {
    queue.check()
    guard object.isFault else { return }
    if stalenessInterval > 0, object.readAt > 0, clock() - object.readAt <= stalenessInterval {
      object.isFault = false
      return
    }
    var faults = [object]
    if let page = object.batch?.page(around: object.id) {
      faults += page.compactMap { objects[$0] }.filter { $0.isFault && $0 !== object }
    }
    do throws(StoreError) {
      try read(faults)
      faultError = nil
    } catch {
      faultError = error
    }
  }

  /// Reads objects anew, keeping their unsaved edits; those that the parent has no more are gone.
  func read(_ wanted: [ManagedObject]) throws(StoreError) {
    guard let entity = wanted.first?.id.entity else { return }
    let rows = try parent.fetch(StoreQuery(entity: entity, predicate: .ids(wanted.map(\.id))))
    if rows.count == 1, wanted.count == 1, rows.id(row: 0) != wanted[0].id {
      // The parent has saved it meanwhile: it knows the object by another name now.
      adoptPermanentIDs([wanted[0].id: rows.id(row: 0)])
    }
    var found: Set<ManagedObjectID> = []
    for row in 0..<rows.count {
      guard let object = objects[rows.id(row: row)] else { continue }
      take(rows, row, into: object)
      found.insert(object.id)
    }
    for object in wanted where !found.contains(object.id) { markGone(object) }
  }

  /// Whether a row has other values than the object was read with.
  ///
  /// A store's rows tell by their version. A parent that is a context has what its children saved under the version
  /// of the row that it will write one day.
  func isNews(_ rows: RowBatch, _ row: Int, to object: ManagedObject) -> Bool {
    if object.version < rows.versions[row] { return true }
    return parent is any ContextOwner && values(of: rows, row: row) != (object.snapshot ?? object.values)
  }

  /// Takes over a row that was read.
  func take(_ rows: RowBatch, _ row: Int, into object: ManagedObject) {
    let stored = values(of: rows, row: row)
    let references = model.references[Int(object.id.entity)]
    if !object.values.isEmpty, references.contains(where: { object.values[$0] != stored[$0] }) {
      generations[Int(object.id.entity)] += 1
    }
    let shown = didRefreshObject == nil ? [] : object.values
    object.refresh(values: stored, version: rows.versions[row])
    if !shown.isEmpty && shown != object.values { didRefreshObject?(object) }
    if stalenessInterval > 0 { object.readAt = clock() }
  }

  /// The parent has no such object any more; its values stay as last known.
  func markGone(_ object: ManagedObject) {
    object.isGone = true
    object.isFault = false
    generations[Int(object.id.entity)] += 1
    if object.values.isEmpty { object.values = model[object.id.entity].defaults }
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
