internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import Threading

/// How long a store waits for locks that other connections hold (sqlite3_busy_handler).
final class LockPatience: Sendable {
  private struct State: Sendable {
    /// The caller does without after so many seconds; nil where it waits as always.
    var bound: TimeInterval?
    /// Nobody wants the result any more.
    var isEnded = false
    /// A bulk load waits for readers, who do not expect to be in anybody's way.
    var isLoading = false
    /// Somebody was told of a long wait.
    var hasTold = false
  }

  /// In seconds.
  private let limit: TimeInterval
  private static let limitWhileLoading: TimeInterval = 60
  private let state = Locked(State())

  /// Told once, when a wait has become long, on the thread that waits.
  private let didWait: @Sendable () -> Void
  /// In seconds: what a person takes for a hang.
  private static let longWait: TimeInterval = 0.5

  init(limit: TimeInterval, didWait: @escaping @Sendable () -> Void = {}) {
    self.limit = limit
    self.didWait = didWait
  }

  /// Lets a connection ask this when it meets a lock; it must not outlive its configuration, which holds this.
  func attach(to db: Database) {
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

  /// Ends all waiting, now and later.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  /// Says whether a bulk load goes on.
  func setLoading(_ isLoading: Bool) {
    state.withLock { $0.isLoading = isLoading }
  }

  /// Runs `body` without waiting for any lock.
  func withoutWaiting<Value>(_ body: () throws -> Value) rethrows -> Value {
    try waiting(atMost: 0, body)
  }

  /// Runs `body`, which waits for no lock longer than so many seconds.
  func waiting<Value>(atMost bound: TimeInterval, _ body: () throws -> Value) rethrows -> Value {
    state.withLock { $0.bound = bound }
    defer { state.withLock { $0.bound = nil } }
    return try body()
  }

  /// SQLite's question after it has met a lock so many times in a row: waits a moment and says true, or false to give
  /// up.
  func wait(tries: Int) -> Bool {
    let state = state.withLock { $0 }
    let limit = min(state.bound ?? .infinity, state.isLoading ? max(limit, Self.limitWhileLoading) : limit)
    let waited = Self.waited(before: tries)
    guard !state.isEnded, waited < limit else { return false }
    if waited > Self.longWait, !state.isLoading, !state.hasTold {
      self.state.withLock { $0.hasTold = true }
      didWait()
    }
    Thread.sleep(forTimeInterval: Self.delay(tries))
    return true
  }

  /// Runs `body` until it does not fail for a lock, or the time is over.
  ///
  /// SQLite does not ask its busy handler where a reader becomes a writer, as in the change of the journal's mode.
  func untilFree<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let began = ContinuousClock.now
    var tries = 0
    while true {
      do throws(StoreError) {
        return try body()
      } catch {
        // Where SQLite does ask, a try of its own has waited as long as it may.
        guard case .busy = error, ContinuousClock.now - began < .seconds(limit), wait(tries: tries) else {
          throw error
        }
        tries += 1
      }
    }
  }

  /// The delays of SQLite's own handler, in seconds, which soon become longer than a commit takes.
  private static let delays = [0.001, 0.002, 0.005, 0.01, 0.015, 0.02]

  private static func delay(_ tries: Int) -> TimeInterval { delays[min(tries, delays.count - 1)] }

  private static func waited(before tries: Int) -> TimeInterval {
    (0..<min(tries, delays.count)).reduce(0) { $0 + delays[$1] }
      + delays[delays.count - 1] * Double(max(0, tries - delays.count))
  }
}
