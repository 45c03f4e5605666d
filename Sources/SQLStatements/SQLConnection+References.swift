public import ManagedContext

extension SQLConnection {
  /// Scans all tables for the first reference to a missing row. Call this only if one may be broken.
  public func brokenReference(
    _ model: ManagedObjectModel, _ store: StoreNumber
  ) throws -> ValidationError? {
    for (place, entity) in model.entities.enumerated() {
      for (index, attribute) in entity.attributes.enumerated() {
        guard let destination = attribute.destination else { continue }
        let column = entity.column(index)
        let found = try integer(
          """
          SELECT id FROM \(entity.table) AS origin WHERE \(column) IS NOT NULL AND NOT EXISTS \
          (SELECT 1 FROM \(quoted(destination)) AS target WHERE target.id = origin.\(column)) ORDER BY id LIMIT 1
          """)
        guard let key = found else { continue }
        let id = ManagedObjectID(entity: EntityIndex(place), store: store, key: key)
        return try model.brokenReference(of: id, attribute: index) { attribute in
          let end = entity.attributes[attribute].destination.flatMap(model.index(named:))
          let other = try integer(
            "SELECT \(entity.column(attribute)) FROM \(entity.table) WHERE id = $1", .integer(key))
          guard let end, let other else { return nil }
          return ManagedObjectID(entity: end, store: store, key: other)
        }
      }
    }
    return nil
  }
}
