import Threading

/// A context as the parent of others: what its children see are objects in memory, under temporary IDs perhaps.
protocol ContextOwner: ContextParent {}

extension ManagedObjectContext {
  /// Takes a child's changes; the ticket has ended already.
  func ticket(absorbing changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket {
    if case .failure(let error) = prerequisite?.outcome { return SaveTicket(.failure(error)) }
    return SaveTicket(Result { () throws(StoreError) in try absorb(changes) })
  }
}

/// A context's interest in what happens to its parent.
final class ParentNotices: Sendable {
  private let observation = Locked<ChangeObservation?>(nil)

  /// Calls `body` with what the context has to know: everything where it merges, else permanent IDs alone.
  func observe(
    _ parent: any ContextParent, mergesChanges: Bool,
    _ body: @escaping @Sendable (ContextChanges, _ isMerged: Bool) -> Void
  ) {
    // Only a context hands out objects that have no permanent ID yet.
    guard mergesChanges || parent is any ContextOwner else { return }
    let new = parent.notices.observe { changes in
      if mergesChanges || !changes.permanentIDs.isEmpty { body(changes, mergesChanges) }
    }
    observation.withLock { $0 = new }
  }
}
