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

  /// Whether an attribute of this type may have a value; every one may be null here.
  func accepts(_ value: AttributeValue) -> Bool {
    switch (self, value) {
    case (_, .null), (.integer, .integer), (.boolean, .integer), (.real, .real), (.real, .integer),
      (.text, .text), (.bytes, .bytes), (.date, .integer), (.date, .real), (.reference, .reference):
      true
    default: false
    }
  }

  /// The same for a cell of a batch.
  func accepts(_ cell: RowBatch.Cell) -> Bool {
    switch (self, cell) {
    case (_, .null), (.integer, .integer), (.boolean, .integer), (.real, .real), (.real, .integer),
      (.text, .text), (.bytes, .bytes), (.date, .integer), (.date, .real), (.reference, .integer):
      true
    default: false
    }
  }
}

/// A kind of managed object: its attributes and relationships, and what is unique and indexed among them.
public struct EntityDescription: Sendable {
  /// The name; in a SQL store the table's name.
  public let name: String
  /// The class whose objects stand for its rows.
  public let objectClass: ManagedObject.Type
  /// In the order of their indexes.
  public let attributes: [AttributeDescription]
  /// In the order in which they were declared.
  public let relationships: [RelationshipDescription]
  /// The sets of attributes (by index) whose values no two objects share. Null is shared with nobody.
  public let uniqueness: [[Int]]
  /// The sets of attributes (by index) that the store keeps sorted for fetching.
  public let indexes: [[Int]]
  /// Its names in older versions of the model, where they were others.
  public let oldNames: [String]
  /// What a new object has.
  let defaults: [AttributeValue]

  /// Describes an entity.
  ///
  /// What does not fit together stops the program with a message that names it: a key that says another index than its
  /// place, a path to a property that reads another attribute or is of another class, a class with another
  /// ``ManagedObject/entityName``, a name that is no attribute.
  /// - Parameters:
  ///   - name: The name; in a SQL store the table's name.
  ///   - objectClass: The class whose objects stand for its rows; its ``ManagedObject/entityName`` is the name.
  ///   - properties: Attributes and to-one relationships in the order of their indexes, and so the to-many ones.
  ///   - uniqueness: Names of attributes, a list for each constraint.
  ///   - indexes: Names of attributes, a list for each index. Relationships are indexed without being named.
  ///   - oldNames: The entity's names in older versions of the model, all of them: a store may have any version.
  public init(
    _ name: String, class objectClass: ManagedObject.Type, properties: [PropertyDescription],
    uniqueness: [[String]] = [], indexes: [[String]] = [], renamedFrom oldNames: String?...
  ) {
    let attributes = properties.compactMap(\.attribute)
    let relationships = properties.compactMap(\.relationship)
    for (position, attribute) in attributes.enumerated() {
      precondition(
        attribute.index == position, "\(name).\(attribute.name) stands at \(position), its key says otherwise"
      )
    }
    for (position, relationship) in relationships.filter({ $0.kind != .toOne }).enumerated() {
      precondition(
        relationship.index == position,
        "\(name).\(relationship.name) stands at \(position) of the to-many, its key says otherwise")
    }
    precondition(
      objectClass.entityName == name || objectClass == JoinObject.self,
      "the entity \(name) has the class \(objectClass), whose entityName is “\(objectClass.entityName)”")
    for attribute in attributes {
      Self.check(attribute.read, attribute.name, at: attribute.index, of: name, objectClass)
    }
    for relationship in relationships {
      Self.check(relationship.read, relationship.name, at: relationship.index, of: name, objectClass)
    }
    self.name = name
    self.objectClass = objectClass
    self.attributes = attributes
    self.relationships = relationships
    self.oldNames = oldNames.compactMap { $0 }
    defaults = attributes.map(\.defaultValue)
    let position = { (wanted: String) -> Int in
      guard let index = attributes.firstIndex(where: { $0.name == wanted }) else {
        preconditionFailure("\(name) has no attribute \(wanted)")
      }
      return index
    }
    self.uniqueness = uniqueness.map { $0.map(position) }
    let toOne = relationships.filter { $0.kind == .toOne }.map { [$0.index] }
    let named = indexes.map { $0.map(position) }
    let covered = Set((named + self.uniqueness).compactMap(\.first))
    self.indexes = named + toOne.filter { !covered.contains($0[0]) }
  }

  /// Checks that a property reads what its key says, by reading it from an object that notes what is read.
  private static func check(
    _ read: PropertyRead?, _ property: String, at index: Int, of name: String,
    _ objectClass: ManagedObject.Type
  ) {
    guard let read else { return }
    let nothing = Int64(-1)
    let probe = objectClass.init(
      ManagedObjectSeed(id: .none, context: nil, values: [], version: nothing, isFault: true))
    probe.state = .probe
    precondition(read(probe), "\(name).\(property): its path leads to a property of another class")
    precondition(
      probe.version == nothing || probe.version == Int64(index),
      "\(name).\(property): its path leads to a property that has another key, with the index \(probe.version)"
    )
  }

  /// The attribute of a key path, by index; nil when the property is none.
  func attributeIndex(at path: AnyKeyPath) -> Int? {
    attributes.firstIndex { $0.path.map { $0 == path } ?? false }
  }

  /// The relationship of a key path; nil when the property is none.
  func relationship(at path: AnyKeyPath) -> RelationshipDescription? {
    relationships.first { $0.path as AnyKeyPath == path }
  }
}
