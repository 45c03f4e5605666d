/// Keeps the rows of a model: a file, memory, or another machine.
///
/// It speaks of entities, rows, predicates and change sets, never of SQL. Reading may happen on any thread and
/// at any time, also while ``write(_:)`` runs, and sees what was last committed. Writing happens on one thread at
/// a time; the coordinator sees to that. What a store gives and takes has its ``number`` in every ID.
public protocol PersistentStore: AnyObject, Sendable {
  /// What errors call it: a path, or a few words.
  var name: String { get }

  /// What tells its objects from those of other stores: ``StoreNumber/unique()``, or the same number as other instances
  /// have that read and write the same rows.
  var number: StoreNumber { get }

  /// Reads rows.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Counts rows without reading them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Writes change sets in one transaction.
  ///
  /// A change set that cannot be written fails alone and leaves no trace; the others are committed together.
  /// ``ChangeSet/apply(to:model:)`` knows the order, the merge policies and the conflicts.
  /// - Returns: A result for each change set, in order.
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>]

  /// Prepares for a great many new rows, in a store that has few and that is not read much until ``endBulkLoad()``.
  ///
  /// What is committed is as safe as ever. Reads may have to wait for commits, and commits for reads; queries that go by
  /// an index may take long meanwhile.
  func beginBulkLoad()

  /// Ends what ``beginBulkLoad()`` began.
  func endBulkLoad()

  /// From now on nothing waits for locks that other programs hold: what would have to fails as busy. For a program that
  /// is to end soon; any thread.
  func stopWaiting()

  /// The transactions after a token, oldest first; from the first one still kept where that is nil.
  func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction]

  /// The newest transaction's token; nil before the first, and in a store without history.
  func currentHistoryToken() throws(StoreError) -> HistoryToken?

  /// Forgets the transactions before a token; that of the token itself stays.
  func purgeHistory(before token: HistoryToken) throws(StoreError)

  /// Calls `body` with the transactions that other processes commit from now on, on a thread of the store's.
  ///
  /// - Returns: Ends when it is dropped; nil in a store that no other process can write.
  func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation?
}

/// A store without history, which no other process writes, and to which many rows are nothing special.
extension PersistentStore {
  public func beginBulkLoad() {}
  public func endBulkLoad() {}
  public func stopWaiting() {}
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] { [] }
  public func currentHistoryToken() throws(StoreError) -> HistoryToken? { nil }
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {}
  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? { nil }
}
