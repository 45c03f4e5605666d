public import struct Foundation.Date
public import struct Foundation.UUID

/// A store for a model's rows: a file, memory, or another machine.
///
/// Its interface uses entities, rows, predicates and change sets, but no SQL. Reads may run on any thread at
/// any time, also during ``write(_:)``, and see the last commit. Writes run on one thread at a time, which
/// the coordinator ensures. Every ID that a store accepts or returns contains its ``number``.
public protocol PersistentStore: AnyObject, Sendable {
  /// The store's name in errors: a path, or a short description.
  var name: String { get }

  /// The number that distinguishes its objects from objects in other stores.
  ///
  /// It is ``StoreNumber/unique()``, or a number shared by instances that read and write the same rows.
  var number: StoreNumber { get }

  /// Returns the UUID that identifies the store in every process, for ``StoredObjectID``. Copies of a store
  /// may have the same one.
  ///
  /// - Parameter isMade: True to give the store a UUID if it has none, as far as it can be written.
  /// - Returns: Nil in a store without a UUID, which is the default.
  func uuid(isMade: Bool) throws(StoreError) -> UUID?

  /// Reads rows.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Reads rows as ``fetch(_:)`` does, in parts that follow one another, so that the memory of one part is used
  /// again for the next one. The default reads a single part.
  ///
  /// - Parameters:
  ///   - query: The rows to read, and their order.
  ///   - size: The number of rows in each part but the last.
  ///   - visit: Called with each part. It must not use the store.
  func fetch(_ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void) throws(StoreError)

  /// Counts rows without reading them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Returns values that summarize groups of rows, in no order. The default computes them from rows.
  func groups(_ aggregate: StoreAggregate, _ model: ManagedObjectModel) throws(StoreError) -> [StoreGroup]

  /// Writes change sets in one transaction.
  ///
  /// A change set that cannot be written fails alone and changes nothing. The others are committed together.
  /// ``ChangeSet/apply(to:model:)`` implements the order, the merge policies and the conflicts.
  /// - Returns: A result for each change set, in order.
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>]

  /// Writes groups of change sets in one transaction, as ``write(_:)`` writes one, until there are no more.
  ///
  /// A transaction of many groups costs as many syncs as one of a single group. A store that does not keep its
  /// transaction open calls `next` once, as the default implementation does.
  /// - Parameter next: Returns the next group after a short wait at most; nil ends the transaction. A later call
  ///   means that the groups before it are applied. The store must not keep them, so that memory holds one group.
  /// - Returns: A result for each change set in each group that `next` returned, in order.
  func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>]

  /// Prepares for many new rows, in a store that has few rows and is rarely read until ``endBulkLoad()``.
  ///
  /// Commits are as durable as usual. Reads may wait for commits, and commits for reads. Queries that use an
  /// index may be slow until ``endBulkLoad()``.
  func beginBulkLoad()

  /// Ends the mode that ``beginBulkLoad()`` started.
  func endBulkLoad()

  /// Returns the time by the store's clock, which all users of the store share.
  ///
  /// Compare dates in the store with this time, because another machine's clock may be wrong. The default is
  /// the system's clock.
  func now() -> Date

  /// Begins a sign that a number's holder is alive.
  ///
  /// - Parameter number: A number from 2^32 to 2^62 with no other holder.
  /// - Throws: ``StoreError/inputOutput(_:)`` if the store cannot keep the sign.
  func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign

  /// Returns the numbers whose holders are alive, or may be.
  ///
  /// - Parameters:
  ///   - numbers: The numbers to look for.
  ///   - isPatient: True to wait for a while for a holder that may have lost its connection.
  func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) throws(StoreError) -> Set<Int64>

  /// Makes operations fail as busy instead of waiting for other programs' locks. A program that is about to
  /// exit calls it, on any thread.
  func stopWaiting()

  /// Returns the transactions after a token, oldest first; nil and the number 0 start at the oldest one kept.
  ///
  /// - Throws: ``StoreError/history(_:)`` for a token with a ``HistoryToken/check`` that this store cannot
  ///   continue from.
  func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction]

  /// Returns the next transactions with changes to followed entities (``HistoryOptions/isFollowed``).
  ///
  /// Other transactions are not read, but the token to continue from includes them.
  ///
  /// - Parameters:
  ///   - token: The token to continue from; nil and the number 0 start at the oldest transaction kept.
  ///   - limit: The maximum number of transactions. A part with fewer is the last one.
  /// - Throws: The same errors as ``history(after:)``.
  func followedHistory(after token: HistoryToken?, limit: Int) throws(StoreError) -> HistoryPart

  /// Returns the newest transaction's token; nil before the first, and in a store without history.
  func currentHistoryToken() throws(StoreError) -> HistoryToken?

  /// Returns the history's consumers, by name.
  func consumers() throws(StoreError) -> [HistoryConsumer]

  /// Records that a consumer has handled all transactions up to a token. A consumer with a new name is
  /// created.
  ///
  /// - Parameters:
  ///   - token: The last transaction that is handled completely. The number 0 starts at the oldest
  ///     transaction kept.
  ///   - position: The number of handled changes in the following transaction.
  ///   - name: The consumer's name.
  ///   - date: The current date.
  ///   - force: True to move the consumer back, so that it reads transactions again. Otherwise an earlier
  ///     position than the present one changes only the date.
  /// - Returns: The consumer as it is stored.
  /// - Throws: ``StoreError/history(_:)`` if the store does not have the token's transaction.
  @discardableResult
  func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer

  /// Records that a consumer is in use, so that the store keeps the transactions that it has not
  /// acknowledged.
  ///
  /// An unknown name has no effect.
  func touchConsumer(named name: String, at date: Date) throws(StoreError)

  /// Removes a consumer. An unknown name has no effect.
  func removeConsumer(named name: String) throws(StoreError)

  /// Deletes the transactions before a token. The token's own transaction and the newest one stay.
  func purgeHistory(before token: HistoryToken) throws(StoreError)

  /// Returns an object's versions, oldest first; see ``HistoryOptions/oldValues``.
  func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion]

  /// Returns an object's values in a version, one for each attribute in ``HistoryOptions/oldValues``, in that
  /// order.
  ///
  /// The number after the last version gives the current values. A value is null if the object does not
  /// exist.
  func values(ofVersion number: Int, of id: ManagedObjectID) throws(StoreError) -> [AttributeValue]

  /// Returns the values that a transaction replaced in one entity's objects. Objects without versions are
  /// omitted.
  ///
  /// - Parameters:
  ///   - ids: The objects.
  ///   - transaction: The transaction's number.
  func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues]

  /// Calls `body` with the transactions that other processes commit from now on, on a thread that the store
  /// owns.
  ///
  /// The array is empty if the history does not contain the commit, and it may be empty for other reasons.
  ///
  /// - Returns: The observation, which ends when it is released; nil in a store that no other process can
  ///   write.
  func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation?
}

