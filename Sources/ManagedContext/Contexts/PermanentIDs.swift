/// The permanent IDs of objects that were known under temporary ones, so that an ID that was handed on early still
/// finds its object.
///
/// The newest 50,000 at least are kept, at most twice as many: memory does not grow with the number of saves.
struct PermanentIDs {
  private var recent: [ManagedObjectID: ManagedObjectID] = [:]
  private var older: [ManagedObjectID: ManagedObjectID] = [:]
  private static let kept = 50_000

  var isEmpty: Bool { recent.isEmpty && older.isEmpty }

  /// The permanent ID where one is known, else the ID itself.
  subscript(id: ManagedObjectID) -> ManagedObjectID {
    guard id.isTemporary else { return id }
    return recent[id] ?? older[id] ?? id
  }

  mutating func add(_ more: [ManagedObjectID: ManagedObjectID]) {
    if recent.count + more.count > Self.kept {
      older = recent
      recent = more
    } else {
      recent.merge(more) { $1 }
    }
  }
}
