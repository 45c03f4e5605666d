import ManagedContext
import NewsModel
import TextOutput
import TextSearch

/// A store of news, with what commands ask of it besides objects.
///
/// ``StoreLocation`` opens it. Commands do not know which kind of store it is, except those about files
/// (``StoreLocation/needsFile(for:)``).
protocol NewsStore: PersistentStore {
  /// Closes the store. Reading and writing fail afterwards.
  func close() throws(StoreError)

  /// Returns the reason why the store does not keep all changes, such as a table or a trigger that another program has removed; nil
  /// if it does.
  func historyFault() throws(StoreError) -> String?

  /// Returns whether another program has changed objects with SQL since the last save, so that the history does not contain
  /// these changes yet.
  func hasUnrecordedChanges() throws(StoreError) -> Bool

  /// Records the changes that other programs have made with SQL since the last save.
  func recordChangesOfOthers() throws(StoreError)

  /// Runs the statements of ``StatisticsReader``.
  var statistics: StatisticsQuery { get }

  /// Looks for damage, if that takes a short time.
  func quickCheck() throws(StoreError) -> QuickCheck

  /// Runs one query that a user has written. It can change nothing.
  ///
  /// - Throws: ``StoreError/request(_:)`` with the cause if the text is not a query, or a wrong one.
  func query(_ text: String, _ visitor: inout some RowVisitor) throws(StoreError)

  /// Returns the names of the columns of a view.
  ///
  /// - Throws: ``StoreError/request(_:)`` with the cause if the view cannot be read.
  func columns(ofView name: String) throws(StoreError) -> [String]

  /// Returns a hint about a wrong query: the likely view or column, or a list of all; empty if there is none.
  ///
  /// - Parameter cause: The cause that ``query(_:_:)`` has thrown.
  func hint(_ cause: String, about statement: String) throws(StoreError) -> String

  /// Returns the size of the store.
  func size() throws(StoreError) -> StoreSize

  /// Checks the whole store for damage, which takes as long as reading it a few times.
  func findings() throws(StoreError) -> StoreFindings

  /// Makes unused space available.
  func vacuum() throws(StoreError)

  /// Copies one state of the store into a new store in a file, while others read and write.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the path exists. After a failure, no file is left there.
  func backup(to path: String) throws(StoreError)

  /// Ends the current operation, such as a copy, with an error. Callable from any thread.
  func interrupt()

  /// Calls `body` with one state of the store, from which a copy can be made.
  func withCopySource<Value>(
    _ body: (any StoreCopySource) throws(StoreError) -> Value
  ) throws(StoreError) -> Value

  /// Opens the index of words, and creates it if it does not exist.
  ///
  /// - Throws: ``StoreError/readOnly(_:)`` with its name if none exists and none can be created.
  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex

  /// Takes a lock without waiting.
  ///
  /// - Parameter place: The number of the lock in this store.
  /// - Returns: Nil if another process has the lock, or this one.
  /// - Throws: ``CommandFailure`` if the store cannot keep locks.
  func lock(_ place: UInt32) throws -> (any StoreLock)?

  /// Returns a process that has inherited a lock from one that has ended; nil if there is none, or if that cannot be determined.
  func heir(ofLock place: UInt32) -> Int32?
}

/// The size and the version of a store.
struct StoreSize {
  /// The version of the model.
  let version: Int
  /// The size, in bytes.
  let bytes: Int
  /// The size of a log beside it, in bytes; nil if it has none of its own.
  var logBytes: Int?
  /// The unused space, in bytes; nil if it is not known.
  var freeBytes: Int?

  /// The size of a log that other processes have written. A command that opens the store has a short log of
  /// its own.
  var othersLogBytes: Int { logBytes.map { $0 > 1_000_000 ? $0 : 0 } ?? 0 }
}

/// What a short look for damage has found.
struct QuickCheck {
  /// The first damage; nil if none was found.
  var damage: String?
  /// The names of indexes that are missing, so that reading is slower.
  var missingIndexes: [String] = []
}

/// A lock of a store, which is released with this object.
///
/// If the process is killed, the lock lives on as long as a program that has inherited its descriptor.
protocol StoreLock: AnyObject {
  /// The descriptor that keeps the lock.
  var descriptor: Int32 { get }
}
