/// What a save does where another context saved the same object first, or took a unique value.
///
/// For a taken unique value "the store" is the row that has it, and the object becomes that row where it wins or
/// yields: two objects never share one.
public enum MergePolicy: Sendable, CaseIterable {
  /// The save fails with ``StoreError/conflict(_:)`` and nothing is written.
  case error
  /// What the store has wins, attribute by attribute; edits of other attributes are written.
  case storeTrumps
  /// The edits of the save win, attribute by attribute; what they leave alone stays as the store has it.
  case objectTrumps
  /// The whole object as the context has it is written, over whatever the store has.
  case overwrite
  /// The object's edits are discarded, and the store's row stays as it is.
  case rollback
}

/// One object of a save that another context was faster with.
public struct MergeConflict: Sendable, Equatable {
  /// What came in between.
  public enum Kind: Sendable, Equatable {
    /// The row has been changed.
    case changed
    /// The row has been deleted.
    case deleted
    /// `other` has the same values of the attributes, which are unique together: a row, or a new object of the same save.
    case unique(attributes: [String], other: ManagedObjectID)
    /// The object `other`, to which the attribute was to lead, has been deleted.
    case reference(attribute: String, other: ManagedObjectID)
  }

  /// The object that was to be saved.
  public let object: ManagedObjectID
  /// The entity's name.
  public let entity: String
  /// What came in between.
  public let kind: Kind
  /// The values that were to be written, by attribute; empty for a deletion.
  public let objectValues: [String: AttributeValue]
  /// What the store has of the same attributes (of all of them for a deletion); empty when the row is gone.
  public let storeValues: [String: AttributeValue]

  /// Describes a conflict.
  public init(
    object: ManagedObjectID, entity: String, kind: Kind, objectValues: [String: AttributeValue],
    storeValues: [String: AttributeValue]
  ) {
    self.object = object
    self.entity = entity
    self.kind = kind
    self.objectValues = objectValues
    self.storeValues = storeValues
  }
}

extension MergeConflict: CustomStringConvertible {
  public var description: String {
    let differing = objectValues.keys.sorted().filter { storeValues[$0] != objectValues[$0] }
    let values = differing.map { name in
      "\(name) \(objectValues[name] ?? .null), the store has \(storeValues[name] ?? .null)"
    }
    let detail = values.isEmpty ? "" : ": " + values.joined(separator: "; ")
    return switch kind {
    case .changed: "another context saved \(object) (\(entity)) first\(detail)"
    case .deleted: "another context deleted \(object) (\(entity)) first"
    case .unique(let attributes, let other):
      "\(object) (\(entity)) has the same \(attributes.joined(separator: ", ")) as \(other): "
        + attributes.map { "\(objectValues[$0] ?? storeValues[$0] ?? .null)" }.joined(separator: ", ")
    case .reference(let attribute, let other):
      "\(entity).\(attribute) of \(object) leads to \(other), which another context deleted first"
    }
  }
}
