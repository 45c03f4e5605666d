extension PropertyDescription {
  /// Declares an attribute by its name, in an entity without a class.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - type: The type of the values.
  ///   - value: The default value, for rows from a model version without the attribute.
  ///   - oldNames: All former names for the attribute.
  public static func attribute<Value: AttributeConvertible>(
    _ name: String, _ type: Value.Type, default value: Value? = nil, renamedFrom oldNames: String...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(AttributeKey<Value>(0, name), default: value, renamedFrom: oldNames))
  }

  /// Declares a date by its name and form, in an entity without a class.
  public static func attribute<Value: DateAttribute>(
    _ name: String, _ type: Value.Type, as form: DateForm, default value: Value? = nil,
    renamedFrom oldNames: String...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        AttributeKey<Value>(0, name), as: form.type, default: value, renamedFrom: oldNames))
  }

  /// Declares an attribute or to-one relationship that leads to an `entity` object, in an entity without a
  /// class.
  public static func reference(
    _ name: String, to entity: String, isOptional: Bool = true, renamedFrom oldNames: String...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        AttributeKey<ManagedObjectID?>(0, name), destination: entity, isOptional: isOptional,
        renamedFrom: oldNames))
  }
}

extension EntityDescription {
  /// Describes an entity in an earlier version of a model by its names, without a class. Its objects are never
  /// created.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the table's name in a SQL store.
  ///   - properties: The attributes and to-one relationships, in the order of the columns.
  ///   - uniqueness: One list of attribute names for each uniqueness constraint.
  ///   - indexes: One list of attribute names for each index. Also list each to-one relationship that had an
  ///     inverse and begins no other index, because the entity's class had this index automatically.
  ///   - history: The values that the store's history keeps for the objects, besides their IDs.
  ///   - oldNames: All former names for the entity.
  public init(
    _ name: String, properties: [PropertyDescription], uniqueness: [[String]] = [], indexes: [[String]] = [],
    history: HistoryOptions = HistoryOptions(), renamedFrom oldNames: String...
  ) {
    let indexed = properties.enumerated().map { index, property in
      var property = property
      property.attribute?.index = index
      return property
    }
    self.init(
      name, class: ManagedObject.self, properties: indexed, uniqueness: uniqueness, indexes: indexes,
      history: history, oldNames: oldNames, paths: nil)
  }

  /// Describes the pairs of a many-to-many relationship in an earlier version of a model. The names of both ends
  /// determine the table's name.
  public static func pairs(
    _ one: (entity: String, relationship: String), _ other: (entity: String, relationship: String)
  ) -> EntityDescription {
    let ends = [(one.entity, one.relationship), (other.entity, other.relationship)].sorted { $0 < $1 }
    let columns = ["first_id", "second_id"]
    return EntityDescription(
      joinName(ends.map { (entity: $0.0, name: $0.1) }),
      properties: zip(columns, ends).map { .reference($0, to: $1.0, isOptional: false) },
      uniqueness: [columns], indexes: [[columns[1]]])
  }

  /// Describes the columns of a table that a store migrates. All values are optional, and references are
  /// numbers.
  public init(table name: String, columns: [(name: String, type: AttributeType)]) {
    self.init(
      name,
      properties: columns.map {
        PropertyDescription(attribute: AttributeDescription($0.name, $0.type, at: 0))
      })
  }
}
