internal import Foundation
internal import GRDB
internal import ManagedContext
internal import Threading

/// Looks at what other processes commit, on a thread of its own that sleeps until the file or its log changes.
///
/// An event says only that somebody wrote, perhaps we ourselves, so it leads to three questions, each cheaper than
/// the next: did another connection commit (`PRAGMA data_version`), is there a new row in the history, and is that
/// of another process.
final class RemoteChangeWatcher: Sendable {
  /// An import gives thousands of events a second: so long it rests after one, in milliseconds, for one look.
  private static let rest: Int32 = 50

  private let reader: any DatabaseReader
  private let path: String
  private let model: ManagedObjectModel
  private let store: StoreNumber
  private let process: Int64?
  private let wait: FileChangeWait
  private let progress: Locked<Progress>
  private let body: @Sendable ([HistoryTransaction]) -> Void

  /// How far it has looked.
  private struct Progress: Sendable {
    var dataVersion: Int64
    var token: Int64
  }

  /// Opens a connection, and reads how far the history goes: what is committed from now on will be told.
  ///
  /// - Parameter process: Whose transactions are left out; nil for nobody's.
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
    // Before the history is read, so that no event is missed.
    wait = try FileChangeWait(path: file.path, interval: pollInterval, usesEvents: usesEvents)
    (reader, progress) = try StoreFile.describingErrors(path: file.path) { () throws(any Error) in
      let reader = try file.open(readers: 1)
      let progress = try reader.unsafeRead { db in
        // In this order: a commit in between makes us look once in vain, the other order would lose it.
        let version = try Self.dataVersion(in: db)
        return Progress(dataVersion: version, token: try HistoryTable.newest(in: db) ?? 0)
      }
      return (reader, Locked(progress))
    }
  }

  /// Starts the thread.
  ///
  /// - Returns: Stops and joins it; dropped in a call of the body, it lets the thread end after that.
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

  /// What others committed since the last look; nothing where the file cannot be read just now.
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
    // One that cannot be read must not hide those after it.
    return rows.compactMap { row in try? row.transaction(model: model, store: store, path: path) }
  }

  /// A number that changes when another connection commits.
  private static func dataVersion(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
  }
}
