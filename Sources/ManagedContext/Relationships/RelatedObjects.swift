/// What a to-many relationship of an object led to when it was asked for, and what has changed since.
///
/// Adding and removing take the same time however many there are.
struct RelatedObjects {
  /// The context's generation of the relationship when it was read; with another one the IDs may be wrong.
  let generation: Int
  private var listed: [ManagedObjectID]
  /// Those of the list that are no longer there.
  private var removed: Set<ManagedObjectID> = []
  /// The same as the list without what was removed; nil until somebody asks.
  private var members: Set<ManagedObjectID>?

  init(ids: [ManagedObjectID], generation: Int) {
    listed = ids
    self.generation = generation
  }

  /// The objects, in the order of their age, what was added last.
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
    // One that was there before stands last now.
    if removed.contains(id) { _ = ids }
    listed.append(id)
    members?.insert(id)
  }

  mutating func remove(_ id: ManagedObjectID) {
    removed.insert(id)
    members?.remove(id)
  }
}
