/// What one or several saves changed, by ID: Core Data's did-save notification as a value.
public struct ContextChanges: Sendable, Equatable {
  /// Objects that did not exist before.
  public var inserted = ManagedObjectIDSet()
  /// Objects that have other values now, with the attributes that were written.
  public var updated: [ManagedObjectID: AttributeSet] = [:]
  /// Objects that exist no more.
  public var deleted: Set<ManagedObjectID> = []
  /// The permanent ID of each object that was known under a temporary one until now.
  public var permanentIDs: [ManagedObjectID: ManagedObjectID] = [:]

  /// Makes changes; empty ones by default.
  public init(
    inserted: ManagedObjectIDSet = [], updated: [ManagedObjectID: AttributeSet] = [:],
    deleted: Set<ManagedObjectID> = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && permanentIDs.isEmpty }

  /// Takes a later save in, so that one merge does the work of both.
  public mutating func formUnion(_ later: ContextChanges) {
    if isEmpty {
      self = later
      return
    }
    inserted.formUnion(later.inserted)
    for (id, attributes) in later.updated where !inserted.contains(id) {
      updated[id, default: []].formUnion(attributes)
    }
    // Also one that came and went in between: somebody may have read it meanwhile.
    deleted.formUnion(later.deleted)
    for id in later.deleted { inserted.remove(id) }
    for id in later.deleted { updated[id] = nil }
    permanentIDs.merge(later.permanentIDs) { $1 }
  }
}
