/// Names one attribute of an entity, and the Swift type it has there.
///
/// An entity declares its keys in the order of their indexes; ``EntityDescription`` checks that.
@frozen public struct AttributeKey<Value: AttributeConvertible>: Sendable {
  /// The position of the attribute in its entity, from 0; to-one relationships count among the attributes.
  public let index: Int
  /// The name, which is the column's name in a SQL store.
  public let name: String

  /// Declares the attribute at a position.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// Names a relationship to at most one object; a store keeps it as an attribute that holds the other's ID.
@frozen public struct ToOneKey<Destination: ManagedObject>: Sendable {
  /// The position among the attributes of the entity, from 0.
  public let index: Int
  /// The name, which is the column's name in a SQL store.
  public let name: String

  /// Declares the relationship at a position.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// Names a relationship to any number of objects; what leads there is kept at the other end, its inverse.
@frozen public struct ToManyKey<Destination: ManagedObject>: Sendable {
  /// The position among the to-many relationships of the entity, from 0.
  public let index: Int
  /// The name, unique in the entity.
  public let name: String

  /// Declares the relationship at a position.
  @inlinable
  public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

/// A few attributes of one entity, by index.
@frozen public struct AttributeSet: OptionSet, Sendable, Hashable {
  /// A bit for each index; the last one stands for all from 63 on.
  public let rawValue: UInt64

  /// All attributes.
  static let all = AttributeSet(rawValue: .max)

  /// Makes a set of its bits.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The attribute at `index` alone.
  @inlinable
  public init(index: Int) {
    rawValue = 1 << UInt64(min(index, 63))
  }

  /// The attributes at these indexes.
  public init(indexes: some Sequence<Int>) {
    self = indexes.reduce(into: AttributeSet()) { $0.formUnion(AttributeSet(index: $1)) }
  }

  /// Whether the attribute of a key is in the set.
  public func contains<Value>(_ key: AttributeKey<Value>) -> Bool { contains(AttributeSet(index: key.index)) }

  /// Whether the relationship of a key is in the set.
  public func contains<Destination>(_ key: ToOneKey<Destination>) -> Bool {
    contains(AttributeSet(index: key.index))
  }
}
