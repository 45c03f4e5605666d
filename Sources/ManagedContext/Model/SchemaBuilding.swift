internal import Threading

/// The properties of a schema that is being created, in order.
final class SchemaBuilding: Sendable {
  /// The schema that the calling code creates.
  @TaskLocal static var current: SchemaBuilding?

  private let added = Locked<[PropertyDescription]>([])

  var properties: [PropertyDescription] { added.withLock { $0 } }

  /// Adds an attribute or to-one relationship to the schema that is being created.
  ///
  /// - Returns: Its index among the attributes.
  static func addColumn(_ name: String, _ describe: (_ index: Int) -> PropertyDescription) -> Int {
    add(name, describe) { $0.attribute != nil }
  }

  /// Adds a to-many relationship to the schema that is being created.
  ///
  /// - Returns: Its index among the to-many relationships.
  static func addToMany(_ name: String, _ describe: (_ index: Int) -> PropertyDescription) -> Int {
    add(name, describe) { $0.attribute == nil }
  }

  private static func add(
    _ name: String, _ describe: (Int) -> PropertyDescription, _ isCounted: (PropertyDescription) -> Bool
  ) -> Int {
    guard let current else {
      preconditionFailure("\(name) is declared without an index, and outside of an EntityDeclaration")
    }
    let index = current.properties.count(where: isCounted)
    let property = describe(index)
    current.added.withLock { $0.append(property) }
    return index
  }
}

extension Attribute where Value: AttributeConvertible {
  /// Declares an attribute in a schema.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - value: The default value, for new objects and for rows from a model version without the attribute.
  ///   - isOptional: True if the store may have no value. If the type does not include nil, it then reads as
  ///     the type's ``AttributeConvertible/placeholder``.
  ///   - oldNames: All former names for the attribute, because a store may have any older model version.
  public init(
    _ name: String, default value: Value? = nil, isOptional: Bool = Value.isOptional,
    renamedFrom oldNames: String...
  ) {
    self.init(
      SchemaBuilding.addColumn(name) { index in
        PropertyDescription(
          attribute: AttributeDescription(
            Attribute(index, name), default: value, isOptional: isOptional, renamedFrom: oldNames))
      }, name)
  }
}

extension Attribute where Value: DateAttribute {
  /// Declares a date in a schema, in a form that SQL reads.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - value: The default value, for new objects and for rows from a model version without the attribute.
  ///   - form: The form in which a store keeps the dates.
  ///   - isOptional: True if the store may have no value.
  ///   - oldNames: All former names for the attribute.
  public init(
    _ name: String, default value: Value? = nil, as form: DateForm, isOptional: Bool = Value.isOptional,
    renamedFrom oldNames: String...
  ) {
    self.init(
      SchemaBuilding.addColumn(name) { index in
        PropertyDescription(
          attribute: AttributeDescription(
            Attribute(index, name), as: form.type, default: value, isOptional: isOptional,
            renamedFrom: oldNames))
      }, name)
  }
}

extension Attribute where Value: ReferenceAttribute {
  /// Declares an attribute that holds an object's ID: a one-way relationship, without an inverse.
  ///
  /// An object cannot be deleted while another object refers to it through such an attribute.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - destination: The class of the objects.
  ///   - oldNames: All former names for the attribute.
  public init(_ name: String, to destination: ManagedObject.Type, renamedFrom oldNames: String...) {
    self.init(
      SchemaBuilding.addColumn(name) { index in
        PropertyDescription(
          attribute: AttributeDescription(
            Attribute(index, name), destination: destination.entityName, renamedFrom: oldNames))
      }, name)
  }
}

