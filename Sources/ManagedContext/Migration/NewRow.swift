/// A row that a migration writes. Its values have the names of the version to which the store is migrated.
///
/// A row that existed before has its old values, converted if the type has changed. Other attributes have their
/// defaults.
public struct NewRow {
  /// True if the row, which existed before, is deleted. Rows that refer to it must be changed too.
  public var isDeleted = false
  let entity: NewTable
  var values: [AttributeValue]
  private(set) var failure: StoreError?

  init(_ entity: NewTable, _ values: [AttributeValue]) { (self.entity, self.values) = (entity, values) }

  /// The value of an attribute; nil without a value, or if it has another type.
  ///
  /// A reference is its row's key, an `Int64`. An unknown name, or a value of another type, ends the migration
  /// after the row.
  public subscript<Value: AttributeConvertible>(name: String, as type: Value.Type = Value.self) -> Value? {
    get { place(of: name).flatMap { Value(attributeValue: values[$0]) } }
    set {
      guard let place = place(of: name) else {
        failure = .incompatible(
          "\(entity.description.name) has no attribute \(name) in version \(entity.version)")
        return
      }
      values[place] =
        newValue?.attributeValue.stored(as: entity.description.attributes[place].type) ?? .null
    }
  }

  private func place(of name: String) -> Int? { entity.places[name] }

  /// Returns the values as a store keeps them.
  ///
  /// - Throws: ``StoreError/validation(_:)`` with the attribute if a value is missing or has another type.
  func checked(_ id: ManagedObjectID?) throws(StoreError) -> [AttributeValue] {
    if let failure { throw failure }
    var checked = values
    for attribute in entity.description.attributes {
      let value = values[attribute.index]
      if let stored = stored(value, attribute) {
        checked[attribute.index] = stored
        continue
      }
      throw .validation(
        ValidationError(
          entity: entity.description.name, attribute: attribute.name, object: id,
          cause: value.isNull
            ? .missingValue : value.isNaN ? .notANumber : .wrongType(expected: attribute.type),
          value: value.isNull ? nil : value))
    }
    return checked
  }

  private func stored(_ value: AttributeValue, _ attribute: AttributeDescription) -> AttributeValue? {
    switch (value, attribute.type) {
    case (.null, _): attribute.isOptional ? value : nil
    case (.reference(let id), .reference): id.isTemporary ? nil : .integer(id.key)
    case (.integer, .reference): value
    case (.integer(let number), .boolean): .integer(number == 0 ? 0 : 1)
    case (.integer, .real), (.integer, .secondsSince1970): value.converted(to: attribute.type)
    default: attribute.type.accepts(value) && !value.isNaN ? value : nil
    }
  }
}

/// A row of an entity with a schema, which a migration writes: `row.born` is the attribute's value, and
/// `row.author` is the key of the related row.
@dynamicMemberLookup
public struct NewEntityRow<Object: Entity> {
  /// The row with its values by name.
  public var row: NewRow

  /// True if the row, which existed before, is deleted. Rows that refer to it must be changed too.
  public var isDeleted: Bool {
    get { row.isDeleted }
    set { row.isDeleted = newValue }
  }

  /// The value of an attribute; the type's placeholder without a value, or if it has another type.
  public subscript<Value: AttributeConvertible>(
    dynamicMember property: any KeyPath<Object.Schema, Attribute<Value>> & Sendable
  ) -> Value {
    get { Value(attributeValue: row.values[Object.schema[keyPath: property].index]) ?? Value.placeholder }
    set {
      let index = Object.schema[keyPath: property].index
      row.values[index] = newValue.attributeValue.stored(as: row.entity.description.attributes[index].type)
    }
  }

  /// The key of the row that a relationship leads to; nil if it is empty.
  public subscript<Destination: ManagedObject>(
    dynamicMember property: any KeyPath<Object.Schema, ToOne<Destination>> & Sendable
  ) -> Int64? {
    get { Int64(attributeValue: row.values[Object.schema[keyPath: property].index]) }
    set { row.values[Object.schema[keyPath: property].index] = newValue.map { .integer($0) } ?? .null }
  }
}

/// An entity whose rows a migration writes.
final class NewTable {
  let entity: EntityIndex
  let description: EntityDescription
  let version: Int
  /// The attributes' indexes, by their names.
  let places: [String: Int]
  /// Rows that were not added yet.
  var rows: RowBatch
  /// The greatest key of a row before the migration.
  let lastKey: Int64
  /// The next new row's key.
  var nextKey: Int64
  /// True if the old rows were written.
  var isUpdated = false

  init(_ entity: EntityIndex, of tables: any MigratedTables) throws(StoreError) {
    self.entity = entity
    (description, version) = (tables.model[entity], tables.model.version)
    places = Dictionary(uniqueKeysWithValues: description.attributes.map { ($0.name, $0.index) })
    rows = RowBatch(entity: entity, columns: Array(description.attributes.indices))
    lastKey = try tables.lastKey(of: entity)
    nextKey = lastKey + 1
  }
}
