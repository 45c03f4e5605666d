/// The effect on related objects when an object is deleted.
public enum DeleteRule: Sendable {
  /// The related objects stay, without their relationship to the deleted object.
  case nullify
  /// The related objects are deleted too.
  case cascade
  /// The object cannot be deleted while it has related objects: the save fails.
  case deny
  /// The related objects are not changed. A save that would leave a reference to a deleted object fails.
  case noAction
}

/// An entity's attribute or relationship.
public struct PropertyDescription: Sendable {
  var attribute: AttributeDescription?
  var relationship: RelationshipDescription?

  /// Declares an attribute with a property. The property's key path names the attribute in requests.
  ///
  /// - Parameters:
  ///   - key: The attribute's index and name.
  ///   - path: The property that reads and writes the attribute.
  ///   - value: The default value, for new objects and for rows from a model version without the attribute.
  ///   - oldNames: All former names for the attribute, because a store may have any older model version.
  public static func attribute<Object: ManagedObject, Value: AttributeConvertible>(
    _ key: AttributeKey<Value>, _ path: any KeyPath<Object, Value> & Sendable, default value: Value? = nil,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, default: value, renamedFrom: oldNames, read: { read($0, path) }))
  }

  /// Declares a date with a property, in a form that SQL reads.
  ///
  /// - Parameters:
  ///   - key: The attribute's index and name.
  ///   - path: The property that reads and writes the attribute.
  ///   - form: The form in which a store keeps the dates.
  ///   - value: The default value, for new objects and for rows from a model version without the attribute.
  ///   - oldNames: All former names for the attribute.
  public static func attribute<Object: ManagedObject, Value: DateAttribute>(
    _ key: AttributeKey<Value>, _ path: any KeyPath<Object, Value> & Sendable, as form: DateForm,
    default value: Value? = nil, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, as: form.type, default: value, renamedFrom: oldNames, read: { read($0, path) }))
  }

  /// Declares an attribute that has no property with its type. Requests cannot name such an attribute.
  public static func attribute<Value: AttributeConvertible>(
    _ key: AttributeKey<Value>, default value: Value? = nil, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(key, default: value, renamedFrom: oldNames))
  }

  /// Declares an attribute that holds the ID of an `entity` object: a one-way relationship, without an
  /// inverse.
  ///
  /// An object cannot be deleted while another object refers to it through such an attribute.
  public static func reference<Object: ManagedObject, Value: ReferenceAttribute>(
    _ key: AttributeKey<Value>, _ path: any KeyPath<Object, Value> & Sendable, to entity: String,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        key, path: path, destination: entity, renamedFrom: oldNames, read: { read($0, path) }))
  }

  /// Declares an attribute that holds the ID of an `entity` object, and has no property with its type.
  public static func reference<Value: ReferenceAttribute>(
    _ key: AttributeKey<Value>, to entity: String, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(key, destination: entity, renamedFrom: oldNames))
  }

  /// Declares a relationship to at most one object. Its inverse is a to-many relationship.
  ///
  /// - Parameters:
  ///   - key: The relationship's index among the attributes, and its name.
  ///   - path: The property that reads and writes the relationship. Its key path names the relationship in
  ///     requests.
  ///   - inverse: The inverse relationship.
  ///   - rule: The effect on the related object when this object is deleted.
  ///   - isOptional: True if the relationship may be empty when the object is saved.
  ///   - oldNames: All former names for the relationship.
  public static func toOne<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToOneKey<Destination>, _ path: any KeyPath<Object, Destination?> & Sendable,
    inverse: ToManyKey<Object>, onDelete rule: DeleteRule = .nullify, isOptional: Bool = true,
    renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      attribute: AttributeDescription(
        AttributeKey<ManagedObjectID?>(key.index, key.name), path: path, destination: Destination.entityName,
        isOptional: isOptional, renamedFrom: oldNames, read: { read($0, path) }),
      relationship: RelationshipDescription(
        name: key.name, .toOne(inverse: { inverse.name }), owner: Object.self,
        destination: Destination.self, deleteRule: rule, index: key.index, path: path))
  }

  /// Declares a relationship to any number of objects, each related to at most one object of this entity.
  ///
  /// - Parameters:
  ///   - key: The relationship's index among the to-many relationships, and its name.
  ///   - path: The property that reads and writes the relationship. Its key path names the relationship in
  ///     requests.
  ///   - inverse: The inverse relationship. Its attribute stores both directions.
  ///   - rule: The effect on the related objects when this object is deleted.
  public static func toMany<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToManyKey<Destination>, _ path: any KeyPath<Object, [Destination]> & Sendable,
    inverse: ToOneKey<Object>, onDelete rule: DeleteRule = .nullify
  ) -> PropertyDescription {
    PropertyDescription(
      relationship: RelationshipDescription(
        name: key.name, .toMany(inverse: { inverse.name }), owner: Object.self,
        destination: Destination.self, deleteRule: rule, index: key.index, path: path,
        read: { read($0, path) }))
  }

  /// Declares a many-to-many relationship: objects at both ends can be related to any number of objects.
  ///
  /// - Parameters:
  ///   - key: The relationship's index among the to-many relationships, and its name.
  ///   - path: The property that reads and writes the relationship. Its key path names the relationship in
  ///     requests.
  ///   - inverse: The inverse relationship.
  ///   - rule: The effect on the related objects when this object is deleted. Its pairs are always deleted.
  ///   - oldNames: All former names for the relationship. They identify its join entity, which is named after
  ///     it.
  public static func manyToMany<Object: ManagedObject, Destination: ManagedObject>(
    _ key: ToManyKey<Destination>, _ path: any KeyPath<Object, [Destination]> & Sendable,
    inverse: ToManyKey<Object>, onDelete rule: DeleteRule = .nullify, renamedFrom oldNames: String?...
  ) -> PropertyDescription {
    PropertyDescription(
      relationship: RelationshipDescription(
        name: key.name, .manyToMany(inverse: { inverse.name }, nil), owner: Object.self,
        destination: Destination.self, deleteRule: rule, oldNames: oldNames.compactMap(\.self),
        index: key.index, path: path,
        read: { read($0, path) }))
  }
}

