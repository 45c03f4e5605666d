internal import Foundation
internal import GRDB
internal import ManagedContext
internal import Threading

/// Records the transactions of one open store in its history, and purges old transactions.
final class HistoryKeeping: Sendable {
  /// A random number that distinguishes this store from other processes and from other stores of this process.
  let process = Int64.random(in: .min ... .max)
  private let retention: TimeInterval
  private let now: @Sendable () -> Date
  /// The date of the last committed purge, and the date of the purge in the current transaction; nil if there was no purge.
  private let purge = Locked<(last: Date?, now: Date?)>((nil, nil))

  init(retention: TimeInterval, now: @escaping @Sendable () -> Date) {
    self.retention = retention
    self.now = now
  }

  /// Appends the changes of change sets inside their transaction, with one row for consecutive change sets of one
  /// author.
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
      // Temporary IDs have no meaning for other processes, or for this process after a restart.
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

  /// Confirms the purge of the committed transaction. After a failed transaction, the purge is repeated.
  func didCommit() {
    purge.withLock { if $0.now != nil { $0 = ($0.now, nil) } }
  }

  /// Returns whether a purge is due: for the first save, and then once an hour, or once per retention period if that is
  /// shorter. A purge is also due if the clock was set back by that much.
  private func isPurgeDue(at date: Date) -> Bool {
    purge.withLock { purge in
      let isDue = purge.last.map { abs(date.timeIntervalSince($0)) >= min(retention, 3600) } ?? true
      purge.now = isDue ? date : nil
      return isDue
    }
  }
}
