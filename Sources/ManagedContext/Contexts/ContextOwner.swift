import Threading

/// A context that is the parent of other contexts. Its children may see objects with temporary IDs.
protocol ContextOwner: ContextParent {}

extension ManagedObjectContext {
  /// Accepts a child's changes. The returned ticket has already ended.
  func ticket(absorbing changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    if case .failure(let error) = prerequisite?.outcome { return SaveTicket(.failure(error)) }
    return SaveTicket(Result { () throws(StoreError) in try absorb(changes) })
  }
}

/// A context's observation of its parent.
final class ParentNotices: Sendable {
  private let observation = Locked<ChangeObservation?>(nil)

  /// Calls `body` with all changes if the context merges, otherwise with permanent IDs only.
  func observe(
    _ parent: any ContextParent, mergesChanges: Bool,
    _ body: @escaping @Sendable (ContextChanges, _ isMerged: Bool) -> Void
  ) {
    // Only a context returns objects that have no permanent ID yet.
    guard mergesChanges || parent is any ContextOwner else { return }
    let new = parent.notices.observe { changes in
      if mergesChanges || !changes.permanentIDs.isEmpty { body(changes, mergesChanges) }
    }
    observation.withLock { $0 = new }
  }
}
