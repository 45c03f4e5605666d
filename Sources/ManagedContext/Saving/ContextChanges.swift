/// Changes from one or several saves, by ID: Core Data's did-save notification as a value.
public struct ContextChanges: Sendable, Equatable {
  /// Objects that did not exist before.
  public var inserted = ManagedObjectIDSet()
  /// Objects with new values, and the attributes that were written.
  public var updated: [ManagedObjectID: AttributeSet] = [:]
  /// Objects that no longer exist.
  public var deleted: Set<ManagedObjectID> = []
  /// The new permanent IDs, by the temporary IDs that they replace.
  public var permanentIDs: [ManagedObjectID: ManagedObjectID] = [:]

  /// Creates a value; empty by default.
  public init(
    inserted: ManagedObjectIDSet = [], updated: [ManagedObjectID: AttributeSet] = [:],
    deleted: Set<ManagedObjectID> = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// True if nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && permanentIDs.isEmpty }

  /// The permanent IDs without the other changes.
  var onlyPermanentIDs: ContextChanges {
    var changes = ContextChanges()
    changes.permanentIDs = permanentIDs
    return changes
  }

  /// Removes the changes to an entity's objects.
  public mutating func remove(_ entity: EntityIndex) {
    inserted.subtract(inserted.ids(of: entity))
    updated = updated.filter { $0.key.entity != entity }
    deleted = deleted.filter { $0.entity != entity }
  }

  /// Adds a later save's changes, so that one merge handles both.
  public mutating func formUnion(_ later: ContextChanges) {
    if isEmpty {
      self = later
      return
    }
    inserted.formUnion(later.inserted)
    for (id, attributes) in later.updated where !inserted.contains(id) {
      updated[id, default: []].formUnion(attributes)
    }
    // An object inserted and deleted in between is included, because a context may have read it in that time.
    deleted.formUnion(later.deleted)
    for id in later.deleted { inserted.remove(id) }
    for id in later.deleted { updated[id] = nil }
    permanentIDs.merge(later.permanentIDs) { $1 }
  }
}
