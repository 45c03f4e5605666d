/// The entities in a stack, with a version number.
public struct ManagedObjectModel: Sendable {
  /// The version, which increases by one whenever an entity changes.
  ///
  /// A store with a newer version is refused, and a store with an older version is migrated.
  public let version: Int
  /// The entities, in a fixed order because an entity's index is in its objects' IDs.
  ///
  /// The declared entities come first, then the join entities for many-to-many relationships, then the
  /// entities that hold versions (``HistoryOptions/oldValues``).
  public let entities: [EntityDescription]
  /// For each entity, its relationships with the entity and attribute indexes that they connect.
  let relations: [[Relation]]
  /// For each entity, the attributes (by index) that hold references.
  let references: [[Int]]
  /// The same as ``references``, as sets.
  let referenceSets: [AttributeSet]
  /// The entities whose classes have hooks.
  let hooked: [EntityIndex]
  /// The entities that hold versions.
  public let versionEntities: [VersionEntity]
  /// The changes to older stores that stores cannot infer from their tables.
  public let migrations: [Migration]
  private let destinations: [[EntityIndex?]]
  private let placeByClass: [ObjectIdentifier: EntityIndex]
  private let placeByName: [String: EntityIndex]

  /// Creates a model. The entities keep their order.
  ///
  /// - Parameters:
  ///   - version: The version, which increases whenever an entity changes.
  ///   - entities: The entities.
  ///   - migrations: The changes to older stores that stores cannot infer from their tables.
  public init(version: Int, entities: [EntityDescription], migrations: [Migration] = []) {
    Migration.check(migrations, upTo: version)
    self.migrations = migrations
    // The entities may come from another model, which includes its own join and version entities.
    let declared = entities.filter { !$0.isJoin && !$0.hasVersions }
    self.version = version
    let entities = declared + Self.joining(declared) + declared.compactMap { .versions(of: $0) }
    self.entities = entities
    Self.check(entities)
    hooked = entities.indices.filter { entities[$0].objectClass is HookedObject.Type }.map { EntityIndex($0) }
    placeByClass = Dictionary(
      uniqueKeysWithValues: declared.enumerated().filter { $0.element.objectClass != ManagedObject.self }.map
      {
        (ObjectIdentifier($0.element.objectClass), EntityIndex($0.offset))
      })
    let byName = Dictionary(
      uniqueKeysWithValues: entities.enumerated().map { ($0.element.name, EntityIndex($0.offset)) })
    placeByName = byName
    relations = entities.map { entity in
      entity.relationships.map { Relation($0, of: entity, entities: entities, byName: byName) }
    }
    references = entities.map { entity in
      entity.attributes.filter { $0.type == .reference }.map(\.index)
    }
    versionEntities = entities.indices.compactMap {
      VersionEntity(EntityIndex($0), in: entities, byName: byName)
    }
    referenceSets = references.map { AttributeSet(indexes: $0) }
    destinations = entities.map { entity in
      entity.attributes.map { attribute in
        guard attribute.type == .reference, let name = attribute.destination else { return nil }
        guard let place = byName[name] else {
          preconditionFailure("\(entity.name).\(attribute.name) leads to \(name), which is not in the model")
        }
        return place
      }
    }
  }

  /// Creates a model of classes that declare schemas. The entities keep their order.
  ///
  /// - Parameters:
  ///   - version: The version, which increases whenever an entity changes.
  ///   - entities: The classes.
  ///   - migrations: The changes to older stores that stores cannot infer from their tables.
  public init(version: Int, entities: [any Entity.Type], migrations: [Migration] = []) {
    func description<Object: Entity>(of type: Object.Type) -> EntityDescription { type.entity.description }
    self.init(version: version, entities: entities.map { description(of: $0) }, migrations: migrations)
  }

  /// Stops the program if a class or a name belongs to two entities.
  private static func check(_ entities: [EntityDescription]) {
    // Other classes, such as the one for pairs, may represent several entities.
    var classes = Set([ManagedObject.self, JoinObject.self, VersionObject.self].map { ObjectIdentifier($0) })
    let shared = classes
    var names: Set<String> = []
    for entity in entities {
      let type = ObjectIdentifier(entity.objectClass)
      precondition(
        classes.insert(type).inserted || shared.contains(type),
        "the class \(entity.objectClass) is listed twice in the model")
      precondition(
        names.insert(entity.name).inserted, "two entities in the model have the name \(entity.name)")
    }
  }

  /// The entity at an index.
  public subscript(index: EntityIndex) -> EntityDescription { entities[Int(index)] }

  /// Returns the entity index for a class; nil if the class is not in the model.
  public func index(of objectClass: ManagedObject.Type) -> EntityIndex? {
    placeByClass[ObjectIdentifier(objectClass)]
  }

  /// Returns the index for an entity name; nil if no entity has it.
  public func index(named name: String) -> EntityIndex? { placeByName[name] }

  /// Returns whether an entity's class has hooks.
  func isHooked(_ entity: EntityIndex) -> Bool { !hooked.isEmpty && hooked.contains(entity) }

