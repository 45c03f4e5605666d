public import Foundation
public import ManagedContext
internal import SQLStatements

/// Options for opening a ``SQLiteStore``.
public struct SQLiteStoreOptions: Sendable {
  /// The page size in new files, in bytes.
  static let pageBytes = 16384

  /// The maximum count of concurrent reading threads.
  public var readers = 6
  /// The maximum wait for another process's write, in seconds; the write then fails with `StoreError.busy`.
  public var busyTimeout: TimeInterval = 10
  /// A closure called once, on the waiting thread, when a wait for another process has taken half a second.
  public var didWait: @Sendable () -> Void = {}
  /// The log size, in bytes, at which the log is merged into the file (a checkpoint).
  ///
  /// Without checkpoints, the log grows to hundreds of megabytes. A smaller value causes shorter pauses in an
  /// interactive program: while a log is synced, Linux may block a processor for a 4 ms tick.
  public var checkpointBytes = 4 << 20
  /// True if each transaction is on the disk when its save ends (`synchronous=FULL`). Otherwise a power
  /// failure may lose the last ones, but leaves the file intact.
  public var isDurable = false
  /// True if transactions are recorded for ``SQLiteStore/history(after:)`` and for observers of the file.
  public var keepsHistory = true
  /// The retention period for recorded transactions, in seconds; the first write deletes older transactions,
  /// except those that a consumer needs.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// The time, in seconds, that transactions are kept for a consumer that was not seen.
  public var consumerPatience: TimeInterval = 30 * 86_400
  /// The maximum size of the history's changes, in bytes, while transactions are kept only for consumers.
  /// Beyond it, the oldest transactions are deleted once their retention period has passed.
  public var historyBytes = 256 << 20
  /// An observer's polling interval, in seconds. It applies if the system reports no change.
  public var pollInterval: TimeInterval = 5
  /// A closure that receives the progress of a migration, on the thread that opens the store.
  public var migrationProgress: @Sendable (MigrationProgress) -> Void = { _ in }
  /// The store's clock.
  public var now: @Sendable () -> Date = { [lead = clockLead] in Date().addingTimeInterval(lead) }

  /// The lead of the default ``now``, in seconds, which tests of whole commands change.
  ///
  /// A number, because optimized code by Swift 6.3.1 finds no metadata for task-local function types.
  @TaskLocal public static var clockLead: TimeInterval = 0

  /// Creates the recommended options.
  public init() {}

  /// The history purge. A clock may be ahead for one save.
  var purge: HistoryPurge {
    HistoryPurge(
      retention: historyRetention, patience: consumerPatience, bytes: historyBytes, trustsClock: false)
  }
}

extension PersistentStoreCoordinator {
  /// Opens the writable SQLite store. A missing file is created, and an older version is migrated.
  ///
  /// - Throws: The errors of ``SQLiteStore/init(path:model:identity:options:)``;
  ///   ``StoreError/cannotOpen(_:)`` if the coordinator already has a writable store.
  public func addSQLiteStore(at path: String, identity: StoreIdentity) throws(StoreError) {
    if let taken = writtenStore {
      // Checked first, so that the file is neither created nor migrated.
      throw .cannotOpen("\(path): \(taken.name) is the written store; add this one read-only")
    }
    try addPersistentStore(SQLiteStore(path: path, model: model, identity: identity))
  }

  /// Opens an existing SQLite store read-only. Its objects are fetched together with other stores' objects.
  ///
  /// - Returns: The store's number, which is part of its object IDs.
  /// - Throws: The errors of
  ///   ``SQLiteStore/init(readOnlyPath:model:identity:readers:verifies:pollInterval:)``.
  @discardableResult
  public func addReadOnlySQLiteStore(
    at path: String, identity: StoreIdentity
  ) throws(StoreError) -> StoreNumber {
    addReadOnlyStore(try SQLiteStore(readOnlyPath: path, model: model, identity: identity))
  }
}
