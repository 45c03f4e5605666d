/// The type of an attribute's values.
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
  /// ``AttributeValue/date(_:)``, the type of a `Date`. A SQL store keeps seconds since 2001-01-01 00:00 UTC, a
  /// floating-point number: `datetime(born + 978307200, 'unixepoch')` is the date in SQLite, and
  /// `to_timestamp(born + 978307200)` in PostgreSQL.
  ///
  /// A `Date` is the same number, so it is exact. Seconds since 1970 are easier to read, but have a bit less for
  /// the fraction: about half of all dates would change, by up to 0.12 µs.
  case date
  /// A date in seconds since 1970 (UTC): an ``AttributeValue/integer(_:)``, or a ``AttributeValue/real(_:)`` if
  /// there is a fraction, which is rounded to 0.24 µs. A column that SQL reads can have this form, by
  /// ``DateForm/secondsSince1970``.
  case secondsSince1970
  /// ``AttributeValue/reference(_:)``: a to-one relationship.
  case reference

  /// Returns true if an attribute with this type can hold a value. Null is always accepted here.
  func accepts(_ value: AttributeValue) -> Bool {
    switch (self, value) {
    case (_, .null), (.integer, .integer), (.boolean, .integer), (.real, .real), (.real, .integer),
      (.text, .text), (.bytes, .bytes), (.date, .date), (.secondsSince1970, .integer),
      (.secondsSince1970, .real), (.reference, .reference):
      true
    default: false
    }
  }

  /// Returns true if an attribute with this type can hold a batch's cell. Null is always accepted here.
  func accepts(_ cell: RowBatch.Cell) -> Bool {
    switch (self, cell) {
    case (_, .null), (.integer, .integer), (.boolean, .integer), (.real, .real), (.real, .integer),
      (.text, .text), (.bytes, .bytes), (.date, .date), (.secondsSince1970, .integer),
      (.secondsSince1970, .real), (.reference, .integer):
      true
    default: false
    }
  }
}

/// A kind of managed object: its attributes, relationships, uniqueness constraints and indexes.
public struct EntityDescription: Sendable {
  /// The name, which is also the table's name in a SQL store.
  public let name: String
  /// The class that represents the entity's rows as objects.
  public let objectClass: ManagedObject.Type
  /// The attributes, in index order.
  public let attributes: [AttributeDescription]
  /// The relationships, in declaration order.
  public let relationships: [RelationshipDescription]
  /// The uniqueness constraints, each as a list of attribute indexes. Null is never a duplicate.
  public let uniqueness: [[Int]]
  /// The store's indexes for fetching, each as a list of attribute indexes.
  public let indexes: [[Int]]
  /// The entity's former names, from older versions of the model.
  public let oldNames: [String]
  /// The values that the store's history keeps for the objects, besides their IDs.
  public let history: HistoryOptions
  /// A new object's attribute values.
  let defaults: [AttributeValue]
  /// The schema's members by key path; nil for a class without a schema.
  private let paths: SchemaPaths?

  /// Describes an entity.
  ///
  /// An inconsistent description stops the program with a message that names the mistake, such as:
  ///
  /// - a key with an index other than its position
  /// - a path to a property that reads another attribute or belongs to another class
  /// - a class with another ``ManagedObject/entityName``
  /// - an attribute name that does not exist
  /// - a uniqueness constraint or index without attributes, or with an attribute that is listed twice
  ///
  /// - Parameters:
  ///   - name: The name, which is also the table's name in a SQL store.
  ///   - objectClass: The class that represents the entity's rows as objects; its
  ///     ``ManagedObject/entityName`` must be the entity's name.
  ///   - properties: The attributes and to-one relationships, in index order; and the to-many relationships,
  ///     in their own index order.
  ///   - uniqueness: One list of attribute names for each uniqueness constraint.
  ///   - indexes: One list of attribute names for each index. Relationships are indexed automatically.
  ///   - history: The values that the store's history keeps for the objects, besides their IDs.
  ///   - oldNames: All former names for the entity, because a store may have any older model version.
  public init(
    _ name: String, class objectClass: ManagedObject.Type, properties: [PropertyDescription],
    uniqueness: [[String]] = [], indexes: [[String]] = [], history: HistoryOptions = HistoryOptions(),
    renamedFrom oldNames: String?...
  ) {
    self.init(
      name, class: objectClass, properties: properties, uniqueness: uniqueness, indexes: indexes,
      history: history, oldNames: oldNames.compactMap(\.self), paths: nil)
  }

