/// The entities that a stack knows, under a version number.
public struct ManagedObjectModel: Sendable {
  /// Grows by one whenever an entity changes; a store of a newer version is refused, one of an older migrated.
  public let version: Int
  /// In a fixed order: an entity's place is part of its objects' IDs. What joins many-to-many relationships
  /// comes last.
  public let entities: [EntityDescription]
  /// For each entity, its relationships with the places of what they join.
  let relations: [[Relation]]
  /// For each entity, the attributes (by index) that hold references.
  let references: [[Int]]
  /// The same as sets.
  let referenceSets: [AttributeSet]
  private let destinations: [[EntityIndex?]]
  private let placeByClass: [ObjectIdentifier: EntityIndex]
  private let placeByName: [String: EntityIndex]

  /// Makes a model; entities keep their order.
  public init(version: Int, entities: [EntityDescription]) {
    // Those of another model may be given, with what joins them.
    let declared = entities.filter { !$0.isJoin }
    self.version = version
    let entities = declared + Self.joining(declared)
    self.entities = entities
    placeByClass = Dictionary(
      uniqueKeysWithValues: declared.enumerated().map {
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

  /// The entity at a place.
  public subscript(index: EntityIndex) -> EntityDescription { entities[Int(index)] }

  /// The place of the entity that a class stands for; nil for a class outside the model.
  public func index(of objectClass: ManagedObject.Type) -> EntityIndex? {
    placeByClass[ObjectIdentifier(objectClass)]
  }

  /// The place of the entity of a name, or nil.
  public func index(named name: String) -> EntityIndex? { placeByName[name] }

  /// The entity that an attribute's reference leads to; nil for another attribute.
  func destination(of attribute: Int, in entity: EntityIndex) -> EntityIndex? {
    destinations[Int(entity)][attribute]
  }

  /// The relationship that leads back; nil where that is a to-one.
  func inverse(of relation: Relation) -> Relation? {
    guard case .join(let join, let here, _) = relation.storage else { return nil }
    return relations[Int(relation.destination)].first { other in
      if case .join(join, _, here) = other.storage { true } else { false }
    }
  }

  /// A reference that leads to no row, as an error. One in a pair of a many-to-many relationship is the relationship's of
  /// the object at the other end: of pairs only stores know.
  ///
  /// - Parameter end: Gives the object that an attribute (by index) of the row leads to; nil where it is not known.
  package func brokenReference(
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

  /// The place of a class's entity.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a class outside the model.
  func entity(of objectClass: ManagedObject.Type) throws(StoreError) -> EntityIndex {
    guard let index = index(of: objectClass) else {
      throw .validation(ValidationError(entity: "\(objectClass)", cause: .unknownEntity))
    }
    return index
  }

  /// The attribute of a key path, by index.
  ///
  /// - Throws: ``StoreError/validation(_:)`` when the property is no attribute of the model.
  func attribute<Object: ManagedObject>(
    at path: PartialKeyPath<Object>
  ) throws(StoreError) -> (entity: EntityIndex, index: Int) {
    let entity = try entity(of: Object.self)
    guard let index = self[entity].attributeIndex(at: path) else {
      throw .validation(
        ValidationError(entity: self[entity].name, attribute: "\(path)", cause: .unknownAttribute))
    }
    return (entity, index)
  }

  /// The relationship of a key path.
  ///
  /// - Throws: ``StoreError/validation(_:)`` when the property is no relationship of the model.
  func relation<Object: ManagedObject>(at path: PartialKeyPath<Object>) throws(StoreError) -> Relation {
    let entity = try entity(of: Object.self)
    guard let relation = relations[Int(entity)].first(where: { $0.path as AnyKeyPath == path }) else {
      throw .validation(
        ValidationError(entity: self[entity].name, attribute: "\(path)", cause: .unknownAttribute))
    }
    return relation
  }

  /// An entity for each pair of to-many relationships that are each other's inverse.
  private static func joining(_ declared: [EntityDescription]) -> [EntityDescription] {
    var joins: [EntityDescription] = []
    for entity in declared {
      for relationship in entity.relationships where relationship.kind == .manyToMany {
        let other = relationship.destination.entityName
        let ends = [(entity.name, relationship.name), (other, relationship.inverse)]
        guard let first = ends.min(by: { $0 < $1 }), first == ends[0] else { continue }
        joins.append(.joining(ends))
      }
    }
    return joins
  }
}

/// An entity's place in its model.
public typealias EntityIndex = UInt16