extension Attribute where Value: ReferenceAttribute {
  /// Declares a relationship to at most one object that is read and written as the object's ID: rows and batches
  /// hold no objects. See ``ToOne`` for one that objects lead to.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - destination: The class of the related objects.
  ///   - inverse: The inverse relationship, which leads to any number of objects. Its delete rule says what a
  ///     deletion of the related object does.
  ///   - oldNames: All former names for the relationship.
  public init<Destination: Entity, Owner: ManagedObject>(
    _ name: String, to destination: Destination.Type,
    inverse: any KeyPath<Destination.Schema, ToMany<Owner>> & Sendable,
    renamedFrom oldNames: String...
  ) {
    self.init(
      SchemaBuilding.addColumn(name) { index in
        PropertyDescription(
          attribute: AttributeDescription(
            Attribute(index, name), destination: Destination.entityName, renamedFrom: oldNames),
          relationship: RelationshipDescription(
            name: name, .toOne(inverse: { Destination.schema[keyPath: inverse].name }), owner: Owner.self,
            destination: Destination.self, deleteRule: .nullify, index: index))
      }, name)
  }
}

extension ToOne where Destination: Entity {
  /// Declares a relationship to at most one object in a schema.
  ///
  /// - Parameters:
  ///   - name: The name, which is also the column's name in a SQL store.
  ///   - inverse: The inverse relationship, which leads to any number of objects.
  ///   - rule: The effect on the related object when this object is deleted.
  ///   - isOptional: True if the relationship may be empty when the object is saved.
  ///   - oldNames: All former names for the relationship.
  public init<Owner: ManagedObject>(
    _ name: String, inverse: any KeyPath<Destination.Schema, ToMany<Owner>> & Sendable,
    onDelete rule: DeleteRule = .nullify, isOptional: Bool = true, renamedFrom oldNames: String...
  ) {
    self.init(
      SchemaBuilding.addColumn(name) { index in
        PropertyDescription(
          attribute: AttributeDescription(
            Attribute<ManagedObjectID?>(index, name), destination: Destination.entityName,
            isOptional: isOptional, renamedFrom: oldNames),
          relationship: RelationshipDescription(
            name: name, .toOne(inverse: { Destination.schema[keyPath: inverse].name }), owner: Owner.self,
            destination: Destination.self, deleteRule: rule, index: index))
      }, name)
  }
}

extension ToMany where Destination: Entity {
  /// Declares a relationship to any number of objects, whose inverse is declared at its other end.
  ///
  /// - Parameters:
  ///   - name: The name, unique in the entity.
  ///   - rule: The effect on the related objects when this object is deleted.
  ///   - oldNames: All former names for the relationship, if the other end also leads to any number of objects.
  ///     They identify the join entity, which is named after it.
  public init(_ name: String, onDelete rule: DeleteRule = .nullify, renamedFrom oldNames: String...) {
    self.init(
      SchemaBuilding.addToMany(name) { index in
        PropertyDescription(
          relationship: RelationshipDescription(
            name: name, .inverse { Destination.entity.description.relationships }, owner: nil,
            destination: Destination.self, deleteRule: rule, oldNames: oldNames, index: index))
      }, name)
  }

  /// Declares a many-to-many relationship: objects at both ends can be related to any number of objects.
  ///
  /// - Parameters:
  ///   - name: The name, unique in the entity.
  ///   - inverse: The inverse relationship, which does not name this one.
  ///   - rule: The effect on the related objects when this object is deleted. Its pairs are always deleted.
  ///   - table: The names in the store; nil for names made of the entities' and relationships' names.
  ///   - oldNames: All former names for the relationship. They identify its join entity, which is named after
  ///     it.
  public init<Owner: ManagedObject>(
    _ name: String, inverse: any KeyPath<Destination.Schema, ToMany<Owner>> & Sendable,
    onDelete rule: DeleteRule = .nullify, table: JoinTable? = nil, renamedFrom oldNames: String...
  ) {
    self.init(
      SchemaBuilding.addToMany(name) { index in
        PropertyDescription(
          relationship: RelationshipDescription(
            name: name, .manyToMany(inverse: { Destination.schema[keyPath: inverse].name }, table),
            owner: Owner.self, destination: Destination.self, deleteRule: rule, oldNames: oldNames,
            index: index))
      }, name)
  }
}
