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

/// The permanent IDs that objects of a parent received and its child has not yet adopted.
///
/// The parent's thread adds them before it answers another query. A child that calls ``take()`` after each answer
/// therefore knows every row in it by its object's ID.
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

  /// Returns the IDs added since the last call; nil if none were added.
  func take() -> [ManagedObjectID: ManagedObjectID]? {
    gathered.withLock { gathered in
      guard !gathered.isEmpty else { return nil }
      defer { gathered = [:] }
      return gathered
    }
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
