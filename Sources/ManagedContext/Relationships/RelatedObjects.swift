/// The objects in a to-many relationship, as last read and changed since.
///
/// Adding and removing take the same time for any number of objects.
struct RelatedObjects {
  /// The relationship's generation when it was read. If the context's generation differs now, the IDs may be
  /// outdated.
  let generation: Int
  private var listed: [ManagedObjectID]
  /// IDs in ``listed`` that were removed since.
  private var removed: Set<ManagedObjectID> = []
  /// The IDs in ``listed`` without the removed ones, as a set; nil until it is first needed.
  private var members: Set<ManagedObjectID>?

  init(ids: [ManagedObjectID], generation: Int) {
    listed = ids
    self.generation = generation
  }

  /// The IDs, oldest first, followed by IDs added since the read.
  var ids: [ManagedObjectID] {
    mutating get {
      if !removed.isEmpty {
        listed.removeAll(where: removed.contains)
        removed = []
      }
      return listed
    }
  }

  mutating func contains(_ id: ManagedObjectID) -> Bool {
    if let members { return members.contains(id) }
    let all = Set(ids)
    members = all
    return all.contains(id)
  }

  mutating func append(_ id: ManagedObjectID) {
    // Drop the object's earlier occurrence first: an object that was added again comes last.
    if removed.contains(id) { _ = ids }
    listed.append(id)
    members?.insert(id)
  }

  mutating func remove(_ id: ManagedObjectID) {
    removed.insert(id)
    members?.remove(id)
  }
}
