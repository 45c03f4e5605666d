/// What becomes of the objects at the other end of a relationship when an object is deleted.
public enum DeleteRule: Sendable {
  /// They stay, and lead nowhere.
  case nullify
  /// They are deleted too.
  case cascade
  /// While there are any, the object cannot be deleted: the save fails.
  case deny
  /// Nothing is done; a save that would leave a reference to nowhere fails.
  case noAction
}

/// One attribute or relationship of an entity.
public struct PropertyDescription: Sendable {
  let attribute: AttributeDescription?
  let relationship: RelationshipDescription?

  /// An attribute that can be named by the key path of a property.
  ///
  /// - Parameters:
  ///   - key: The attribute's place and name.
  ///   - path: The property that reads and writes it; requests name the attribute by it.
  ///   - value: What new objects, and those of an older model version, have.
  ///   - oldNames: The attribute's names in older versions of the model, all of them: a store may have any version.
  public static func attribute<Object: ManagedObject, Value>(
    _ key: AttributeKey<Value>, _ path: any KeyPath<Object, Value> & Sendable, default value: Value? = nil,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, default: value, renamedFrom: oldNames.compactMap { $0 }, read: { read($0, path) }),
      relationship: nil)
  }

  /// An attribute without a property of its type.
  public static func attribute<Value>(
    _ key: AttributeKey<Value>, default value: Value? = nil, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: nil, default: value, renamedFrom: oldNames.compactMap { $0 }),
      relationship: nil)
  }

  /// An attribute that holds the ID of an object of `entity`: a relationship in one direction, without an inverse.
  ///
  /// An object that others refer to in this way cannot be deleted before them.
  public static func reference<Object: ManagedObject, Value: ReferenceAttribute>(
    _ key: AttributeKey<Value>, _ path: any KeyPath<Object, Value> & Sendable, to entity: String,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, destination: entity, renamedFrom: oldNames.compactMap { $0 },
        read: { read($0, path) }), relationship: nil)
  }

  /// An attribute without a property of its type that holds the ID of an object of `entity`.
  public static func reference<Value: ReferenceAttribute>(
    _ key: AttributeKey<Value>, to entity: String, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: nil, destination: entity, renamedFrom: oldNames.compactMap { $0 }),
      relationship: nil)
  }

  /// A relationship to at most one object, whose inverse is a to-many.
  ///
  /// - Parameters:
  ///   - key: The relationship's place among the attributes, and its name.
  ///   - path: The property that reads and writes it; requests name the relationship by it.
  ///   - inverse: The relationship that leads back.
  ///   - rule: What becomes of the other object when this one is deleted.
  ///   - isOptional: Whether it may lead nowhere when it is saved.
  ///   - oldNames: The relationship's names in older versions of the model, all of them.
  public static func toOne<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToOneKey<Destination>, _ path: any KeyPath<Object, Destination?> & Sendable,
    inverse: ToManyKey<Object>, onDelete rule: DeleteRule = .nullify, isOptional: Bool = true,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, isOptional: isOptional, renamedFrom: oldNames.compactMap { $0 },
        read: { read($0, path) }),
      relationship: RelationshipDescription(
        name: key.name, index: key.index, kind: .toOne, destination: Destination.self, inverse: inverse.name,
        deleteRule: rule, path: path))
  }

  /// A relationship to any number of objects, each of which belongs to at most one of ours.
  ///
  /// - Parameters:
  ///   - key: The relationship's place among the to-many ones, and its name.
  ///   - path: The property that reads and writes it; requests name the relationship by it.
  ///   - inverse: The relationship that leads back, which is where the store keeps both.
  ///   - rule: What becomes of the others when this one is deleted.
  public static func toMany<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToManyKey<Destination>, _ path: any KeyPath<Object, [Destination]> & Sendable,
    inverse: ToOneKey<Object>, onDelete rule: DeleteRule = .nullify
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: nil,
      relationship: RelationshipDescription(
        name: key.name, index: key.index, kind: .toMany, destination: Destination.self, inverse: inverse.name,
        deleteRule: rule, path: path, read: { read($0, path) }))
  }

  /// A relationship to any number of objects, each of which may belong to many of ours.
  ///
  /// - Parameters:
  ///   - key: The relationship's place among the to-many ones, and its name.
  ///   - path: The property that reads and writes it; requests name the relationship by it.
  ///   - inverse: The relationship that leads back.
  ///   - oldNames: The relationship's names in older versions of the model, all of them, because what joins the objects
  ///     is named after it.
  public static func manyToMany<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToManyKey<Destination>, _ path: any KeyPath<Object, [Destination]> & Sendable,
    inverse: ToManyKey<Object>, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: nil,
      relationship: RelationshipDescription(
        name: key.name, index: key.index, kind: .manyToMany, destination: Destination.self,
        inverse: inverse.name, deleteRule: .nullify, path: path, renamedFrom: oldNames.compactMap { $0 },
        read: { read($0, path) }))
  }
}

