/// The entities that a stack knows, under a version number.
public struct ManagedObjectModel: Sendable {
  /// Grows by one whenever an entity changes; a store of a newer version is refused.
  public let version: Int
  /// In a fixed order: an entity's place is part of its objects' IDs.
  public let entities: [EntityDescription]
  private let placeByClass: [ObjectIdentifier: EntityIndex]

  /// Makes a model; entities keep their order.
  public init(version: Int, entities: [EntityDescription]) {
    self.version = version
    self.entities = entities
    placeByClass = Dictionary(
      uniqueKeysWithValues: entities.enumerated().map {
        (ObjectIdentifier($0.element.objectClass), EntityIndex($0.offset))
      })
  }

  /// The entity at a place.
  public subscript(index: EntityIndex) -> EntityDescription { entities[Int(index)] }

  /// The place of the entity that a class stands for; a class outside the model is a mistake of the program.
  public func index(of objectClass: ManagedObject.Type) -> EntityIndex {
    guard let index = placeByClass[ObjectIdentifier(objectClass)] else {
      preconditionFailure("\(objectClass) is no entity of this model")
    }
    return index
  }

  /// The place of the entity of a name, or nil.
  public func index(named name: String) -> EntityIndex? {
    entities.firstIndex { $0.name == name }.map(EntityIndex.init)
  }
}

/// An entity's place in its model.
public typealias EntityIndex = UInt16
