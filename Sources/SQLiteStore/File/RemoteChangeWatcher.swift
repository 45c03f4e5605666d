internal import Foundation
internal import GRDB
internal import ManagedContext
internal import Threading

/// Watches for commits of other processes, on a thread that sleeps until the file or its log changes.
///
/// An event only means that some process has written, possibly this one. It is followed by up to three checks, the
/// cheapest first: whether another connection has committed (`PRAGMA data_version`), whether the history has a new row,
/// and whether that row belongs to another process.
final class RemoteChangeWatcher: Sendable {
  /// The pause after an event, in milliseconds. An import causes thousands of events a second, which are handled
  /// together.
  private static let rest: Int32 = 50

  private let reader: any DatabaseReader
  private let path: String
  private let model: ManagedObjectModel
  private let store: StoreNumber
  private let process: Int64?
  private let wait: FileChangeWait
  private let progress: Locked<Progress>
  private let body: @Sendable ([HistoryTransaction]) -> Void

  private struct Progress: Sendable {
    var dataVersion: Int64
    var token: Int64
  }

  /// Opens a connection and reads the end of the history: later commits will be reported.
  ///
  /// - Parameters:
  ///   - process: The process number of transactions that are not reported; nil to report all.
  ///   - usesEvents: False to use only the polling interval.
  init(
    file: ReadOnlyFile, model: ManagedObjectModel, store: StoreNumber, process: Int64?,
    pollInterval: TimeInterval,
    usesEvents: Bool = true, _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) {
    self.model = model
    self.store = store
    self.process = process
    self.body = body
    path = file.path
    // Started before the history is read, so that no event is missed.
    wait = try FileChangeWait(path: file.path, interval: pollInterval, usesEvents: usesEvents)
    (reader, progress) = try StoreFile.describingErrors(path: file.path) { () throws(any Error) in
      let reader = try file.open(readers: 1)
      let progress = try reader.unsafeRead { db in
        // In this order, a commit in between causes one unnecessary check; the other order would miss that commit.
        let version = try Self.dataVersion(in: db)
        return Progress(dataVersion: version, token: try HistoryTable.newest(in: db) ?? 0)
      }
      return (reader, Locked(progress))
    }
  }

  /// Starts the thread.
  ///
  /// - Returns: An observation that stops and joins the thread. If it is released in a call of `body`, the thread ends
  ///   after that call.
  func start() throws(StoreError) -> ChangeObservation {
    let thread: OwnThread
    do throws(OwnThread.StartError) {
      thread = try OwnThread(name: "remote changes", niceness: 0) { self.run() }
    } catch {
      throw .inputOutput("\(path): no thread can be started (\(error.code))")
    }
    return ChangeObservation {
      self.wait.end()
      thread.join()
    }
  }

  private func run() {
    while let cause = wait.next() {
      if cause == .change && !wait.rest(milliseconds: Self.rest) { return }
      let transactions = look()
      if !transactions.isEmpty { body(transactions) }
    }
  }

  /// Returns the commits of other processes since the last call; an empty array if the file cannot be read at present.
  private func look() -> [HistoryTransaction] {
    let progress = progress.withLock { $0 }
    let news = try? reader.unsafeRead { db -> (Progress, [HistoryRow])? in
      let version = try Self.dataVersion(in: db)
      guard version != progress.dataVersion else { return nil }
      let rows = try HistoryTable.rows(after: progress.token, without: process, in: db)
      return (Progress(dataVersion: version, token: rows.last?.token.number ?? progress.token), rows)
    }
    guard let (reached, rows) = news else { return [] }
    self.progress.withLock { $0 = reached }
    // A transaction that cannot be decoded must not hide the transactions after it.
    return rows.compactMap { row in try? row.transaction(model: model, store: store, path: path) }
  }

  /// Returns a number that changes when another connection commits.
  private static func dataVersion(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
  }
}