  /// Returns the entity that holds an entity's versions; nil if its old values are not kept.
  public func versions(of owner: EntityIndex) -> VersionEntity? {
    versionEntities.first { $0.owner == owner }
  }

  /// Returns the entity that a reference attribute leads to; nil for any other attribute.
  public func destination(of attribute: Int, in entity: EntityIndex) -> EntityIndex? {
    destinations[Int(entity)][attribute]
  }

  /// Returns whether attributes of any entity lead to an entity.
  public func isReferenced(_ entity: EntityIndex) -> Bool { destinations.contains { $0.contains(entity) } }

  /// Returns whether a deletion of an entity's rows changes or deletes other rows, or may be denied.
  public func hasDeleteRules(_ entity: EntityIndex) -> Bool {
    relations[Int(entity)].contains { relation in
      switch relation.storage {
      case .attribute: false
      case .inverse: relation.deleteRule != .noAction
      case .join: true
      }
    }
  }

  /// Returns a many-to-many relationship's inverse; nil for any other relationship.
  func inverse(of relation: Relation) -> Relation? {
    guard case .join(let join, let here, _) = relation.storage else { return nil }
    return relations[Int(relation.destination)].first { other in
      if case .join(join, _, here) = other.storage { true } else { false }
    }
  }

  /// Returns the error for a reference to a row that does not exist.
  ///
  /// If the reference is in a many-to-many pair, the error names the relationship and the object at the
  /// pair's other end. Callers cannot see pairs.
  ///
  /// - Parameters:
  ///   - id: The row with the reference.
  ///   - attribute: The index of the attribute with the reference.
  ///   - end: Returns the object that an attribute (by index) of the row leads to; nil if it is unknown.
  public func brokenReference(
    of id: ManagedObjectID, attribute: Int, _ end: (_ attribute: Int) throws -> ManagedObjectID?
  ) rethrows -> ValidationError {
    for (entity, relations) in zip(entities, relations) where self[id.entity].isJoin {
      for relation in relations {
        guard case .join(id.entity, let here, attribute) = relation.storage else { continue }
        return ValidationError(
          entity: entity.name, attribute: relation.name, object: try end(here), cause: .brokenRelationship)
      }
    }
    return ValidationError(
      entity: self[id.entity].name, attribute: self[id.entity].attributes[attribute].name, object: id,
      cause: .brokenRelationship)
  }

  /// Returns the entity index for a class.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if the class is not in the model.
  func entity(of objectClass: ManagedObject.Type) throws(StoreError) -> EntityIndex {
    guard let index = index(of: objectClass) else {
      throw .validation(ValidationError(entity: "\(objectClass)", cause: .unknownEntity))
    }
    return index
  }

  /// Returns the entity index and the attribute index for a key path.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if the property is not an attribute in the model.
  func attribute<Object: ManagedObject, Value: AttributeConvertible>(
    at path: any KeyPath<Object, Value> & Sendable
  ) throws(StoreError) -> (entity: EntityIndex, index: Int) {
    try attribute(at: PropertyPath(path))
  }

  /// Returns the entity index and the attribute index for a key path.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if the property is not an attribute in the model.
  func attribute<Object: ManagedObject>(
    at path: PropertyPath<Object>
  ) throws(StoreError) -> (entity: EntityIndex, index: Int) {
    let entity = try entity(of: Object.self)
    guard let index = self[entity].attributeIndex(at: path) else { throw path.unknown(in: self[entity]) }
    return (entity, index)
  }

  /// Returns the attribute at a key path, which may lead through a to-one relationship: `\Book.author!.name`.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if the property is not an attribute in the model.
  func place<Object: ManagedObject>(at path: PropertyPath<Object>) throws(StoreError) -> AttributePlace {
    let entity = try entity(of: Object.self)
    guard let place = self[entity].place(at: path, in: self) else { throw path.unknown(in: self[entity]) }
    return place
  }

  /// Returns the relationship at a key path.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if the property is not a relationship in the model.
  func relation<Object: ManagedObject>(
    at path: PropertyPath<Object>
  ) throws(StoreError) -> Relation {
    let entity = try entity(of: Object.self)
    guard let index = self[entity].relationshipIndex(at: path) else { throw path.unknown(in: self[entity]) }
    return relations[Int(entity)][index]
  }

  /// Returns a join entity for each many-to-many relationship and its inverse.
  private static func joining(_ declared: [EntityDescription]) -> [EntityDescription] {
    var joins: [EntityDescription] = []
    for entity in declared {
      for relationship in entity.relationships where relationship.kind == .manyToMany {
        guard let other = declared.first(where: { $0.objectClass == relationship.destination }),
          let inverse = other.relationships.first(where: { $0.name == relationship.inverse })
        else { continue }
        let pairs = PairStorage(relationship, of: entity.name, inverse, of: other.name)
        if !pairs.isSwapped { joins.append(.joining(pairs, [entity.name, other.name])) }
      }
    }
    return joins
  }
}

/// An entity's index in its model.
public typealias EntityIndex = UInt16