/// An entity's attribute.
public struct AttributeDescription: Sendable {
  /// The name, which is also the column's name in a SQL store.
  public let name: String
  /// The type of the values.
  public let type: AttributeType
  /// True if the value may be null when the object is saved.
  public let isOptional: Bool
  /// The name of the entity that a ``AttributeType/reference`` leads to; nil for other types.
  public let destination: String?
  /// The value for new objects, and for rows from a model version without the attribute; null for no value.
  public let defaultValue: AttributeValue
  /// The attribute's former names, from older model versions.
  public let oldNames: [String]
  var index: Int
  let path: (any AnyKeyPath & Sendable)?
  /// Reads the property at the path; nil without a property.
  let read: PropertyRead?
  /// Returns false for a value of the attribute's ``type`` that the property's own type does not have, such as an
  /// unknown case of an enumeration.
  let isReadable: @Sendable (AttributeValue) -> Bool

  init<Value: AttributeConvertible>(
    _ key: AttributeKey<Value>, path: (any AnyKeyPath & Sendable)? = nil,
    as type: AttributeType = Value.attributeType, default value: Value? = nil, destination: String? = nil,
    isOptional: Bool = Value.isOptional, renamedFrom oldNames: [String?] = [], read: PropertyRead? = nil
  ) {
    name = key.name
    index = key.index
    self.type = type
    self.isOptional = isOptional
    defaultValue = value?.attributeValue.stored(as: type) ?? .null
    self.destination = destination
    self.oldNames = oldNames.compactMap(\.self)
    self.path = path
    self.read = read
    // The stores keep a reference as a number.
    isReadable = { type == .reference || Value(attributeValue: $0) != nil }
  }
}

extension AttributeDescription {
  /// Returns the version entity's attribute that holds an old value for this attribute.
  func oldValue(at index: Int) -> AttributeDescription {
    AttributeDescription(name, type, oldNames: oldNames, at: index)
  }

