/// A relationship, with the model's indexes for the entities and attributes that it connects.
struct Relation: Sendable {
  /// The place where the references are stored.
  enum Storage: Sendable {
    /// In an attribute of the relationship's own entity.
    case attribute(Int)
    /// In an attribute of the destination entity.
    case inverse(Int)
    /// In a join entity; `here` and `there` are its attributes for the own object and for the related one.
    case join(EntityIndex, here: Int, there: Int)
  }

  let entity: EntityIndex
  let name: String
  /// The index among the to-many relationships; meaningless for a to-one relationship.
  let toManyIndex: Int
  let destination: EntityIndex
  let storage: Storage
  let deleteRule: DeleteRule

  init(
    _ relationship: RelationshipDescription, of entity: EntityDescription, entities: [EntityDescription],
    byName: [String: EntityIndex]
  ) {
    guard let place = byName[entity.name], let destination = byName[relationship.destination.entityName]
    else {
      preconditionFailure("\(entity.name).\(relationship.name) leads to an entity outside the model")
    }
    let other = entities[Int(destination)]
    guard let inverse = other.relationships.first(where: { $0.name == relationship.inverse }) else {
      preconditionFailure(
        relationship.inverse.isEmpty
          ? "\(entity.name).\(relationship.name): no relationship of \(other.name) has it as its inverse"
          : "\(entity.name).\(relationship.name): \(other.name) has no \(relationship.inverse)")
    }
    let here = "\(entity.name).\(relationship.name)"
    precondition(
      inverse.inverse == relationship.name && inverse.destination == entity.objectClass,
      "\(here) has the inverse \(other.name).\(inverse.name), which has another one: "
        + "\(inverse.destination.entityName).\(inverse.inverse)")
    precondition(
      (relationship.kind == .manyToMany) == (inverse.kind == .manyToMany)
        && (relationship.kind != inverse.kind || relationship.kind == .manyToMany),
      "\(here) and its inverse \(other.name).\(inverse.name) are not the two ends of one relationship")
    precondition(
      other.name != entity.name || inverse.name != relationship.name,
      "\(here) is its own inverse, and would lead one way only: declare one relationship for each direction")
    self.entity = place
    self.destination = destination
    name = relationship.name
    toManyIndex = relationship.index
    deleteRule = relationship.deleteRule
    switch relationship.kind {
    case .toOne: storage = .attribute(relationship.index)
    case .toMany: storage = .inverse(inverse.index)
    case .manyToMany:
      let ends = [(entity.name, relationship.name), (other.name, inverse.name)]
      let isFirst = ends[0] <= ends[1]
      guard let join = byName[EntityDescription.joinName(isFirst ? ends : ends.reversed())] else {
        preconditionFailure("\(here) is not the inverse of its inverse")
      }
      storage = .join(join, here: isFirst ? 0 : 1, there: isFirst ? 1 : 0)
    }
  }
}

/// One pair in a many-to-many relationship. Pairs are used only inside contexts and stores.
final class JoinObject: ManagedObject {
  static let first = AttributeKey<ManagedObjectID>(0, "first_id")
  static let second = AttributeKey<ManagedObjectID>(1, "second_id")
}

extension EntityDescription {
  /// True for a many-to-many relationship's join entity.
  package var isJoin: Bool { objectClass == JoinObject.self }

  /// Returns the join entity's name for two inverse relationships. `ends` must be in ascending order.
  package static func joinName(_ ends: [(entity: String, name: String)]) -> String {
    ends.map { "\($0.entity)_\($0.name)" }.joined(separator: "__")
  }

  /// Returns a many-to-many relationship's join entity.
  static func joining(_ ends: [(entity: String, name: String)]) -> EntityDescription {
    EntityDescription(
      joinName(ends), class: JoinObject.self,
      properties: [
        .reference(JoinObject.first, to: ends[0].entity),
        .reference(JoinObject.second, to: ends[1].entity),
      ],
      uniqueness: [["first_id", "second_id"]], indexes: [["second_id"]])
  }
}
