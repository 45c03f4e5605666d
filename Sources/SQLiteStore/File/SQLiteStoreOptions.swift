public import Foundation

/// Options for opening a ``SQLiteStore``.
public struct SQLiteStoreOptions: Sendable {
  /// The maximum number of concurrent reading threads.
  public var readers = 6
  /// The maximum wait of a write for another process's write, in seconds; the write then fails with `StoreError.busy`.
  public var busyTimeout: TimeInterval = 10
  /// A closure called once, on the waiting thread, when a wait for another process has taken half a second.
  public var didWait: @Sendable () -> Void = {}
  /// The size of the log, in bytes, at which it is merged into the file (a checkpoint).
  ///
  /// Without checkpoints, the log grows to hundreds of megabytes. A smaller value causes shorter pauses in an
  /// interactive program: while a log is synced, Linux may keep a processor from other threads for a tick of 4 ms.
  public var checkpointBytes = 4 << 20
  /// True if transactions are recorded for ``SQLiteStore/history(after:)``, and for other processes that observe the
  /// file.
  public var keepsHistory = true
  /// The retention period of recorded transactions, in seconds; the first write deletes older transactions.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// The polling interval of an observer of other processes, in seconds. It applies if the system reports no change.
  public var pollInterval: TimeInterval = 5
  /// The clock of the history.
  public var now: @Sendable () -> Date = { Date() }

  /// Creates the recommended options.
  public init() {}
}
