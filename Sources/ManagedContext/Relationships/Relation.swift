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
      let pairs = PairStorage(relationship, of: entity.name, inverse, of: other.name)
      guard let join = byName[pairs.name] else {
        preconditionFailure("\(here) is not the inverse of its inverse")
      }
      storage = .join(join, here: pairs.isSwapped ? 1 : 0, there: pairs.isSwapped ? 0 : 1)
    }
  }
}

/// The names in the store for a many-to-many relationship declared with them. Its rows are the pairs.
public struct JoinTable: Sendable {
  /// The name of the join entity, and of its table.
  public let name: String
  /// The column that refers to the objects with the declared relationship.
  public let own: String
  /// The column that refers to the related objects.
  public let related: String
  /// All former names of the table, because a store may have any older model version.
  public let oldNames: [String]

  /// Creates a value. A later model that leaves the names out, or changes them without `renamedFrom`, loses the
  /// pairs.
  public init(_ name: String, own: String, related: String, renamedFrom oldNames: String...) {
    (self.name, self.own, self.related, self.oldNames) = (name, own, related, oldNames)
  }
}

/// How a store keeps the pairs of a many-to-many relationship, seen from one of its ends.
public struct PairStorage: Sendable {
  /// The join entity's name.
  public let name: String
  /// The names of the two reference attributes.
  let columns: [String]
  /// The join entity's former names.
  let oldNames: [String]
  /// True if the first attribute refers to the objects at the other end.
  public let isSwapped: Bool

  /// Describes the pairs as seen from `relationship`.
  public init(
    _ relationship: RelationshipDescription, of entity: String, _ inverse: RelationshipDescription,
    of other: String
  ) {
    if let table = relationship.table ?? inverse.table {
      (name, columns, oldNames) = (table.name, [table.own, table.related], table.oldNames)
      isSwapped = relationship.table == nil
    } else {
      let ends = [(entity, relationship.name), (other, inverse.name)]
      isSwapped = ends[1] < ends[0]
      name = EntityDescription.joinName(isSwapped ? ends.reversed() : ends)
      (columns, oldNames) = (["first_id", "second_id"], [])
    }
  }
}

/// One pair in a many-to-many relationship. Pairs are used only inside contexts and stores.
final class JoinObject: ManagedObject {}

extension EntityDescription {
  /// True for a many-to-many relationship's join entity.
  public var isJoin: Bool { objectClass == JoinObject.self }

  /// Returns the usual name of the join entity for two inverse relationships, in ascending order.
  public static func joinName(_ ends: [(entity: String, name: String)]) -> String {
    ends.map { "\($0.entity)_\($0.name)" }.joined(separator: "__")
  }

  /// Returns the join entity for a many-to-many relationship between objects of two entities.
  static func joining(_ pairs: PairStorage, _ entities: [String]) -> EntityDescription {
    let ends = pairs.isSwapped ? entities.reversed() : entities
    return EntityDescription(
      pairs.name, class: JoinObject.self,
      properties: zip(pairs.columns, ends).enumerated().map { index, column in
        .reference(AttributeKey<ManagedObjectID>(index, column.0), to: column.1)
      },
      uniqueness: [pairs.columns], indexes: [[pairs.columns[1]]], history: HistoryOptions(),
      oldNames: pairs.oldNames, paths: nil)
  }
}
