extension ManagedObjectContext {
  /// Reads the related objects of several objects, in one or two queries.
  func prefetch<Object: ManagedObject>(
    _ path: any PartialKeyPath<Object> & Sendable, of objects: [Object]
  ) throws(StoreError) {
    let relation = try model.relation(at: PropertyPath(relationship: path))
    guard !objects.isEmpty else { return }
    switch relation.storage {
    case .attribute(let attribute):
      let ids = objects.compactMap { object -> ManagedObjectID? in
        if object.isFault { fulfillFault(object) }
        guard case .reference(let id) = object.knownValue(at: attribute) else { return nil }
        return id
      }
      try readFaults(Set(ids))
    case .inverse(let attribute):
      let owners = objects.map { AttributeValue.reference($0.id) }
      let rows = try rows(StoreQuery(entity: relation.destination, predicate: .among(attribute, owners)))
      var led: [ManagedObjectID: [ManagedObjectID]] = [:]
      for row in 0..<rows.count {
        let other = register(rows, row)
        guard case .reference(let owner) = other.knownValue(at: attribute) else { continue }
        led[owner, default: []].append(other.id)
      }
      for object in objects { setRelated(led[object.id] ?? [], of: object, relation) }
    case .join:
      let led = try related(relation, to: objects.map(\.id))
      // An unsaved pair may lead to an object that was deleted elsewhere.
      let others = try rows(
        StoreQuery(entity: relation.destination, predicate: .ids(Array(Set(led.values.joined())))))
      for row in 0..<others.count { _ = register(others, row) }
      let found = Set(others.ids)
      for object in objects {
        setRelated((led[object.id] ?? []).filter(found.contains), of: object, relation)
      }
    }
  }
}
