public import ManagedContext
internal import Synchronization
internal import Foundation

/// A store for one test. It stores nothing, records the groups it receives, and writes only while its gate is open.
public final class GatedStore: PersistentStore {
  private struct State {
    var groups: [Int] = []
    var refusal: (@Sendable (ChangeSet) -> StoreError?)?
  }

  private let state = Mutex(State())
  private let gate = NSCondition()
  private let isOpen = Mutex(true)

  public let name = "the gated store"
  public let number = StoreNumber.unique()

  public init() {}

  /// The number of change sets in each group so far.
  public var groups: [Int] { state.withLock { $0.groups } }

  public func refuse(_ refusal: @escaping @Sendable (ChangeSet) -> StoreError?) {
    state.withLock { $0.refusal = refusal }
  }

  public func closeGate() { isOpen.withLock { $0 = false } }

  public func openGate() {
    gate.lock()
    isOpen.withLock { $0 = true }
    gate.broadcast()
    gate.unlock()
  }

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    RowBatch(entity: query.entity, columns: query.columns ?? [])
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int { 0 }

  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    gate.lock()
    while !isOpen.withLock({ $0 }) { gate.wait() }
    gate.unlock()
    let refusal = state.withLock { state in
      state.groups.append(group.count)
      return state.refusal
    }
    return group.map { changes in
      if let error = refusal?(changes) { return .failure(error) }
      var result = CommitResult()
      for insertion in changes.insertions {
        let id = ManagedObjectID(entity: insertion.id.entity, store: number, key: -insertion.id.key)
        result.changes.permanentIDs[insertion.id] = id
        result.changes.inserted.insert(id)
      }
      return .success(result)
    }
  }
}