  /// Describes an optional attribute. A reference becomes a number, because its object may be deleted.
  init(_ name: String, _ type: AttributeType, oldNames: [String] = [], at index: Int) {
    self.name = name
    self.type = type == .reference ? .integer : type
    self.oldNames = oldNames
    self.index = index
    isOptional = true
    destination = nil
    defaultValue = .null
    path = nil
    read = nil
    isReadable = { _ in true }
  }
}

/// An entity's relationship.
public struct RelationshipDescription: Sendable {
  /// The kind of relationship, by the number of objects that each end can lead to.
  public enum Kind: Sendable {
    /// At most one object. The relationship is stored as an attribute of this entity.
    case toOne
    /// Any number of objects. The relationship is stored as an attribute of the other entity.
    case toMany
    /// Any number of objects at both ends. The relationship is stored in a join entity.
    case manyToMany
  }

  /// How a relationship is declared.
  enum Declaration: Sendable {
    /// The kind and the inverse's name. Two entities that lead to each other are not described at the same
    /// time, so the name is found later.
    case toOne(inverse: @Sendable () -> String)
    case toMany(inverse: @Sendable () -> String)
    case manyToMany(inverse: @Sendable () -> String, JoinTable?)
    /// Any number of objects. One of the destination's relationships names this one as its inverse.
    case inverse(among: @Sendable () -> [RelationshipDescription])
  }

  /// The name.
  public let name: String
  /// The class that has the relationship; nil until the entity is declared.
  var owner: ManagedObject.Type?
  /// The class of the related objects.
  public let destination: ManagedObject.Type
  /// The effect on related objects when an object is deleted.
  public let deleteRule: DeleteRule
  /// The relationship's former names, from older model versions.
  public let oldNames: [String]
  /// The index among the attributes for a to-one relationship, otherwise among the to-many relationships.
  let index: Int
  /// The key path of the property; nil for a member of a schema.
  let path: (any AnyKeyPath & Sendable)?
  /// Reads the property at the path; nil without a path, and for a to-one relationship, which is also an
  /// attribute.
  let read: PropertyRead?
  private let declaration: Declaration

  init(
    name: String, _ declaration: Declaration, owner: ManagedObject.Type?, destination: ManagedObject.Type,
    deleteRule: DeleteRule, oldNames: [String] = [], index: Int, path: (any AnyKeyPath & Sendable)? = nil,
    read: PropertyRead? = nil
  ) {
    self.name = name
    self.declaration = declaration
    self.owner = owner
    self.destination = destination
    self.deleteRule = deleteRule
    self.oldNames = oldNames
    self.index = index
    self.path = path
    self.read = read
  }

  /// True if the relationship is an attribute of its own entity.
  var isToOne: Bool { if case .toOne = declaration { true } else { false } }

  /// The names in the store that a many-to-many relationship was declared with; nil for the usual ones.
  var table: JoinTable? { if case .manyToMany(_, let table) = declaration { table } else { nil } }

  /// The number of objects that each end can lead to.
  public var kind: Kind {
    switch declaration {
    case .toOne: .toOne
    case .toMany: .toMany
    case .manyToMany: .manyToMany
    case .inverse(let others): naming(others())?.isToOne == true ? .toMany : .manyToMany
    }
  }

  /// The inverse relationship's name; empty if no relationship names this one as its inverse.
  public var inverse: String {
    switch declaration {
    case .toOne(let name), .toMany(let name), .manyToMany(let name, _): name()
    case .inverse(let others): naming(others())?.name ?? ""
    }
  }

  /// Returns the relationship that names this one as its inverse.
  private func naming(_ others: [RelationshipDescription]) -> RelationshipDescription? {
    others.first { other in
      if case .inverse = other.declaration { return false }
      return other.destination == owner && other.inverse == name
    }
  }
}

/// Reads an object's property. Returns false if the object has another class.
typealias PropertyRead = @Sendable (ManagedObject) -> Bool

private func read<Object: ManagedObject, Value>(
  _ object: ManagedObject, _ path: any KeyPath<Object, Value> & Sendable
) -> Bool {
  guard let object = object as? Object else { return false }
  _ = object[keyPath: path]
  return true
}
