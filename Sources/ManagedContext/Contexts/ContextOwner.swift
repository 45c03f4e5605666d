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

/// The permanent IDs that the objects of a parent got, until its child adopts them.
///
/// The parent's thread adds them before it answers another question. A child that looks here after each answer knows
/// every row in it by the ID that its object has.
final class ParentIDs: Sendable {
  private let gathered: Locked<[ManagedObjectID: ManagedObjectID]>
  private let observation: ChangeObservation

  init(_ parent: any ContextParent) {
    let gathered = Locked<[ManagedObjectID: ManagedObjectID]>([:])
    self.gathered = gathered
    observation = parent.notices.observe { changes in
      guard !changes.permanentIDs.isEmpty else { return }
      gathered.withLock { $0.merge(changes.permanentIDs) { $1 } }
    }
  }

  /// The IDs that came since the last time; nil for none.
  func take() -> [ManagedObjectID: ManagedObjectID]? {
    gathered.withLock { gathered in
      guard !gathered.isEmpty else { return nil }
      defer { gathered = [:] }
      return gathered
    }
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
