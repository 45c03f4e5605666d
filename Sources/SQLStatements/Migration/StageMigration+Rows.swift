internal import ManagedContext

extension StageMigration {
  /// Copies an entity's rows to its new table. No value has another type.
  func copyRows(to place: Int) throws {
    let step = plan.steps[place]
    try checkForMissingValues(step)
    let values = zip(step.entity.attributes, step.columns).map { attribute, source in
      let fallback = attribute.defaultValue.sqlExpression(Connection.dialect)
      guard let column = source.map({ quoted($0.name) }) else { return fallback }
      let fillsGaps = !attribute.isOptional && !attribute.defaultValue.isNull
      return fillsGaps ? "coalesce(\(column), \(fallback))" : column
    }
    let columns = ["id", "version"] + step.entity.attributes.indices.map(step.entity.column)
    try connection.run(
      """
      INSERT INTO \(quoted(MigrationPlan.newName(place))) (\(columns.joined(separator: ", "))) \
      SELECT \((["id", "version"] + values).joined(separator: ", ")) FROM \(step.entity.table) ORDER BY id
      """)
  }

  private func checkForMissingValues(_ step: MigrationPlan.Step) throws {
    for (attribute, source) in zip(step.entity.attributes, step.columns) {
      guard !attribute.isOptional, attribute.defaultValue.isNull, source?.isRequired != true else { continue }
      let condition = source.map { " WHERE \(quoted($0.name)) IS NULL" } ?? ""
      guard let row = try connection.integer("SELECT id FROM \(step.entity.table)\(condition) LIMIT 1") else {
        continue
      }
      // A new attribute is missing in every row, so the error names no row.
      throw StoreError.validation(
        ValidationError(
          entity: step.entity.name, attribute: attribute.name,
          object: source.flatMap { _ in id(row, of: step.entity) }, cause: .missingValue))
    }
  }

  /// Refuses references that led to another entity: their keys would lead to unrelated rows.
  func checkDestinations() throws {
    for step in plan.steps {
      guard let table = step.source?.name, let found = shapes.first(where: { $0.name == table }) else {
        continue
      }
      for (attribute, column) in zip(step.entity.attributes, step.columns) {
        guard let destination = attribute.destination, let column, column.destination != destination,
          found.columns.contains(where: { $0.name == column.name && $0.destination != nil }),
          let row = try connection.integer(
            "SELECT id FROM \(quoted(table)) WHERE \(quoted(column.name)) IS NOT NULL ORDER BY id LIMIT 1")
        else { continue }
        throw StoreError.validation(
          ValidationError(
            entity: step.entity.name, attribute: attribute.name, object: id(row, of: step.entity),
            cause: .brokenRelationship))
      }
    }
  }

  /// Converts the old version's numbers to 0 and 1, which predicates compare. The column type is the same.
  func makeTruthValues(_ step: MigrationPlan.Step) throws {
    for (attribute, source) in zip(step.entity.attributes, step.columns)
    where attribute.type == .boolean && source != nil {
      let name = quoted(attribute.name)
      try connection.run("UPDATE \(step.entity.table) SET \(name) = 1 WHERE \(name) NOT IN (0, 1)")
    }
  }

  /// Reports two rows with the same values; the database's own error would only name the columns.
  func checkUniqueness(_ attributes: [String], of entity: EntityDescription) throws {
    let names = attributes.map(quoted)
    let present = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let twice = try connection.rows(
      """
      SELECT min(id), max(id) FROM \(entity.table) WHERE \(present) \
      GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
      """, []
    ) { [$0.integer(0), $0.integer(1)].compactMap(\.self) }.first
    guard let twice, twice.count == 2, let first = id(twice[0], of: entity),
      let last = id(twice[1], of: entity)
    else { return }
    var values: [String: AttributeValue] = [:]
    for attribute in entity.attributes where attributes.contains(attribute.name) {
      values[attribute.name] = try value(of: attribute, in: last)
    }
    throw StoreError.conflict([
      MergeConflict(
        object: last, entity: entity.name, kind: .unique(attributes: attributes, other: first),
        objectValues: values, storeValues: values)
    ])
  }

  private func value(
    of attribute: AttributeDescription, in id: ManagedObjectID
  ) throws -> AttributeValue {
    let text = "SELECT \(quoted(attribute.name)) FROM \(model[id.entity].table) WHERE id = $1"
    let value = try connection.rows(text, [.integer(id.key)]) { $0.value(0, attribute.type) }.first ?? .null
    guard case .integer(let key) = value, let name = attribute.destination,
      let destination = model.index(named: name)
    else { return value }
    return .reference(ManagedObjectID(entity: destination, store: store, key: key))
  }

  func id(_ key: Int64, of entity: EntityDescription) -> ManagedObjectID? {
    model.index(named: entity.name).map { ManagedObjectID(entity: $0, store: store, key: key) }
  }
}
