public import ManagedContext
internal import Threading

public import struct Foundation.Date

/// A store for tests. It passes each call on to another store, counts the calls, and lets chosen ones fail.
///
/// Any thread may count and choose at any time. Saves without changes are passed on uncounted and cannot fail.
public final class TestStore: PersistentStore {
  private struct State: Sendable {
    var writes = 0
    var reads: [EntityIndex: Int] = [:]
    var rows = 0
    var refusal: (@Sendable (StoreCall) -> StoreError?)?
  }

  public var name: String { store.name }
  public var number: StoreNumber { store.number }

  let store: any PersistentStore
  private let clock: TestClock?
  private let state = Locked(State())

  /// Creates a store in front of another one, such as an `InMemoryStore`.
  ///
  /// - Parameters:
  ///   - store: The store that has the rows.
  ///   - clock: The clock that ``now()`` shows; nil for the store's own.
  public init(_ store: any PersistentStore, clock: TestClock? = nil) {
    (self.store, self.clock) = (store, clock)
  }

  // MARK: Counting

  /// The number of change sets so far, with those that failed.
  public var writeCount: Int { state.withLock { $0.writes } }

  /// The number of rows that queries have returned so far. Counts and summaries are not rows.
  public var rowCount: Int { state.withLock { $0.rows } }

  /// Returns the number of queries of all kinds so far, with those that failed.
  ///
  /// - Parameter entity: The entity that the counted queries read; nil for any.
  public func readCount(of entity: EntityIndex? = nil) -> Int {
    state.withLock { state in
      entity.map { state.reads[$0, default: 0] } ?? state.reads.values.reduce(0, +)
    }
  }

  // MARK: Failing

  /// Lets one call fail. Later calls succeed. It replaces earlier choices.
  ///
  /// - Parameters:
  ///   - operation: The kind of the call.
  ///   - number: The call's number among the calls of its kind from now on; 1 is the next one.
  ///   - error: The error that the call throws. A change set with an error is not written.
  public func fail(_ operation: StoreCall.Operation, at number: Int = 1, with error: StoreError) {
    let left = Locked(number)
    refuse { call in
      guard call.operation == operation else { return nil }
      let isMeant = left.withLock { left in
        left -= 1
        return left == 0
      }
      return isMeant ? error : nil
    }
  }

  /// Lets the calls fail for which a closure returns an error. It replaces earlier choices.
  ///
  /// - Parameter refusal: Is called on the calling thread before each call; nil lets all calls succeed.
  public func refuse(_ refusal: (@Sendable (StoreCall) -> StoreError?)?) {
    state.withLock { $0.refusal = refusal }
  }

  /// Counts a call, and returns the error that it is to fail with.
  private func error(for call: StoreCall) -> StoreError? {
    let refusal = state.withLock { state in
      if let entity = call.entity { state.reads[entity, default: 0] += 1 }
      if call.operation == .write { state.writes += 1 }
      return state.refusal
    }
    return refusal?(call)
  }

  func check(_ call: StoreCall) throws(StoreError) {
    if let error = error(for: call) { throw error }
  }

  // MARK: PersistentStore

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try check(StoreCall(.fetch, entity: query.entity))
    let rows = try store.fetch(query)
    state.withLock { $0.rows += rows.count }
    return rows
  }

  public func fetch(
    _ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    try check(StoreCall(.fetch, entity: query.entity))
    try store.fetch(query, inPartsOf: size) { rows in
      state.withLock { $0.rows += rows.count }
      visit(rows)
    }
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    try check(StoreCall(.count, entity: query.entity))
    return try store.count(query)
  }

  public func groups(
    _ aggregate: StoreAggregate, _ model: ManagedObjectModel
  ) throws(StoreError) -> [StoreGroup] {
    try check(StoreCall(.groups, entity: aggregate.entity))
    return try store.groups(aggregate, model)
  }

  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    writing { written in store.write(written(group)) }
  }

  public func write(groups next: () -> [ChangeSet]?) -> [Result<CommitResult, StoreError>] {
    writing { written in store.write(groups: { next().map(written) }) }
  }

  /// Writes without the change sets that are to fail.
  ///
  /// - Parameter write: Passes each group through the function that it gets, and writes the returned ones.
  /// - Returns: A result for each change set, in order.
  private func writing(
    _ write: (_ written: ([ChangeSet]) -> [ChangeSet]) -> [Result<CommitResult, StoreError>]
  ) -> [Result<CommitResult, StoreError>] {
    var errors: [StoreError?] = []
    let results = write { group in
      group.filter { changes in
        let error = changes.isEmpty ? nil : error(for: StoreCall(.write, changes: changes))
        errors.append(error)
        return error == nil
      }
    }
    var rest = results.makeIterator()
    return errors.compactMap { error in error.map { .failure($0) } ?? rest.next() }
  }

  public func now() -> Date { clock?.now ?? store.now() }
}
