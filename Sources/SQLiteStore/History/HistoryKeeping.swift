internal import Foundation
internal import GRDB
internal import ManagedContext
internal import Threading

/// Notes the transactions of one open store in its history, and forgets those of long ago.
final class HistoryKeeping: Sendable {
  /// Tells the transactions of this store from those of other processes, and of other stores of this one.
  let process = Int64.random(in: .min ... .max)
  private let retention: TimeInterval
  private let now: @Sendable () -> Date
  /// When old transactions were forgotten the last time, and when that is being done now.
  private let purge = Locked<(last: Date?, now: Date?)>((nil, nil))

  init(retention: TimeInterval, now: @escaping @Sendable () -> Date) {
    self.retention = retention
    self.now = now
  }

  /// Adds what change sets did, inside their transaction: a row for all that one author saved in a row.
  func note(
    _ written: some Sequence<(ChangeSet, CommitResult)>, model: ManagedObjectModel, in db: Database
  ) throws {
    let date = now()
    if isPurgeDue(at: date) {
      try HistoryTable.purge(olderThan: date.addingTimeInterval(-retention), in: db)
    }
    var runs: [(author: String?, changes: ContextChanges)] = []
    for (set, result) in written {
      var changes = result.changes
      // They mean nothing to others, nor to this process the next time.
      changes.permanentIDs = [:]
      if changes.isEmpty { continue }
      if let last = runs.indices.last, runs[last].author == set.author {
        runs[last].changes.formUnion(changes)
      } else {
        runs.append((set.author, changes))
      }
    }
    for run in runs {
      try HistoryTable.append(
        run.changes, author: run.author, date: date, process: process, model: model, in: db)
    }
  }

  /// What was forgotten with the transaction stays so; after a failed one it is tried again.
  func didCommit() {
    purge.withLock { if $0.now != nil { $0 = ($0.now, nil) } }
  }

  /// Whether enough time has passed to forget more: the first save does, and then one an hour, or one for each span of
  /// the retention where that is shorter. Also where the clock was set back.
  private func isPurgeDue(at date: Date) -> Bool {
    purge.withLock { purge in
      let isDue = purge.last.map { abs(date.timeIntervalSince($0)) >= min(retention, 3600) } ?? true
      purge.now = isDue ? date : nil
      return isDue
    }
  }
}