  init(
    _ name: String, class objectClass: ManagedObject.Type, properties: [PropertyDescription],
    uniqueness: [[String]], indexes: [[String]], history: HistoryOptions, oldNames: [String],
    paths: SchemaPaths?
  ) {
    let attributes = properties.compactMap(\.attribute)
    let relationships = properties.compactMap(\.relationship)
    for (position, attribute) in attributes.enumerated() {
      precondition(
        attribute.index == position, "\(name).\(attribute.name) has index \(position), its key another"
      )
    }
    var names: Set<String> = []
    for attribute in attributes {
      precondition(names.insert(attribute.name).inserted, "\(name).\(attribute.name) is declared twice")
    }
    for (position, relationship) in relationships.filter({ !$0.isToOne }).enumerated() {
      precondition(
        relationship.index == position,
        "\(name).\(relationship.name) has index \(position) of the to-many, its key another")
    }
    precondition(
      objectClass.entityName == name
        || [JoinObject.self, VersionObject.self, ManagedObject.self].contains { $0 == objectClass },
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
    self.oldNames = oldNames
    self.history = history
    self.paths = paths
    defaults = attributes.map(\.defaultValue)
    let position = { (wanted: String) -> Int in
      guard let index = attributes.firstIndex(where: { $0.name == wanted }) else {
        preconditionFailure("\(name) has no attribute \(wanted)")
      }
      return index
    }
    let historic =
      history.oldValues + history.deletedValues + [history.note].compactMap { $0 }
    for attribute in historic { _ = position(attribute) }
    for (list, kind) in uniqueness.map({ ($0, "uniqueness") }) + indexes.map({ ($0, "indexes") }) {
      precondition(!list.isEmpty, "\(name): a list of attributes in \(kind) is empty")
      for (place, attribute) in list.enumerated() {
        precondition(!list[..<place].contains(attribute), "\(name): \(kind) lists \(attribute) twice")
      }
    }
    self.uniqueness = uniqueness.map { $0.map(position) }
    let toOne = relationships.filter(\.isToOne).map { [$0.index] }
    let named = indexes.map { $0.map(position) }
    let covered = Set((named + self.uniqueness).compactMap(\.first))
    self.indexes = named + toOne.filter { !covered.contains($0[0]) }
  }

  /// Checks that a property reads its key's attribute. A probe object records which attribute the property
  /// reads.
  private static func check(
    _ read: PropertyRead?, _ property: String, at index: Int, of name: String,
    _ objectClass: ManagedObject.Type
  ) {
    guard let read else { return }
    let nothing = Int64(-1)
    let probe = ManagedObject.probe(objectClass)
    precondition(read(probe), "\(name).\(property): its path leads to a property of another class")
    precondition(
      probe.version == nothing || probe.version == Int64(index),
      "\(name).\(property): its path leads to a property that has another key, with the index \(probe.version)"
    )
  }

  /// Returns the index of the attribute at a key path; nil if the property is not an attribute.
  func attributeIndex<Object: ManagedObject>(at path: PropertyPath<Object>) -> Int? {
    if case .column(let index)? = paths?.member(at: path) { return index }
    return attributes.firstIndex { $0.path.map { $0 as AnyKeyPath == path.path as AnyKeyPath } ?? false }
  }

  /// Returns the attribute at a key path, which a related object may have; nil if the property is not one.
  func place<Object: ManagedObject>(
    at path: PropertyPath<Object>, in model: ManagedObjectModel
  ) -> AttributePlace? {
    if let paths {
      return switch paths.member(at: path) {
      case .column(let index): AttributePlace(attribute: index)
      case .related(let place): place
      case .toMany, nil: nil
      }
    }
    if let index = attributeIndex(at: path) { return AttributePlace(attribute: index) }
    for relationship in relationships where relationship.isToOne {
      guard let other = model.index(of: relationship.destination).map({ model[$0] }),
        let attribute = other.attributes.firstIndex(where: { attribute in
          attribute.path.map { relationship.path(to: $0) == path.path as AnyKeyPath } ?? false
        })
      else { continue }
      return AttributePlace(attribute: attribute, through: relationship.index)
    }
    return nil
  }

  /// Returns the place of the relationship at a key path among ``relationships``; nil if the property is not a
  /// relationship.
  func relationshipIndex<Object: ManagedObject>(at path: PropertyPath<Object>) -> Int? {
    switch paths?.member(at: path) {
    case .column(let index): relationships.firstIndex { $0.isToOne && $0.index == index }
    case .toMany(let index): relationships.firstIndex { !$0.isToOne && $0.index == index }
    case .related, nil:
      relationships.firstIndex { $0.path.map { $0 as AnyKeyPath == path.path as AnyKeyPath } ?? false }
    }
  }
}
