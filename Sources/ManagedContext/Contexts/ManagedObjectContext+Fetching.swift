extension ManagedObjectContext {
  /// The objects that a request asks for, as the store has them; registered ones keep their unsaved edits.
  ///
  /// Objects that this context has marked as deleted are left out.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StoreError) -> [Object] {
    let rows = try parent.fetch(request.query(model: model))
    var found: [Object] = []
    found.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      let id = ManagedObjectID(entity: rows.entity, key: rows.keys[row])
      if let known = objects[id] {
        guard let object = known as? Object, !object.isDeleted else { continue }
        if object.version < rows.versions[row] {
          object.refresh(values: values(of: rows, row: row), version: rows.versions[row])
        }
        found.append(object)
      } else {
        let object = Object(
          ManagedObjectSeed(
            id: id, context: self, values: values(of: rows, row: row), version: rows.versions[row]))
        objects[id] = object
        found.append(object)
      }
    }
    return found
  }

  /// How many objects a request asks for, as the store has them.
  public func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(StoreError) -> Int {
    try parent.count(request.query(model: model))
  }

  /// Some attributes of the objects that a request asks for, without making objects.
  public func rows<Object: ManagedObject>(
    _ request: FetchRequest<Object>, columns: [Int]
  ) throws(StoreError) -> RowBatch {
    try parent.fetch(request.query(model: model, columns: columns))
  }
}
