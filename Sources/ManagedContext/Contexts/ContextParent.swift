/// An object that a context reads from and saves to: the coordinator, a root context, or another context.
///
/// A child may query its parent at any time and may wait for it. A parent never waits for a child.
public protocol ContextParent: AnyObject, Sendable {
  /// The model that the whole stack shares.
  var model: ManagedObjectModel { get }

  /// The number of the store that receives the changes; ``StoreNumber/none`` if no store exists yet.
  var writtenStoreNumber: StoreNumber { get }

  /// Notifies observers about changes that a child may merge: changes saved to this parent, and changes it
  /// saved itself.
  var notices: ChangeNotifier { get }

  /// Reads rows as the parent has them: a context includes its unsaved changes, other parents return
  /// committed rows.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Reads rows in parts; see ``PersistentStore/fetch(_:inPartsOf:_:)``. The default reads a single part.
  func fetch(_ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void) throws(StoreError)

  /// Counts rows as the parent has them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Returns values that summarize groups of rows as the parent has them, in no order.
  func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup]

  /// Accepts a child's changes.
  ///
  /// - Parameters:
  ///   - changes: The changes from one save.
  ///   - prerequisite: An earlier save that must succeed first; nil for none. If it fails, this save fails
  ///     with the same error.
  /// - Returns: The save's ticket. It has already ended if the parent is a context or the coordinator.
  func accept(_ changes: ChangeSet, after prerequisite: SaveTicket?) -> SaveTicket
}

extension ContextParent {
  public func fetch(
    _ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    visit(try fetch(query))
  }

  /// Computes the groups from rows.
  public func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup] {
    try aggregate.groups(model) { (query) throws(StoreError) in try fetch(query) }
  }
}
