/// A class of managed objects that declares each attribute and relationship once, as a property of its schema.
///
/// ```swift
/// final class Book: ManagedObject, Entity {
///   override class var entityName: String { "book" }
///
///   struct Schema: Sendable {
///     let title = Attribute<String>("title")
///     let pages = Attribute<Int?>("pages")
///     let author = ToOne<Author>("author_id", inverse: \.books)
///   }
///
///   static let entity = EntityDeclaration(Book.self, Schema(), unique: { [[$0.title]] })
/// }
/// ```
///
/// The schema's properties are also the object's: `book.title`, and `\Book.title` in requests.
@dynamicMemberLookup
public protocol Entity: ManagedObject, EditableValues where Object == Self {
  /// The attributes and relationships: a structure whose properties are ``Attribute``, ``ToOne`` and
  /// ``ToMany`` values, in the order of the store's columns.
  associatedtype Schema: Sendable

  /// The schema, with the entity's constraints and indexes.
  static var entity: EntityDeclaration<Schema> { get }
}

extension Entity {
  /// The attributes and relationships.
  @inlinable public static var schema: Schema { entity.schema }

  // Inlined, so that no caller passes a key path, for which the schema would be copied.

  /// The value of an attribute.
  @inlinable
  public subscript<Value: AttributeConvertible>(
    dynamicMember property: any KeyPath<Schema, Attribute<Value>> & Sendable
  ) -> Value {
    @inline(__always) get { value(at: Self.entity.schema[keyPath: property].index) }
    set {
      let index = Self.entity.schema[keyPath: property].index
      if isFault, isProbed(at: \Self.[dynamicMember: property], column: index) { return }
      setValue(newValue.attributeValue, at: index)
    }
  }

  /// The object that a relationship leads to, possibly a fault; nil if the relationship is empty.
  @inlinable
  public subscript<Destination: ManagedObject>(
    dynamicMember property: any KeyPath<Schema, ToOne<Destination>> & Sendable
  ) -> Destination? {
    get {
      let key = Self.entity.schema[keyPath: property]
      if isFault, let probe = related(at: \Self.[dynamicMember: property], column: key.index) { return probe }
      return self[key]
    }
    set {
      let key = Self.entity.schema[keyPath: property]
      if isFault, isProbed(at: \Self.[dynamicMember: property], column: key.index) { return }
      self[key] = newValue
    }
  }

  /// The objects that a relationship leads to, oldest first, including unsaved changes.
  @inlinable
  public subscript<Destination: ManagedObject>(
    dynamicMember property: any KeyPath<Schema, ToMany<Destination>> & Sendable
  ) -> [Destination] {
    get { self[Self.entity.schema[keyPath: property]] }
    set {
      let key = Self.entity.schema[keyPath: property]
      if isFault, isProbed(at: \Self.[dynamicMember: property], toMany: key.index) { return }
      self[key] = newValue
    }
  }
}

/// An entity's schema and description.
///
/// It is generic over the schema, not the class: Swift would search all conformances for each class at a
/// program's start.
public struct EntityDeclaration<Schema: Sendable>: Sendable {
  /// The attributes and relationships.
  public let schema: Schema
  /// What a model needs to know about the entity.
  public let description: EntityDescription

  /// Declares an entity.
  ///
  /// - Parameters:
  ///   - type: The entity's class.
  ///   - schema: A new schema. Its attributes get their indexes in the order of its properties.
  ///   - unique: The uniqueness constraints, each as a list of the schema's attributes and to-one
  ///     relationships. Null is never a duplicate.
  ///   - indexes: The store's indexes for fetching. Relationships are indexed automatically.
  ///   - history: Returns the values that the store's history keeps for the objects, besides their IDs.
  ///   - oldNames: All former names for the entity, because a store may have any older model version.
  public init<Object: Entity>(
    _ type: Object.Type, _ schema: @autoclosure () -> Schema,
    unique: (Schema) -> [[any SchemaColumn]] = { _ in [] },
    indexes: (Schema) -> [[any SchemaColumn]] = { _ in [] },
    history: (Schema) -> HistoryOptions = { _ in HistoryOptions() }, renamedFrom oldNames: String...
  ) where Object.Schema == Schema {
    let building = SchemaBuilding()
    let schema = SchemaBuilding.$current.withValue(building) { schema() }
    self.schema = schema
    // Only in debug builds, because reflection would delay the start of every program.
    assert(Self.checkHidden(schema, Object.entityName))
    description = EntityDescription(
      Object.entityName, class: Object.self,
      properties: building.properties.map { Self.property($0, of: Object.self) },
      uniqueness: unique(schema).map { $0.map(\.name) }, indexes: indexes(schema).map { $0.map(\.name) },
      history: history(schema), oldNames: oldNames, paths: SchemaPaths())
  }

  /// Stops the program if objects have a property of their own with the name of a schema's property, which would
  /// hide it.
  private static func checkHidden(_ schema: Schema, _ entity: String) -> Bool {
    let own = [
      "id", "context", "isFault", "isInserted", "isDeleted", "isGone", "hasChanges", "changedAttributes",
    ]
    for name in Mirror(reflecting: schema).children.compactMap(\.label) {
      precondition(
        !own.contains(name), "\(entity): every object has a property \(name); give it another name")
    }
    return true
  }

  /// Returns a property of a class that owns it.
  private static func property(
    _ property: PropertyDescription, of type: ManagedObject.Type
  ) -> PropertyDescription {
    guard var relationship = property.relationship else { return property }
    if let owner = relationship.owner {
      precondition(
        owner == type, "\(type.entityName).\(relationship.name): its inverse leads to \(owner.entityName)")
    }
    relationship.owner = type
    var property = property
    property.relationship = relationship
    return property
  }
}

/// A property of a schema: an ``Attribute``, a ``ToOne`` or a ``ToMany``.
public protocol SchemaProperty: Sendable {
  /// The name, which is unique in the entity.
  var name: String { get }
}

/// A property of a schema that a store keeps as a column: an ``Attribute`` or a ``ToOne``. Its name is also the
/// column's.
public protocol SchemaColumn: SchemaProperty {
  /// The index among the entity's attributes, from 0.
  var index: Int { get }
}

extension Attribute: SchemaColumn {}
extension ToOne: SchemaColumn {}
extension ToMany: SchemaProperty {}
