public import Foundation
public import ManagedContext
internal import SQLStatements

/// Options for opening a ``SQLiteStore``.
public struct SQLiteStoreOptions: Sendable {
  /// The size of the pages of a store, in bytes.
  static let pageBytes = 16384

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
  /// True if each transaction is on the disk when its save ends (`synchronous=FULL`). Otherwise the last ones may be lost if
  /// the power fails, and the file is intact.
  public var isDurable = false
  /// True if transactions are recorded for ``SQLiteStore/history(after:)``, and for other processes that observe the
  /// file.
  public var keepsHistory = true
  /// The retention period of recorded transactions, in seconds; the first write deletes older transactions, except those
  /// that a consumer needs.
  public var historyRetention: TimeInterval = 7 * 86_400
  /// The time, in seconds, for which transactions are kept for a consumer that was not seen.
  public var consumerPatience: TimeInterval = 30 * 86_400
  /// The maximum size of the history's changes, in bytes, while transactions are kept only for consumers. If it is
  /// exceeded, the oldest transactions are deleted once their retention period has passed.
  public var historyBytes = 256 << 20
  /// The polling interval of an observer of other processes, in seconds. It applies if the system reports no change.
  public var pollInterval: TimeInterval = 5
  /// The store's clock.
  public var now: @Sendable () -> Date = { [lead = clockLead] in Date().addingTimeInterval(lead) }

  /// The seconds by which the default of ``now`` is ahead, which tests of whole commands change.
  ///
  /// It is not a function: Swift 6.3.1 finds no metadata for the type of a function in a task-local value if it optimizes.
  @TaskLocal package static var clockLead: TimeInterval = 0

  /// Creates the recommended options.
  public init() {}

  /// The purge of the history. A clock may be ahead for one save.
  var purge: HistoryPurge {
    HistoryPurge(
      retention: historyRetention, patience: consumerPatience, bytes: historyBytes, trustsClock: false)
  }
}

extension PersistentStoreCoordinator {
  /// Opens the writable SQLite store. A missing file is created, and an older version is migrated.
  ///
  /// - Throws: The errors of ``SQLiteStore/init(path:model:identity:options:)``; ``StoreError/cannotOpen(_:)`` if the
  ///   coordinator already has a writable store.
  public func addSQLiteStore(at path: String, identity: StoreIdentity) throws(StoreError) {
    if let taken = writtenStore {
      // Checked first, so that the file is neither created nor migrated.
      throw .cannotOpen("\(path): \(taken.name) is the written store; add this one read-only")
    }
    try addPersistentStore(SQLiteStore(path: path, model: model, identity: identity))
  }

  /// Opens an existing SQLite store read-only. Its objects are fetched together with those of the other stores.
  ///
  /// - Returns: The store's number, which is part of the IDs of its objects.
  /// - Throws: The errors of ``SQLiteStore/init(readOnlyPath:model:identity:readers:verifies:pollInterval:)``.
  @discardableResult
  public func addReadOnlySQLiteStore(
    at path: String, identity: StoreIdentity
  ) throws(StoreError) -> StoreNumber {
    addReadOnlyStore(try SQLiteStore(readOnlyPath: path, model: model, identity: identity))
  }
}
