/// An error in opening, reading or writing a store, or in a save that was refused.
///
/// After a failed save the context keeps the changes, and a later save can succeed.
public enum StoreError: Error, Sendable, Equatable {
  /// Another process held a lock on the store for longer than the limit.
  case busy
  /// The disk or a quota is full.
  case full(String)
  /// The file or its folder is not writable, or the store was added read-only.
  case readOnly(String)
  /// The file cannot be opened or created, or has disappeared.
  case cannotOpen(String)
  /// A server cannot be reached, or accepts no connection now, or a reader holds a file that cannot be read and
  /// written at once.
  case unavailable(String)
  /// The file is damaged or not a store.
  case corrupt(String)
  /// The store was created by a newer model version.
  case newer(version: Int, known: Int)
  /// The store was created by an older model version, and is not migrated because it is read-only, or because the
  /// program has turned migrations off. A file without tables has version 0.
  case older(version: Int, known: Int)
  /// The file's tables do not match the model, although the version does. Either the model was changed
  /// without a new version, or another program changed the tables.
  case incompatible(String)
  /// The file belongs to another program.
  case foreign(String)
  /// Reading or writing failed.
  case inputOutput(String)
  /// Another context saved these objects first, or another row has their unique values.
  case conflict([MergeConflict])
  /// A value breaks a rule in the model or in its class.
  case validation(ValidationError)
  /// Several values break rules; ``violations`` has all of them in either case.
  case validations([ValidationError])
  /// A value breaks a rule in the database.
  case invalid(String)
  /// A migration's code threw `CancellationError`. The store is as it was before that stage.
  case cancelled
  /// A request is too large, too deep or not supported. The store itself is fine.
  case request(String)
  /// The store does not have this object: it was deleted, or never saved.
  case notFound(ManagedObjectID)
  /// The history cannot be read from a token.
  case history(HistoryTokenError)
}

extension StoreError {
  /// Creates the error for violations; nil if there are none.
  init?(_ violations: [ValidationError]) {
    guard let first = violations.first else { return nil }
    self = violations.count == 1 ? .validation(first) : .validations(violations)
  }

  /// The violations for which a save was refused; empty for any other error.
  public var violations: [ValidationError] {
    switch self {
    case .validation(let violation): [violation]
    case .validations(let violations): violations
    default: []
    }
  }

  /// True if a save failed because another process changed the same data first.
  public var isOvertaken: Bool {
    switch self {
    case .conflict: true
    default: !violations.isEmpty && violations.allSatisfy { $0.cause == .brokenRelationship }
    }
  }

  /// The maximum number of attempts at a save while other processes save first.
  public static let mostAttempts = 20

  /// True if the store refused a save's content, and may accept other saves.
  public var isRefusal: Bool {
    switch self {
    case .invalid, .conflict, .validation, .validations, .notFound: true
    default: false
    }
  }
}

/// A save's violation of a rule in the model, or in an object's class.
public struct ValidationError: Error, Sendable, Equatable {
  /// The kind of violation.
  public enum Cause: Sendable, Equatable {
    /// The model has no entity for the object's class.
    case unknownEntity
    /// The entity has no such attribute or relationship.
    case unknownAttribute
    /// The request names a property that is no attribute or relationship, such as a computed one.
    case notStored
    /// The value's type is not the attribute's type.
    case wrongType(expected: AttributeType)
    /// The value is not a number (NaN), which a store cannot represent.
    case notANumber
    /// The attributes are not a uniqueness constraint in the entity, so they do not identify a row.
    case notUnique
    /// The attribute is required but has no value.
    case missingValue
    /// A batch assigns these values, which must be unique together, but another object has them. `by` is nil
    /// if that object is a row in the same save.
    case taken(values: [AttributeValue], by: ManagedObjectID?)
    /// The relationship leads to an object that does not exist, or that belongs to another entity or store.
    case brokenRelationship
    /// A relationship with the rule ``DeleteRule/deny`` still leads to an object.
    case deleteDenied
    /// A rule of the object's class, by its name or in words, that ``HookedObject/validate()`` found broken.
    case rule(String)
  }

  /// The entity's name; the class's name for ``Cause/unknownEntity``.
  public let entity: String
  /// The attribute or relationship; nil if the error concerns the whole entity.
  public let attribute: String?
  /// The object; nil if the error concerns no single object.
  public let object: ManagedObjectID?
  /// The kind of violation.
  public let cause: Cause
  /// The value that a migration cannot convert; nil for other violations.
  public let value: AttributeValue?

  /// Creates an error for a violated rule.
  public init(
    entity: String, attribute: String? = nil, object: ManagedObjectID? = nil, cause: Cause,
    value: AttributeValue? = nil
  ) {
    self.entity = entity
    self.attribute = attribute
    self.object = object
    self.cause = cause
    self.value = value
  }
}

extension ValidationError: CustomStringConvertible {
  public var description: String {
    let place = entity + (attribute.map { ".\($0)" } ?? "")
    let subject = object.map { "\(place) of \($0)" } ?? place
    return switch cause {
    case .unknownEntity: "\(entity) is not an entity of the model"
    case .unknownAttribute: "\(place) is not an attribute of the model"
    case .notStored:
      "\(place) is not an attribute of the model; a request names attributes, such as those that it reads"
    case .wrongType(let expected):
      "\(subject) has the type \(expected), "
        + (value.map { "and \($0) cannot be converted to it" } ?? "but the value has another type")
    case .notANumber: "\(subject) is not a number"
    case .notUnique: "\(place) is not a uniqueness constraint of the model"
    case .missingValue: "\(subject) is required but has no value"
    case .taken(let values, let other):
      "\(subject): \(values.map(\.description).joined(separator: ", ")) is "
        + (other.map { "used by \($0)" } ?? "used by two rows of the save")
    case .brokenRelationship: "\(subject) leads to an object that is not in the store"
    case .deleteDenied: "\(subject) still leads to objects, so it cannot be deleted"
    case .rule(let rule): "\(subject): \(rule)"
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
    case .unavailable(let cause): "the store cannot be used now: \(cause)"
    case .corrupt(let cause): "the file is corrupt or not a store: \(cause)"
    case .newer(let version, let known):
      "the store has version \(version), but this program supports only versions up to \(known)"
    case .older(version: 0, _): "an empty file, not a store"
    case .older(let version, let known):
      "the store has version \(version), and was not migrated to version \(known): it is only read, or migrations are off"
    case .incompatible(let cause): "the store does not match the model: \(cause)"
    case .foreign(let cause): "the file is not a store of this program: \(cause)"
    case .inputOutput(let cause): "the store cannot be read or written: \(cause)"
    case .conflict(let conflicts): conflicts.first?.description ?? "another context saved these objects first"
    case .validation(let error): "a value breaks a rule of the model: \(error)"
    case .validations(let errors):
      "\(errors.count) values break rules of the model: "
        + errors.prefix(10).map(\.description).joined(separator: "; ")
        + (errors.count > 10 ? "; …" : "")
    case .invalid(let cause): "a value breaks a rule of the model: \(cause)"
    case .cancelled: "the migration was cancelled"
    case .request(let cause): "the request cannot be answered: \(cause)"
    case .notFound(let id): "the store does not contain \(id)"
    case .history(let error): "the history cannot be read: \(error)"
    }
  }
}
