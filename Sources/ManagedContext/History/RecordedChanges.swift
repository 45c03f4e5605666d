public import struct Foundation.Date

/// The changes that a store records in its history.
extension ManagedObjectModel {
  /// Returns the changes to record for change sets that were written together. Consecutive change sets by one
  /// author share an element.
  public func recorded(
    _ written: some Sequence<(ChangeSet, CommitResult)>
  ) -> [(author: String?, changes: ContextChanges)] {
    let unrecorded = entities.indices.filter { !entities[$0].history.isRecorded }.map { EntityIndex($0) }
    var runs: [(author: String?, changes: ContextChanges)] = []
    for (set, result) in written {
      var changes = result.changes
      // Temporary IDs have no meaning for other processes, or for this process after a restart.
      changes.permanentIDs = [:]
      for entity in unrecorded where set.mayChange(entity) { changes.remove(entity) }
      if changes.isEmpty { continue }
      if let last = runs.indices.last, runs[last].author == set.author {
        runs[last].changes.formUnion(changes)
      } else {
        runs.append((set.author, changes))
      }
    }
    return runs
  }

  /// Returns whether changes contain an object of a followed entity, or a deleted object with kept values.
  public func isFollowed(_ changes: ContextChanges) -> Bool {
    let followed = entities.indices.filter { entities[$0].history.isFollowed }.map { EntityIndex($0) }
    if followed.isEmpty { return false }
    return followed.contains { changes.inserted.count(of: $0) > 0 }
      || changes.updated.keys.contains { followed.contains($0.entity) }
      // Readers of the history need the values of deleted objects, such as the address of an article's feed.
      || changes.deleted.contains { id in
        followed.contains(id.entity)
          || entities.indices.contains(Int(id.entity))
            && !entities[Int(id.entity)].history.deletedValues.isEmpty
      }
  }
}

/// The transactions that one write has appended to the history.
public struct NotedTransactions: Sendable {
  /// The date of the write.
  public let date: Date
  /// Each transaction's number and changes.
  public var transactions: [(token: Int64, changes: ContextChanges)] = []

  /// Creates an empty list.
  public init(date: Date) {
    self.date = date
  }

  /// Returns the number of the last transaction that updated an object.
  ///
  /// Returns the last transaction's number if the update was not reported, and nil without transactions.
  public func last(changing id: ManagedObjectID) -> Int64? {
    transactions.last { $0.changes.updated[id] != nil }?.token ?? transactions.last?.token
  }
}
