internal import CSystem
internal import Foundation
internal import GRDB
internal import ManagedContext
internal import SQLStatements
internal import Threading
internal import TextOutput

/// Watches for other processes' commits, on a thread that sleeps until the file or its log changes.
///
/// An event only means that some process has written a file in the folder. It is followed by up to three
/// checks, the cheapest first: whether another connection has committed (`PRAGMA data_version`), whether the
/// history has a new row, and whether that row belongs to another process.
final class RemoteChangeWatcher: Sendable {
  private let reader: any DatabaseReader
  private let path: String
  private let model: ManagedObjectModel
  private let store: StoreNumber
  private let process: Int64?
  private let wait: FileChangeWait
  /// The state at the beginning; the thread has its own copy.
  private let beginning: Progress
  private let body: @Sendable ([HistoryTransaction]) -> Void

  private struct Progress: Sendable {
    var dataVersion: Int64
    var token: Int64
  }

  /// Opens a connection and reads the end of the history: later commits will be reported.
  ///
  /// - Parameters:
  ///   - process: A process number; its transactions are not reported. Nil to report all.
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
    (reader, beginning) = try StoreFile.describingErrors(path: file.path) { () throws(any Error) in
      let reader = try file.open(readers: 1)
      let progress = try reader.unsafeRead { db in
        // In this order, a commit in between causes one unnecessary check; the other order would miss that
        // commit.
        let version = try Self.dataVersion(in: db)
        return Progress(dataVersion: version, token: try FileConnection(db: db).newestTransaction())
      }
      return (reader, progress)
    }
  }

  /// Starts the thread.
  ///
  /// - Returns: An observation that stops and joins the thread. If it is released in a call to `body`, the
  ///   thread ends after that call.
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
    var progress = beginning
    while wait.next() {
      if let transactions = look(&progress) { body(transactions) }
    }
  }

  /// Returns the transactions that other processes have committed since the last call. The array is empty
  /// after commits that the history does not contain. Nil without a commit, or if the file cannot be read at
  /// present.
  private func look(_ progress: inout Progress) -> [HistoryTransaction]? {
    let last = progress
    let news = try? reader.unsafeRead { db -> (Progress, [StoredTransaction])? in
      let version = try Self.dataVersion(in: db)
      guard version != last.dataVersion else { return nil }
      let rows = try db.history.transactions(after: last.token, without: process)
      return (Progress(dataVersion: version, token: rows.last?.number ?? last.token), rows)
    }
    guard let (reached, rows) = news else { return nil }
    progress = reached
    // A transaction that cannot be decoded must not hide the transactions after it.
    return rows.compactMap { row in row.process == process ? nil : try? row.decoded(model, store, path) }
  }

  /// Returns a number that changes when another connection commits.
  private static func dataVersion(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
  }
}

/// Lets a thread sleep until the store's folder changes, an interval has passed, or the wait is ended.
private final class FileChangeWait: Sendable {
  /// The pause after an event, in milliseconds. An import causes thousands of events a second, which are
  /// handled together.
  private static let pause: Int32 = 50

  /// An inotify(7) watch on the folder, because the log may be deleted and created again; nil if inotify is
  /// unavailable.
  private let events: Descriptor?
  /// One end of a socket pair. It becomes readable when ``end()`` is called.
  private let ending: Descriptor
  private let endingWriter: Descriptor
  private let interval: Int32

  /// Begins to listen: no later change is missed.
  ///
  /// - Parameters:
  ///   - path: The store's file.
  ///   - interval: The longest time without waking, in seconds.
  ///   - usesEvents: False to use only the interval.
  init(path: String, interval: TimeInterval, usesEvents: Bool) throws(StoreError) {
    self.interval = Int32(max(1, min(interval * 1000, 86_400_000)))
    var pair: [Int32] = [-1, -1]
    guard unsafe system_socketpair(&pair) == 0, let ending = Descriptor(pair[0]),
      let endingWriter = Descriptor(pair[1])
    else { throw .inputOutput("\(path): \(systemCause())") }
    (self.ending, self.endingWriter) = (ending, endingWriter)
    events = usesEvents ? unsafe Descriptor(system_watch_folder(ReadOnlyFile.folder(of: path))) : nil
  }

  /// Ends the wait. Callable from any thread.
  func end() {
    // One byte is enough, because it is never read: the socket stays readable.
    _ = unsafe write(endingWriter.number, [0], 1)
  }

  /// Sleeps until a change or the interval. Returns false if the wait was ended.
  func next() -> Bool {
    switch sleep(milliseconds: interval, events) {
    case .ended: return false
    case .passed: return true
    case .woken:
      guard case .passed = sleep(milliseconds: Self.pause, nil) else { return false }
      discardEvents()
      return true
    }
  }

  private enum Waking {
    case ended, woken, passed
  }

  private func sleep(milliseconds: Int32, _ events: Descriptor?) -> Waking {
    // poll(2) ignores a negative descriptor.
    var waited = [
      pollfd(fd: ending.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events?.number ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&waited, nfds_t(waited.count), milliseconds)
    if waited[0].revents != 0 { return .ended }
    if count > 0 { return .woken }
    // An interrupted call is treated as a passed interval. This thread receives no signals except from a
    // debugger.
    return .passed
  }

  /// Reads all available events. Their files do not matter, because the check after an event is cheap.
  private func discardEvents() {
    guard let events else { return }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while unsafe read(events.number, &buffer, buffer.count) > 0 {}
  }
}

/// An open file descriptor, closed in deinit.
private final class Descriptor: Sendable {
  let number: Int32

  /// Creates the owner of a descriptor; nil for a failed call's negative result.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}
