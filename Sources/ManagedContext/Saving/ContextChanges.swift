/// What one or several saves changed, by ID: Core Data's did-save notification as a value.
public struct ContextChanges: Sendable, Equatable {
  /// Objects that did not exist before.
  public var inserted: Set<ManagedObjectID> = []
  /// Objects that have other values now.
  public var updated: Set<ManagedObjectID> = []
  /// Objects that exist no more.
  public var deleted: Set<ManagedObjectID> = []

  /// Makes changes; empty ones by default.
  public init(
    inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [],
    deleted: Set<ManagedObjectID> = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Takes a later save in, so that one merge does the work of both.
  public mutating func formUnion(_ later: ContextChanges) {
    inserted.formUnion(later.inserted)
    updated.formUnion(later.updated)
    updated.subtract(inserted)
    // Also one that came and went in between: somebody may have read it meanwhile.
    deleted.formUnion(later.deleted)
    inserted.subtract(later.deleted)
    updated.subtract(later.deleted)
  }
}
