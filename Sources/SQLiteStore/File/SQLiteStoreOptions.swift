public import Foundation

/// How a ``SQLiteStore`` is opened.
public struct SQLiteStoreOptions: Sendable {
  /// How many threads may read at once.
  public var readers = 6
  /// How long a write waits for another process to end its own, in seconds; then it fails as busy.
  public var busyTimeout: TimeInterval = 10
  /// Told once, when a wait for another process has taken half a second, on the thread that waits.
  public var didWait: @Sendable () -> Void = {}
  /// The log is merged into the file whenever it has about so many bytes.
  ///
  /// Without it the log grows to hundreds of megabytes. Less makes shorter pauses, for a program that people look at:
  /// while a log is synced, Linux may keep a processor from other threads for a tick of 4 ms.
  public var checkpointBytes = 4 << 20
  /// Whether transactions are noted for ``SQLiteStore/history(after:)``, and for other processes that observe the file.
  public var keepsHistory = true
  /// For how long they are kept, in seconds; the first write forgets those that are older.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// How long, in seconds, an observer of other processes waits before it looks without having been told of a change
  /// by the system.
  public var pollInterval: TimeInterval = 5
  /// The clock of the history.
  public var now: @Sendable () -> Date = { Date() }

  /// The recommended options.
  public init() {}
}