/// One attribute of an entity.
public struct AttributeDescription: Sendable {
  /// The name; in a SQL store the column's name.
  public let name: String
  /// What it holds.
  public let type: AttributeType
  /// Whether it may be null when it is saved.
  public let isOptional: Bool
  /// For a ``AttributeType/reference``: the entity that it leads to; nil otherwise.
  public let destination: String?
  /// What new objects have, and rows of an older model version that had no such attribute; null for nothing.
  public let defaultValue: AttributeValue
  /// Its names in older versions of the model, where they were others.
  public let oldNames: [String]
  let index: Int
  let path: (any AnyKeyPath & Sendable)?
  /// Reads the property of the path; nil without one.
  let read: PropertyRead?

  init<Value>(
    _ key: AttributeKey<Value>, path: (any AnyKeyPath & Sendable)?, default value: Value? = nil,
    destination: String? = nil, renamedFrom oldNames: [String] = [], read: PropertyRead? = nil
  ) {
    self.read = read
    name = key.name
    index = key.index
    type = Value.attributeType
    isOptional = Value.isOptional
    defaultValue = value?.attributeValue ?? .null
    self.destination = destination
    self.oldNames = oldNames
    self.path = path
  }

  init<Destination>(
    _ key: ToOneKey<Destination>, path: (any AnyKeyPath & Sendable)?, isOptional: Bool,
    renamedFrom oldNames: [String], read: @escaping PropertyRead
  ) {
    self.read = read
    name = key.name
    index = key.index
    type = .reference
    self.isOptional = isOptional
    defaultValue = .null
    destination = Destination.entityName
    self.oldNames = oldNames
    self.path = path
  }
}

/// One relationship of an entity.
public struct RelationshipDescription: Sendable {
  /// How many objects each end leads to.
  public enum Kind: Sendable {
    /// At most one; kept as an attribute of this entity.
    case toOne
    /// Any number; kept as an attribute of the other entity.
    case toMany
    /// Any number at both ends; kept in an entity of its own.
    case manyToMany
  }

  /// The name.
  public let name: String
  /// How many objects each end leads to.
  public let kind: Kind
  /// The class of the objects that it leads to.
  public let destination: ManagedObject.Type
  /// The name of the relationship that leads back.
  public let inverse: String
  /// What becomes of the objects that it leads to when this one is deleted.
  public let deleteRule: DeleteRule
  /// Its names in older versions of the model, where they were others.
  public let oldNames: [String]
  /// Among the attributes for a to-one, else among the to-many relationships.
  let index: Int
  let path: any AnyKeyPath & Sendable
  /// Reads the property of the path; nil for a to-one, which is an attribute as well.
  let read: PropertyRead?

  init(
    name: String, index: Int, kind: Kind, destination: ManagedObject.Type, inverse: String,
    deleteRule: DeleteRule, path: any AnyKeyPath & Sendable, renamedFrom oldNames: [String] = [],
    read: PropertyRead? = nil
  ) {
    self.read = read
    self.name = name
    self.oldNames = oldNames
    self.index = index
    self.kind = kind
    self.destination = destination
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.path = path
  }
}

/// Reads a property of an object; false where the object is of another class.
typealias PropertyRead = @Sendable (ManagedObject) -> Bool

private func read<Object: ManagedObject, Value>(
  _ object: ManagedObject, _ path: any KeyPath<Object, Value> & Sendable
) -> Bool {
  guard let object = object as? Object else { return false }
  _ = object[keyPath: path]
  return true
}