/// Defaults for a store without history that only this process writes and that needs no preparation for many
/// rows.
extension PersistentStore {
  public func uuid(isMade: Bool) throws(StoreError) -> UUID? { nil }
  public func fetch(
    _ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    visit(try fetch(query))
  }
  public func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>] {
    next().map(write) ?? []
  }
  public func groups(
    _ aggregate: StoreAggregate, _ model: ManagedObjectModel
  ) throws(StoreError) -> [StoreGroup] {
    try aggregate.groups(model) { (query) throws(StoreError) in
      var rows = try fetch(query)
      rows.store = number
      return rows
    }
  }
  public func beginBulkLoad() {}
  public func endBulkLoad() {}
  public func now() -> Date { Date() }
  public func stopWaiting() {}
  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] { [] }
  public func followedHistory(
    after token: HistoryToken?, limit: Int
  ) throws(StoreError) -> HistoryPart {
    let all = try history(after: token)
    let followed = Array(all.filter(\.isFollowed).prefix(limit))
    let end = followed.count < limit ? all.last?.token : followed.last?.token
    return HistoryPart(transactions: followed, end: end ?? token)
  }
  public func currentHistoryToken() throws(StoreError) -> HistoryToken? { nil }
  public func consumers() throws(StoreError) -> [HistoryConsumer] { [] }
  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    throw .request("\(self.name) has no history that can be acknowledged")
  }
  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {}
  public func removeConsumer(named name: String) throws(StoreError) {}
  public func purgeHistory(before token: HistoryToken) throws(StoreError) {}
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] { [] }
  public func values(ofVersion number: Int, of id: ManagedObjectID) throws(StoreError) -> [AttributeValue] {
    []
  }
  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] { [:] }
  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? { nil }
}

extension PersistentStore {
  /// Records that a consumer has handled all transactions up to a token, and some changes in the following
  /// one.
  ///
  /// The consumer is not moved back.
  ///
  /// - Returns: The consumer as it is stored.
  /// - Throws: ``StoreError/history(_:)`` if the store does not have the token's transaction.
  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int = 0, by name: String, at date: Date
  ) throws(StoreError) -> HistoryConsumer {
    try acknowledge(token, position: position, by: name, at: date, force: false)
  }
}
