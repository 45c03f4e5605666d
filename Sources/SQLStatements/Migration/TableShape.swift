public import ManagedContext

/// A table definition: as required by a model, or as found in a store.
public struct TableShape: Sendable {
  public struct Column: Sendable, Equatable {
    public let name: String
    public let type: String
    public let isRequired: Bool
    /// The table that the column refers to; nil if it is not a reference.
    public internal(set) var destination: String?

    public init(name: String, type: String, isRequired: Bool, destination: String?) {
      (self.name, self.type, self.isRequired, self.destination) = (name, type, isRequired, destination)
    }
  }

  public struct Index: Sendable, Hashable {
    public let name: String
    public let isUnique: Bool
    public let columns: [String]

    public init(name: String, isUnique: Bool, columns: [String]) {
      (self.name, self.isUnique, self.columns) = (name, isUnique, columns)
    }
  }

  /// The message about a store that is opened read-only; see ``ManagedContext/AttributeType/date``.
  public static let earlierDates =
    "its dates have the form of an earlier release; open it for writing once, which converts them"

  public let name: String
  /// The attribute columns, without the key and the version, which every table has.
  public internal(set) var columns: [Column]
  /// The indexes in a file. PostgreSQL's have no names of ours.
  public let indexes: [Index]

  /// Creates a definition that was found.
  public init(name: String, columns: [Column], indexes: [Index]) {
    (self.name, self.columns, self.indexes) = (name, columns, indexes)
  }

  /// Creates the definition for an entity's table.
  public init(of entity: EntityDescription, _ dialect: SQLDialect) {
    name = entity.name
    columns = entity.attributes.map {
      Column(
        name: $0.name, type: dialect.columnType($0.type), isRequired: !$0.isOptional,
        destination: $0.destination
      )
    }
    let names = { (indexes: [Int]) in indexes.map { entity.attributes[$0].name } }
    indexes =
      entity.uniqueness.enumerated().map {
        Index(name: "\(entity.name)_unique\($0.offset)", isUnique: true, columns: names($0.element))
      }
      + entity.indexes.enumerated().map {
        Index(name: "\(entity.name)_index\($0.offset)", isUnique: false, columns: names($0.element))
      }
  }
}

extension ManagedObjectModel {
  /// True if an attribute holds exact dates.
  public var hasDates: Bool { entities.contains { $0.attributes.contains { $0.type == .date } } }
}
