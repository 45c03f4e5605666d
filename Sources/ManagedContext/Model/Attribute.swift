/// An attribute's index and name, with the Swift type for its values.
///
/// An ``Entity`` declares it as a property of its schema. Other classes declare keys in index order, which
/// ``EntityDescription`` checks.
///
/// The values are ``AttributeConvertible``. The structure does not demand it, so that a schema's type is made
/// without searching for conformances when a program starts.
@frozen public struct Attribute<Value>: Sendable {
  /// The attribute's index in its entity, from 0. To-one relationships count as attributes.
  public let index: Int
  /// The name, which is also the column's name in a SQL store.
  public let name: String

  /// Creates the key for the attribute at an index.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// The index and name for a relationship to at most one object.
///
/// A store keeps the relationship as an attribute that holds the object's ID.
@frozen public struct ToOne<Destination: ManagedObject>: Sendable {
  /// The index among the entity's attributes, from 0.
  public let index: Int
  /// The name, which is also the column's name in a SQL store.
  public let name: String

  /// Creates the key for the relationship at an index.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// The index and name for a relationship to any number of objects. Stores keep it in its inverse, or as
/// pairs.
@frozen public struct ToMany<Destination: ManagedObject>: Sendable {
  /// The index among the entity's to-many relationships, from 0.
  public let index: Int
  /// The name, unique in the entity.
  public let name: String

  /// Creates the key for the relationship at an index.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// An attribute that is declared with its index.
public typealias AttributeKey = Attribute
/// A relationship that is declared with its index.
public typealias ToOneKey = ToOne
/// A relationship that is declared with its index.
public typealias ToManyKey = ToMany

/// A set of attribute indexes for one entity.
@frozen public struct AttributeSet: OptionSet, Sendable, Hashable {
  /// One bit for each index. Bit 63 represents all indexes from 63 on.
  public let rawValue: UInt64

  /// All attributes.
  public static let all = AttributeSet(rawValue: .max)

  /// Creates a set from its bits.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates a set with the attribute at an index.
  @inlinable
  public init(index: Int) {
    rawValue = 1 << UInt64(min(index, 63))
  }

  /// Creates a set with the attributes at these indexes.
  public init(indexes: some Sequence<Int>) {
    self = indexes.reduce(into: AttributeSet()) { $0.formUnion(AttributeSet(index: $1)) }
  }

  /// Creates a set with some attributes and to-one relationships of a schema.
  public init(_ columns: [any SchemaColumn]) { self.init(indexes: columns.map(\.index)) }

  /// Returns true if the set contains the key's attribute.
  public func contains<Value>(_ key: AttributeKey<Value>) -> Bool { contains(AttributeSet(index: key.index)) }

  /// Returns true if the set contains the key's relationship.
  public func contains<Destination>(_ key: ToOneKey<Destination>) -> Bool {
    contains(AttributeSet(index: key.index))
  }
}
