import Foundation
import ManagedContext
import Synchronization

/// A store in memory that counts queries. Its history has only tokens.
final class CountingStore: PersistentStore {
  let name = "the counting store"
  var number: StoreNumber { rows.number }
  private let rows: InMemoryStore
  private let transactions = Atomic(0)
  private let asked = Atomic(0)
  private let given = Atomic(0)
  private let isBroken = Atomic(false)
  /// The time of the newest transaction, in seconds since 1970.
  let date: Double

  init(model: ManagedObjectModel, date: Double = 0) {
    rows = InMemoryStore(model: model)
    self.date = date
  }

  /// The number of queries for rows.
  var fetchCount: Int { asked.load(ordering: .sequentiallyConsistent) }

  var rowCount: Int { given.load(ordering: .sequentiallyConsistent) }

  /// Makes reads fail, or work again.
  func setBroken(_ broken: Bool) { isBroken.store(broken, ordering: .sequentiallyConsistent) }

  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    asked.add(1, ordering: .sequentiallyConsistent)
    if isBroken.load(ordering: .sequentiallyConsistent) { throw .inputOutput("broken") }
    let found = try rows.fetch(query)
    given.add(found.count, ordering: .sequentiallyConsistent)
    return found
  }

  func count(_ query: StoreQuery) throws(StoreError) -> Int { try rows.count(query) }

  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    transactions.add(1, ordering: .sequentiallyConsistent)
    return rows.write(group)
  }

  func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    HistoryToken(Int64(transactions.load(ordering: .sequentiallyConsistent)))
  }

  func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    let newest = HistoryToken(Int64(transactions.load(ordering: .sequentiallyConsistent)))
    return [
      HistoryTransaction(
        token: newest, date: Date(timeIntervalSince1970: date), author: nil, changes: ContextChanges())
    ]
  }
}
