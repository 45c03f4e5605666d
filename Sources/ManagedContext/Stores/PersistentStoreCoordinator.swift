/// Joins a model and a store, and is the parent of contexts that save to the store directly.
public final class PersistentStoreCoordinator: ContextParent {
  /// The entities of the stack.
  public let model: ManagedObjectModel
  private let store: any PersistentStore

  /// Makes a coordinator over a store that was opened with the same model.
  public init(model: ManagedObjectModel, store: any PersistentStore) {
    self.model = model
    self.store = store
  }

  /// Reads rows as last committed; any thread.
  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try store.fetch(query)
  }

  /// Counts rows as last committed; any thread.
  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try store.count(query)
  }

  /// Writes at once, on the caller's thread.
  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket? = nil) -> SaveTicket {
    if case .failure(let error) = prerequisite?.outcome { return SaveTicket(.failure(error)) }
    return SaveTicket(write([changes])[0])
  }

  /// Writes change sets in one transaction; see ``PersistentStore/write(_:)``.
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    store.write(group)
  }
}
