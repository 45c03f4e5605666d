import Threading

/// Joins a model and its stores, and is the parent of contexts that save to the store directly.
///
/// One store is written; any number of others may be added to be read with it. Objects know their store by
/// ``ManagedObjectID/store``.
public final class PersistentStoreCoordinator: ContextParent {
  /// The entities of the stack.
  public let model: ManagedObjectModel
  /// Told of each transaction: one that went through this coordinator, or one of another process.
  public let didSave = ChangeNotifier()
  /// What contexts over this coordinator may merge: ``didSave``.
  public var notices: ChangeNotifier { didSave }

  private let stores = Locked<[UInt16: any PersistentStore]>([:])
  private let isWriting = Monitor(false)
  private let remote = Locked<ChangeObservation?>(nil)

  /// Makes a coordinator without a store.
  public init(model: ManagedObjectModel) {
    self.model = model
  }

  /// Makes a coordinator over a store that was opened with the same model, and is written.
  public convenience init(model: ManagedObjectModel, store: any PersistentStore) {
    self.init(model: model)
    stores.withLock { $0[0] = store }
  }

  // MARK: Stores

  /// Adds the store that is written.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` when there is one already.
  public func addPersistentStore(_ store: any PersistentStore) throws(StoreError) {
    let taken = stores.withLock { stores -> String? in
      if let first = stores[0] { return first.name }
      stores[0] = store
      return nil
    }
    if let taken { throw .cannotOpen("\(store.name): \(taken) is written already; add this one read-only") }
  }

  /// Adds a store whose objects are fetched together with those of the others, and never written.
  ///
  /// - Returns: Its place, which is in the IDs of its objects (``ManagedObjectID/store``); from 1.
  @discardableResult
  public func addReadOnlyStore(_ store: any PersistentStore) -> UInt16 {
    stores.withLock { stores in
      let place = (stores.keys.max() ?? 0) + 1
      stores[place] = store
      return place
    }
  }

  /// Takes a store away; its objects are gone from the next fetch on. Nothing happens when there is none.
  public func removeStore(at place: UInt16) {
    stores.withLock { $0[place] = nil }
  }

  /// The store at a place; nil when there is none.
  public func store(at place: UInt16) -> (any PersistentStore)? {
    stores.withLock { $0[place] }
  }

  /// The store that is written, where there is no other; nil else.
  var onlyStore: (any PersistentStore)? {
    stores.withLock { $0.count == 1 ? $0[0] : nil }
  }

  // MARK: Reading

