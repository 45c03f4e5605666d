/// What a context reads from and saves to: the coordinator, a root context, or another context.
///
/// A child may ask its parent at any time, and may wait for it; a parent never waits for a child.
public protocol ContextParent: AnyObject, Sendable {
  /// The entities of the stack.
  var model: ManagedObjectModel { get }

  /// The number of the store where changes end; ``StoreNumber/none`` while there is none.
  var writtenStoreNumber: StoreNumber { get }

  /// Told of what a child may want to merge: what was saved to this parent, and by it.
  var notices: ChangeNotifier { get }

  /// Reads rows as the parent has them: with the unsaved changes of a context, as last committed for the others.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Counts rows as the parent has them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Takes a child's changes.
  ///
  /// - Parameters:
  ///   - changes: What one save of the child writes.
  ///   - prerequisite: An earlier save without which this one must not be written: it fails as that does. Nil for
  ///     none.
  /// - Returns: Stands for the save; it has ended already where the parent is a context or the coordinator.
  func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket
}
