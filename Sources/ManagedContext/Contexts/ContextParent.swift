/// What a context reads from and saves to: the coordinator, or a root context.
///
/// A child may ask its parent at any time; a parent never waits for a child.
public protocol ContextParent: AnyObject, Sendable {
  /// The entities of the stack.
  var model: ManagedObjectModel { get }

  /// Reads rows as last committed; runs on the caller's thread and never waits for a save.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Counts rows as last committed.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Takes a child's changes.
  ///
  /// - Parameter prerequisite: An earlier save without which this one must not be written: it fails as that does.
  func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket
}
