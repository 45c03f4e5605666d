/// The policy for a conflict: another context saved the same object first, or another row already has a
/// unique value.
///
/// For a unique value, "the store" is the row that has it. The object becomes that row whether it wins or
/// yields, because two objects never share a row.
public enum MergePolicy: Sendable, CaseIterable {
  /// The save fails with ``StoreError/conflict(_:)`` and nothing is written.
  case error
  /// The store's values win, attribute by attribute. Edits to other attributes are written.
  case storeTrumps
  /// The save's edits win, attribute by attribute. The other attributes keep the store's values.
  case objectTrumps
  /// The whole object is written with the context's values, over any values in the store.
  case overwrite
  /// The object's edits are discarded, and the store's row stays as it is.
  case rollback
}

/// A conflict between an object in a save and a change that another context saved first.
public struct MergeConflict: Sendable, Equatable {
  /// The kind of change.
  public enum Kind: Sendable, Equatable {
    /// The row has been changed.
    case changed
    /// The row has been deleted.
    case deleted
    /// The object `other` has the same values in attributes that are unique together. It is a row, or a new
    /// object in the same save.
    case unique(attributes: [String], other: ManagedObjectID)
    /// The object `other`, the new target of the attribute, has been deleted.
    case reference(attribute: String, other: ManagedObjectID)
  }

  /// The object in the save.
  public let object: ManagedObjectID
  /// The entity's name.
  public let entity: String
  /// The kind of change.
  public let kind: Kind
  /// The values to write, by attribute; empty for a deletion.
  public let objectValues: [String: AttributeValue]
  /// The store's values for the same attributes (for all attributes, if this is a deletion); empty if the row
  /// is gone.
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
