public import Foundation
import Threading

/// Connects a model with its stores. It is the parent for contexts that save directly to the store.
///
/// It writes one store, and can read any number of others. An object identifies its store by
/// ``ManagedObjectID/store``. Objects in stores outside the coordinator do not belong to its contexts.
public final class PersistentStoreCoordinator: ContextParent {
  /// The model that the stores and contexts share.
  public let model: ManagedObjectModel
  /// Notifies observers about each transaction, by this coordinator or by another process.
  public let didSave = ChangeNotifier()
  /// Notifies contexts about changes they may merge: ``didSave``.
  public var notices: ChangeNotifier { didSave }

  private let stores = Locked(Stores())
  /// Held while the store is written.
  private let writing = NSLock()
  private let remote = Locked<ChangeObservation?>(nil)

  /// Creates a coordinator without a store.
  public init(model: ManagedObjectModel) {
    self.model = model
  }

  /// Creates a coordinator over a store that was opened with the same model. It writes that store.
  public convenience init(model: ManagedObjectModel, store: any PersistentStore) {
    self.init(model: model)
    stores.withLock { $0.written = store }
  }

  // MARK: Stores

  /// Adds the store to write.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the coordinator already has one.
  public func addPersistentStore(_ store: any PersistentStore) throws(StoreError) {
    let taken = stores.withLock { stores -> String? in
      if let first = stores.written { return first.name }
      stores.written = store
      return nil
    }
    if let taken { throw .cannotOpen("\(store.name): \(taken) is the written store; add this one read-only") }
  }

  /// Adds a read-only store. Fetches include its objects.
  ///
  /// - Returns: The store's number, which its objects' IDs contain. A store that is already present is not
  ///   added again.
  @discardableResult
  public func addReadOnlyStore(_ store: any PersistentStore) -> StoreNumber {
    stores.withLock { stores in
      if !stores.all.contains(where: { $0.number == store.number }) { stores.readOnly.append(store) }
    }
    return store.number
  }

  /// Removes a store. Fetches no longer include its objects, and a refresh marks them as gone. An unknown
  /// number has no effect.
  public func removeStore(_ number: StoreNumber) {
    stores.withLock { stores in
      if stores.written?.number == number { stores.written = nil }
      stores.readOnly.removeAll { $0.number == number }
    }
  }

  /// The store to write; nil if none exists.
  public var writtenStore: (any PersistentStore)? { stores.withLock { $0.written } }

  public var writtenStoreNumber: StoreNumber { writtenStore?.number ?? .none }

  /// Removes read-only stores that turn out to be damaged while they are read, instead of failing.
  ///
  /// - Parameter report: Called on the reading thread with a removed store's number and the damage.
  public func skipDamagedStores(_ report: @escaping @Sendable (StoreNumber, StoreError) -> Void) {
    stores.withLock { $0.reportDamage = report }
  }

  // MARK: Reading

