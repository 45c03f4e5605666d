/// The kinds of value that an attribute can hold.
public enum AttributeType: Sendable, Hashable {
  /// ``AttributeValue/integer(_:)``.
  case integer
  /// An integer that is 0 or 1.
  case boolean
  /// ``AttributeValue/real(_:)``.
  case real
  /// ``AttributeValue/text(_:)``.
  case text
  /// ``AttributeValue/bytes(_:)``.
  case bytes
  /// Seconds since 1970 (UTC): an integer, or a real where there is a fraction.
  case date
  /// ``AttributeValue/reference(_:)``: a to-one relationship.
  case reference
}

/// Names one attribute of an entity, and the Swift type it has there.
///
/// An entity declares its keys in the order of their indexes; ``EntityDescription`` checks that.
public struct AttributeKey<Value: AttributeConvertible>: Sendable {
  /// The position of the attribute in its entity, from 0.
  public let index: Int
  /// The name, which is the column's name in a SQL store.
  public let name: String

  /// Declares the attribute at a position.
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
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
  let index: Int

  /// Describes the attribute that `key` names.
  ///
  /// - Parameter destination: The entity that a reference leads to.
  public init<Value>(_ key: AttributeKey<Value>, to destination: String? = nil) {
    name = key.name
    index = key.index
    type = Value.attributeType
    isOptional = Value.isOptional
    self.destination = destination
  }
}

/// A kind of managed object: its attributes, and what is unique and indexed among them.
public struct EntityDescription: Sendable {
  /// The name; in a SQL store the table's name.
  public let name: String
  /// The class whose objects stand for its rows.
  public let objectClass: ManagedObject.Type
  /// In the order of their indexes.
  public let attributes: [AttributeDescription]
  /// The sets of attributes (by index) whose values no two objects share.
  public let uniqueness: [[Int]]
  /// The sets of attributes (by index) that the store keeps sorted for fetching.
  public let indexes: [[Int]]

  /// Describes an entity.
  ///
  /// - Parameters:
  ///   - uniqueness: Names of attributes, a list for each constraint.
  ///   - indexes: Names of attributes, a list for each index.
  public init(
    _ name: String, class objectClass: ManagedObject.Type, attributes: [AttributeDescription],
    uniqueness: [[String]] = [], indexes: [[String]] = []
  ) {
    for (position, attribute) in attributes.enumerated() {
      precondition(
        attribute.index == position, "\(name).\(attribute.name) stands at \(position), its key says otherwise"
      )
    }
    self.name = name
    self.objectClass = objectClass
    self.attributes = attributes
    let position = { (wanted: String) -> Int in
      guard let index = attributes.firstIndex(where: { $0.name == wanted }) else {
        preconditionFailure("\(name) has no attribute \(wanted)")
      }
      return index
    }
    self.uniqueness = uniqueness.map { $0.map(position) }
    self.indexes = indexes.map { $0.map(position) }
  }
}
