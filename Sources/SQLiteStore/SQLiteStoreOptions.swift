public import Foundation

/// How a ``SQLiteStore`` is opened.
public struct SQLiteStoreOptions: Sendable {
  /// How many threads may read at once.
  public var readers = 6
  /// How long a write waits for another process to end its own, in seconds; then it fails as busy.
  public var busyTimeout: TimeInterval = 10
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
