/// An object that a context reads from and saves to: the coordinator, a root context, or another context.
///
/// A child may query its parent at any time and may wait for it. A parent never waits for a child.
public protocol ContextParent: AnyObject, Sendable {
  /// The entities of the stack.
  var model: ManagedObjectModel { get }

  /// The number of the store that receives the changes; ``StoreNumber/none`` if no store exists yet.
  var writtenStoreNumber: StoreNumber { get }

  /// Notifies observers of changes that a child may merge: those saved to this parent, and those it saved itself.
  var notices: ChangeNotifier { get }

  /// Reads rows as the parent has them: a context includes its unsaved changes, the others return committed rows.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Counts rows as the parent has them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Accepts a child's changes.
  ///
  /// - Parameters:
  ///   - changes: The changes of one save of the child.
  ///   - prerequisite: An earlier save that must succeed first; if it fails, this save fails with the same error. Nil
  ///     if there is none.
  /// - Returns: The ticket of the save. It has already ended if the parent is a context or the coordinator.
  func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket
}