  /// Reads committed rows from all stores, on any thread.
  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let stores = stores.withLock { $0.all }
    if stores.count == 1 { return try fetch(query, from: stores[0]) }
    let part = query.dependsOnOthers ? query.unsorted(model) : query.forMerging(model)
    var batches: [RowBatch] = []
    for store in stores {
      let rows = try unlessDamaged(store) { () throws(StoreError) in try fetch(part, from: store) }
      if let rows { batches.append(rows) }
    }
    if query.dependsOnOthers {
      return try RowBatch.sorting(batches, for: query, model: model) { (inner) throws(StoreError) in
        try fetch(inner)
      }
    }
    return RowBatch.merging(batches, for: query, model: model)
  }

  /// Reads committed rows from the only store in parts, on any thread; from several stores in one part.
  public func fetch(
    _ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    let stores = stores.withLock { $0.all }
    guard stores.count == 1 else { return visit(try fetch(query)) }
    let number = stores[0].number
    try stores[0].fetch(query.withoutForeignIDs(in: number), inPartsOf: size) { part in
      var part = part
      part.store = number
      visit(part)
    }
  }

  /// Counts committed rows in all stores, on any thread.
  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    let stores = stores.withLock { $0.all }
    if stores.count > 1 && (query.offset > 0 || query.limit != nil) {
      var query = query
      query.columns = []
      return try fetch(query).count
    }
    var total = 0
    for store in stores {
      total +=
        try unlessDamaged(store) { () throws(StoreError) in
          try store.count(query.withoutForeignIDs(in: store.number))
        } ?? 0
    }
    return total
  }

  /// Summarizes groups of committed rows in all stores, on any thread.
  public func groups(_ aggregate: StoreAggregate) throws(StoreError) -> [StoreGroup] {
    let stores = stores.withLock { $0.all }
    // The same key can occur in several stores.
    guard stores.count == 1 else {
      return try aggregate.groups(model) { (query) throws(StoreError) in try fetch(query) }
    }
    var aggregate = aggregate
    aggregate.predicate = aggregate.rows.withoutForeignIDs(in: stores[0].number).predicate
    return try stores[0].groups(aggregate, model)
  }

  /// Reads a store; removes it and returns nil if it is damaged and may be skipped.
  private func unlessDamaged<Value>(
    _ store: any PersistentStore, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    do {
      return try body()
    } catch {
      let (isWritten, report) = stores.withLock { ($0.written?.number == store.number, $0.reportDamage) }
      guard case .corrupt = error, !isWritten, let report else { throw error }
      removeStore(store.number)
      report(store.number, error)
      return nil
    }
  }

  private func fetch(
    _ query: StoreQuery, from store: any PersistentStore
  ) throws(StoreError) -> RowBatch {
    var rows = try store.fetch(query.withoutForeignIDs(in: store.number))
    rows.store = store.number
    return rows
  }

  // MARK: Writing

  /// Writes at once, on the caller's thread.
  public func accept(_ changes: ChangeSet, after prerequisite: SaveTicket? = nil) -> SaveTicket {
    if case .failure(let error) = prerequisite?.outcome { return SaveTicket(.failure(error)) }
    return SaveTicket(write(changes))
  }

  private func write(_ changes: ChangeSet) -> Result<CommitResult, StoreError> {
    var group: [ChangeSet]? = [changes]
    return write(groups: { group.take() })[0]
  }

  /// Writes groups of change sets in one transaction, one caller at a time, and notifies the observers; see
  /// ``PersistentStore/write(groups:)``.
  func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>] {
    guard let store = writtenStore else {
      return (next() ?? []).map { _ in .failure(.readOnly("the coordinator has no writable store")) }
    }
    let number = store.number
    // A group with another store's objects ends the transaction.
    var foreign: [ChangeSet] = []
    var results = writing.withLock {
      store.write(groups: {
        guard foreign.isEmpty, let group = next() else { return nil }
        if group.contains(where: { $0.foreignObject(in: number) != nil }) {
          foreign = group
          return nil
        }
        return group.map { $0.withoutForeignIDs(in: number) }
      })
    }
    if !results.isEmpty {
      var changes = ContextChanges()
      for case .success(let result) in results { changes.formUnion(result.changes) }
      didSave.post(changes)
    }
    for changes in foreign {
      guard let id = changes.foreignObject(in: number) else {
        results.append(write(changes))
        continue
      }
      let other = stores.withLock { $0.readOnly.first { $0.number == id.store } }
      results.append(
        .failure(
          .readOnly(other?.name ?? "\(model[id.entity].name) (\(id)) is in a store that is read-only here")))
    }
    return results
  }

  /// Prepares the written store for many new rows, and restores the normal mode after `body`; see
  /// ``PersistentStore/beginBulkLoad()``.
  public func withBulkLoad<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let store = writtenStore
    store?.beginBulkLoad()
    defer { store?.endBulkLoad() }
    return try await body()
  }

  // MARK: History

  /// Returns the written store's transactions after a token, oldest first; nil returns all that are kept.
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try writtenStore?.history(after: token) ?? []
  }

  /// Returns the written store's next transactions with changes to followed entities; see
  /// ``PersistentStore/followedHistory(after:limit:)``.
  public func followedHistory(
    after token: HistoryToken?, limit: Int
  ) throws(StoreError) -> HistoryPart {
    try writtenStore?.followedHistory(after: token, limit: limit) ?? HistoryPart(transactions: [], end: token)
  }

  /// Returns the newest transaction's token; nil before the first.
  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try writtenStore?.currentHistoryToken()
  }

  /// Returns the history consumers in the written store, by name.
  public func consumers() throws(StoreError) -> [HistoryConsumer] { try writtenStore?.consumers() ?? [] }

  /// Records that a consumer has handled all transactions up to a token; see
  /// ``PersistentStore/acknowledge(_:position:by:at:force:)``.
  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int = 0, by name: String, at date: Date, force: Bool = false
  ) throws(StoreError) -> HistoryConsumer {
    guard let store = writtenStore else { throw .readOnly("the coordinator has no writable store") }
    return try store.acknowledge(token, position: position, by: name, at: date, force: force)
  }

  /// Removes a history consumer from the written store. An unknown name has no effect.
  public func removeConsumer(named name: String) throws(StoreError) {
    try writtenStore?.removeConsumer(named: name)
  }

  /// Deletes the transactions before a token, except transactions that a consumer needs.
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    try writtenStore?.purgeHistory(before: token)
  }

  /// Returns an object's versions in its store, oldest first; see ``HistoryOptions/oldValues``.
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    try store(of: id)?.versions(of: id) ?? []
  }

  /// Returns an object's values in a version; see ``PersistentStore/values(ofVersion:of:)``.
  public func values(
    ofVersion number: Int, of id: ManagedObjectID
  ) throws(StoreError) -> [AttributeValue] {
    try store(of: id)?.values(ofVersion: number, of: id) ?? []
  }

  /// Returns the values that a transaction replaced in objects with the same store and entity; see
  /// ``PersistentStore/replacedValues(of:in:)``.
  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    guard let first = ids.first else { return [:] }
    return try store(of: first)?.replacedValues(of: ids, in: transaction) ?? [:]
  }

  /// The store that is written, then the others in the order in which they were added.
  var openStores: [any PersistentStore] { stores.withLock { $0.all } }

  func store(of id: ManagedObjectID) -> (any PersistentStore)? {
    stores.withLock { stores in stores.all.first { $0.number == id.store } }
  }

  /// Makes ``didSave`` report other processes' saves as well.
  ///
  /// - Parameter body: Called with their transactions, on a thread that the store owns.
  /// - Throws: The store's error if it cannot observe other processes.
  public func mergeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void = { _ in }
  ) throws(StoreError) {
    let observation = try writtenStore?.observeRemoteChanges { [didSave] transactions in
      guard !transactions.isEmpty else { return }
      var changes = ContextChanges()
      for transaction in transactions { changes.formUnion(transaction.changes) }
      didSave.post(changes)
      body(transactions)
    }
    // The previous observation ends outside the lock, because its end waits for its body, which may take this
    // lock.
    let former = remote.withLock { current in
      defer { current = observation }
      return current
    }
    former?.cancel()
  }
}

private struct Stores {
  var written: (any PersistentStore)?
  /// The read-only stores, in the order in which they were added.
  var readOnly: [any PersistentStore] = []
  /// Called with a read-only store that was removed; nil if damage makes reads fail.
  var reportDamage: (@Sendable (StoreNumber, StoreError) -> Void)?

  var all: [any PersistentStore] { (written.map { [$0] } ?? []) + readOnly }
}
