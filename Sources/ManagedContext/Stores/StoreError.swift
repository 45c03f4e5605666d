/// Why a store could not be opened, read or written, or why a save was refused before it got there.
///
/// After a failed save the changes are in their context still, and a later save can succeed.
public enum StoreError: Error, Sendable, Equatable {
  /// Another process held the store for longer than we wait.
  case busy
  /// No more can be written: the disk or a quota is full.
  case full(String)
  /// The file or its folder may not be written, or the store was added read-only.
  case readOnly(String)
  /// The file cannot be opened or made, or has vanished.
  case cannotOpen(String)
  /// The file is damaged or no store.
  case corrupt(String)
  /// The store was made by a newer version of the model.
  case newer(version: Int, known: Int)
  /// The store was made by an older version of the model, and may not be migrated because it is read-only.
  case older(version: Int, known: Int)
  /// The file's tables are not those of the model, although the version is the same: the model was changed without a
  /// new version, or somebody changed the tables.
  case incompatible(String)
  /// The file belongs to another program.
  case foreign(String)
  /// Reading or writing failed.
  case inputOutput(String)
  /// Another context saved these objects first, or their unique values are taken.
  case conflict([MergeConflict])
  /// A value breaks a rule of the model.
  case validation(ValidationError)
  /// A value breaks a rule of the database.
  case invalid(String)
  /// A request cannot be answered: it is too large or too deep, or not understood. Nothing is wrong with the store.
  case request(String)
  /// The store has no such object: it was deleted, or never saved.
  case notFound(ManagedObjectID)
}

/// A rule of the model that a save would break.
public struct ValidationError: Error, Sendable, Equatable {
  /// What is wrong.
  public enum Cause: Sendable, Equatable {
    /// No entity of the model stands for the object's class.
    case unknownEntity
    /// The entity has no such attribute or relationship.
    case unknownAttribute
    /// The value is of another type than the attribute.
    case wrongType(expected: AttributeType)
    /// The value is no number (NaN), which a store cannot keep.
    case notANumber
    /// The attributes are no uniqueness constraint of the entity, so that they tell no row from another.
    case notUnique
    /// The attribute is not optional, and has no value.
    case missingValue
    /// A batch gives an object these values, which are unique together and another object's; nil where that
    /// is a row of the same save.
    case taken(values: [AttributeValue], by: ManagedObjectID?)
    /// The relationship leads to an object that does not exist, or is not of the right entity or store.
    case brokenRelationship
    /// A relationship with the rule ``DeleteRule/deny`` still leads to something.
    case deleteDenied
  }

  /// The entity's name; the class's for ``Cause/unknownEntity``.
  public let entity: String
  /// The attribute or relationship; nil where the entity itself is the problem.
  public let attribute: String?
  /// The object; nil where the question was about no single one.
  public let object: ManagedObjectID?
  /// What is wrong.
  public let cause: Cause

  /// Describes a broken rule.
  public init(entity: String, attribute: String? = nil, object: ManagedObjectID? = nil, cause: Cause) {
    self.entity = entity
    self.attribute = attribute
    self.object = object
    self.cause = cause
  }
}

extension ValidationError: CustomStringConvertible {
  public var description: String {
    let place = entity + (attribute.map { ".\($0)" } ?? "")
    let subject = object.map { "\(place) of \($0)" } ?? place
    return switch cause {
    case .unknownEntity: "\(entity) is no entity of the model"
    case .unknownAttribute: "\(place) is no attribute of the model"
    case .wrongType(let expected): "\(subject) takes \(expected), the value is of another type"
    case .notANumber: "\(subject) is no number"
    case .notUnique: "\(place): no uniqueness constraint of the model"
    case .missingValue: "\(subject) has no value"
    case .taken(let values, let other):
      "\(subject): \(values.map(\.description).joined(separator: ", ")) is "
        + (other.map { "taken by \($0)" } ?? "in two rows of the save")
    case .brokenRelationship: "\(subject) leads to an object that is not in the store"
    case .deleteDenied: "\(subject) still leads to objects, so it cannot be deleted"
    }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .busy: "the store is busy: another process is using it"
    case .full(let cause): "the store is full: \(cause)"
    case .readOnly(let cause): "the store is read-only: \(cause)"
    case .cannotOpen(let cause): "the store cannot be opened: \(cause)"
    case .corrupt(let cause): "the store is corrupt or no store: \(cause)"
    case .newer(let version, let known):
      "the store has version \(version), newer than the \(known) that this program knows"
    case .older(let version, let known):
      "the store has version \(version), older than \(known), and may not be changed"
    case .incompatible(let cause): "the store does not fit the model: \(cause)"
    case .foreign(let cause): "this is not a store of this program but a foreign file: \(cause)"
    case .inputOutput(let cause): "the store cannot be read or written: \(cause)"
    case .conflict(let conflicts): conflicts.first?.description ?? "another context saved these objects first"
    case .validation(let error): "a value breaks a rule of the model: \(error)"
    case .invalid(let cause): "a value breaks a rule of the model: \(cause)"
    case .request(let cause): "the request cannot be answered: \(cause)"
    case .notFound(let id): "the store has no \(id)"
    }
  }
}