  /// Reads rows of all stores as last committed; any thread.
  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let stores = stores.withLock { $0 }
    if stores.count == 1, let only = stores.first {
      return try fetch(query, from: only.value, at: only.key)
    }
    let part = query.forMerging(model)
    var batches: [RowBatch] = []
    for (place, store) in stores.sorted(by: { $0.key < $1.key }) {
      batches.append(try fetch(part, from: store, at: place))
    }
    return RowBatch.merging(batches, for: query, model: model)
  }

  /// Counts rows of all stores as last committed; any thread.
  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    let stores = stores.withLock { $0 }
    if stores.count > 1 && (query.offset > 0 || query.limit != nil) {
      var query = query
      query.columns = []
      return try fetch(query).count
    }
    var total = 0
    for (place, store) in stores { total += try store.count(query.local(to: place)) }
    return total
  }

  private func fetch(
    _ query: StoreQuery, from store: any PersistentStore, at place: UInt16
  ) throws(StoreError) -> RowBatch {
    var rows = try store.fetch(query.local(to: place))
    rows.store = place
    return rows
  }

  // MARK: Writing

  /// Writes at once, on the caller's thread.
  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket? = nil) -> SaveTicket {
    if case .failure(let error) = prerequisite?.outcome { return SaveTicket(.failure(error)) }
    return SaveTicket(write([changes])[0])
  }

  /// Writes change sets in one transaction, one caller at a time, and tells of it; see
  /// ``PersistentStore/write(_:)``.
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    guard let store = store(at: 0) else {
      return group.map { _ in .failure(.readOnly("the coordinator has no store that is written")) }
    }
    if let foreign = group.lazy.compactMap(\.readOnlyStore).first {
      let name = self.store(at: foreign)?.name ?? "store \(foreign)"
      return group.map { $0.readOnlyStore == nil ? write([$0])[0] : .failure(.readOnly(name)) }
    }
    isWriting.wait { isWriting -> Void? in
      if isWriting { return nil }
      isWriting = true
      return ()
    }
    let results = store.write(group)
    isWriting.update { $0 = false }
    var changes = ContextChanges()
    for case .success(let result) in results { changes.formUnion(result.changes) }
    didSave.post(changes)
    return results
  }

  /// Prepares the written store for a great many new rows, and ends that after `body`; see
  /// ``PersistentStore/beginBulkLoad()``.
  public func withBulkLoad<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let store = store(at: 0)
    store?.beginBulkLoad()
    defer { store?.endBulkLoad() }
    return try await body()
  }

  // MARK: History

  /// The transactions of the written store after a token, oldest first; all that are kept where that is nil.
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try store(at: 0)?.history(after: token) ?? []
  }

  /// The newest transaction's token; nil before the first.
  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try store(at: 0)?.currentHistoryToken()
  }

  /// Forgets the transactions before a token.
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    try store(at: 0)?.purgeHistory(before: token)
  }

  /// From now on, ``didSave`` also tells of what other processes save.
  ///
  /// - Parameter body: Called with their transactions, on a thread of the store's.
  /// - Throws: What keeps the store from being watched.
  public func mergeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void = { _ in }
  ) throws(StoreError) {
    let observation = try store(at: 0)?.observeRemoteChanges { [didSave] transactions in
      var changes = ContextChanges()
      for transaction in transactions { changes.formUnion(transaction.changes) }
      didSave.post(changes)
      body(transactions)
    }
    // The former one ends outside of the lock: that waits for its body, which may come here itself.
    let former = remote.withLock { current in
      defer { current = observation }
      return current
    }
    former?.cancel()
  }
}

extension ChangeSet {
  /// The place of a store that may not be written, and which the change set would write; nil when all is well.
  fileprivate var readOnlyStore: UInt16? {
    updates.first { $0.id.store != 0 }?.id.store ?? deletions.first { $0.id.store != 0 }?.id.store
  }
}

extension StoreQuery {
  /// The question as a single store understands it: its own IDs have no place there, others match nothing.
  func local(to place: UInt16) -> StoreQuery {
    var query = self
    query.predicate = predicate?.local(to: place)
    return query
  }
}

extension StorePredicate {
  fileprivate func local(to place: UInt16) -> StorePredicate {
    let never = StorePredicate.any([])
    switch self {
    case .compare(let attribute, let comparison, .reference(let id)):
      guard id.store != place else { return .compare(attribute, comparison, .reference(id.local)) }
      return comparison == .notEqual ? .all([]) : never
    case .compare, .match: return self
    case .among(let attribute, let values):
      return .among(
        attribute,
        values.compactMap { value in
          guard case .reference(let id) = value else { return value }
          return id.store == place ? .reference(id.local) : nil
        })
    case .ids(let ids): return .ids(ids.filter { $0.store == place }.map(\.local))
    case .amongRows(let attribute, let query): return .amongRows(attribute, of: query.local(to: place))
    case .all(let parts): return .all(parts.map { $0.local(to: place) })
    case .any(let parts): return .any(parts.map { $0.local(to: place) })
    case .not(let part): return .not(part.local(to: place))
    }
  }
}

extension ManagedObjectID {
  /// The ID as its own store knows it.
  fileprivate var local: ManagedObjectID { ManagedObjectID(entity: entity, key: key) }
}
