internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import Threading

/// Decides how long a store waits for locks that other connections hold (sqlite3_busy_handler).
final class LockPatience: Sendable {
  private struct State: Sendable {
    /// The current operation's limit, in seconds; nil for the usual limit.
    var bound: TimeInterval?
    /// True if waiting was ended, because the result is not needed any more.
    var isEnded = false
    /// True during a bulk load, which waits longer for readers.
    var isLoading = false
    /// True if a long wait was reported.
    var hasReported = false
  }

  /// The usual limit, in seconds.
  private let limit: TimeInterval
  private static let limitWhileLoading: TimeInterval = 60
  /// The limit of a bulk load that waits only for readers to commit. A reader may pause, such as a pager, and
  /// giving up would lose what was downloaded.
  private static let limitForReaders: TimeInterval = 900
  /// The writing connection's address; 0 before it is opened. Used only in its busy handler.
  private let writer = Locked(0 as UInt)
  private let state = Locked(State())

  /// A closure called once, on the waiting thread, when a wait has become long.
  private let didWait: @Sendable () -> Void
  /// The duration of a long wait, in seconds: after this time the program appears to hang.
  private static let longWait: TimeInterval = 0.5

  init(limit: TimeInterval, didWait: @escaping @Sendable () -> Void = {}) {
    self.limit = limit
    self.didWait = didWait
  }

  /// Installs this object as a busy handler. The connection must not outlive its configuration, which retains
  /// it.
  func attach(to db: Database) {
    if !db.configuration.readonly {
      let address = unsafe UInt(bitPattern: db.sqliteConnection)
      writer.withLock { $0 = address }
    }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_busy_handler(
      db.sqliteConnection,
      { context, tries in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<LockPatience>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.wait(tries: Int(tries)) ? 1 : 0
        }
      }, context)
  }

  /// Ends all current and future waits.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  func setLoading(_ isLoading: Bool) {
    state.withLock { $0.isLoading = isLoading }
  }

  func withoutWaiting<Value>(_ body: () throws -> Value) rethrows -> Value {
    try waiting(atMost: 0, body)
  }

  /// Runs `body` with a limit for each wait, in seconds.
  func waiting<Value>(atMost bound: TimeInterval, _ body: () throws -> Value) rethrows -> Value {
    state.withLock { $0.bound = bound }
    defer { state.withLock { $0.bound = nil } }
    return try body()
  }

  /// Handles a lock: sleeps briefly and returns true to retry, or returns false to abandon the operation.
  ///
  /// - Parameter tries: The count of successive times that SQLite has met this lock.
  func wait(tries: Int) -> Bool {
    let state = state.withLock { $0 }
    let loading = state.isLoading && holdsWriteLock ? Self.limitForReaders : Self.limitWhileLoading
    let limit = min(state.bound ?? .infinity, state.isLoading ? max(limit, loading) : limit)
    let waited = Self.waited(before: tries)
    guard !state.isEnded, waited < limit else { return false }
    if waited > Self.longWait, !state.isLoading, !state.hasReported {
      self.state.withLock { $0.hasReported = true }
      didWait()
    }
    Thread.sleep(forTimeInterval: Self.delay(tries))
    return true
  }

  /// True if the writing connection has the write lock: only readers can be in its way.
  private var holdsWriteLock: Bool {
    let address = writer.withLock { $0 }
    guard let connection = unsafe OpaquePointer(bitPattern: address) else { return false }
    return unsafe sqlite3_txn_state(connection, "main") == SQLITE_TXN_WRITE
  }

  /// Runs `body` until it does not fail because of a lock, or the limit has passed.
  ///
  /// SQLite does not call its busy handler when a read transaction becomes a write transaction, as in a
  /// change of journal mode.
  func untilFree<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let began = ContinuousClock.now
    var tries = 0
    while true {
      do throws(StoreError) {
        return try body()
      } catch {
        // If SQLite did call the handler, that single attempt has already waited up to the limit.
        guard case .busy = error, ContinuousClock.now - began < .seconds(limit), wait(tries: tries) else {
          throw error
        }
        tries += 1
      }
    }
  }

  /// Waits after a transaction, if it was long, so that another program gets the lock: it looks for it at intervals,
  /// and the next transaction would begin at once. Nobody else writes during a bulk load.
  func giveWay(after transaction: Duration) {
    guard transaction > .milliseconds(100), !state.withLock({ $0.isLoading }) else { return }
    Thread.sleep(forTimeInterval: Self.delay(.max))
  }

  /// The delays of SQLite's own handler, in seconds, without those longer than a commit.
  private static let delays = [0.001, 0.002, 0.005, 0.01, 0.015, 0.02]

  private static func delay(_ tries: Int) -> TimeInterval { delays[min(tries, delays.count - 1)] }

  private static func waited(before tries: Int) -> TimeInterval {
    (0..<min(tries, delays.count)).reduce(0) { $0 + delays[$1] }
      + delays[delays.count - 1] * Double(max(0, tries - delays.count))
  }
}
