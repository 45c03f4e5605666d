import ManagedContext
import NewsModel
import TextOutput
import TextSearch

/// A news store, with the operations that commands need besides objects.
///
/// ``StoreLocation`` opens it. Commands do not know its kind, except commands about files
/// (``StoreLocation/needsFile(for:)``).
protocol NewsStore: PersistentStore {
  /// Closes the store. Reading and writing fail afterwards.
  func close() throws(StoreError)

  /// Returns the reason why the store does not keep all changes, such as a table or a trigger that another
  /// program has removed; nil if it keeps them.
  func historyFault() throws(StoreError) -> String?

  /// Returns whether another program has changed objects with SQL since the last save. The history does not
  /// contain such changes yet.
  func hasUnrecordedChanges() throws(StoreError) -> Bool

  /// Records the changes that other programs have made with SQL since the last save.
  func recordChangesOfOthers() throws(StoreError)

  /// Runs ``StatisticsReader`` statements.
  var statistics: StatisticsQuery { get }

  /// Looks for damage, if that takes a short time.
  func quickCheck() throws(StoreError) -> QuickCheck

  /// Runs one query that a user has written. It can change nothing.
  ///
  /// - Throws: ``StoreError/request(_:)`` with the cause if the text is not a query, or not a valid one.
  func query(_ text: String, _ visitor: inout some RowVisitor) throws(StoreError)

  /// Returns a view's column names.
  ///
  /// - Throws: ``StoreError/request(_:)`` with the cause if the view cannot be read.
  func columns(ofView name: String) throws(StoreError) -> [String]

  func size() throws(StoreError) -> StoreSize

  /// Checks the whole store for damage, which takes as long as reading it a few times.
  func findings() throws(StoreError) -> StoreFindings

  /// Makes unused space available.
  func vacuum() throws(StoreError)

  /// Copies one state of the store into a new file, while other processes read and write.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the path exists. After a failure, no file is left there.
  func backup(to path: String) throws(StoreError)

  /// Ends the current operation, such as a copy, with an error. Callable from any thread.
  func interrupt()

  /// Calls `body` with one state of the store, to make a copy from it.
  func withCopySource<Value>(
    _ body: (any StoreCopySource) throws(StoreError) -> Value
  ) throws(StoreError) -> Value

  /// Opens the word index, and creates it if it does not exist.
  ///
  /// - Throws: ``StoreError/readOnly(_:)`` with its name if none exists and none can be created.
  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex

  /// Takes a lock without waiting.
  ///
  /// - Parameter place: The lock's number in this store.
  /// - Returns: Nil if this or another process has the lock.
  /// - Throws: ``CommandFailure`` if the store cannot keep locks.
  func lock(_ place: UInt32) throws -> (any StoreLock)?

  /// Returns a process that has inherited a lock from an ended one. Nil if no such process exists, or if that
  /// cannot be determined.
  func heir(ofLock place: UInt32) -> Int32?
}

/// A store's size and version.
struct StoreSize {
  /// The model version.
  let version: Int
  /// The size, in bytes.
  let bytes: Int
  /// The size of a log beside it, in bytes; nil if the store has no separate log.
  var logBytes: Int?
  /// The unused space, in bytes; nil if it is not known.
  var freeBytes: Int?

  /// The size of a log that other processes have written, in bytes. A command that opens the store writes a
  /// short log itself.
  var othersLogBytes: Int { logBytes.map { $0 > 1_000_000 ? $0 : 0 } ?? 0 }
}

/// A quick check's result.
struct QuickCheck {
  /// The first damage; nil if none was found.
  var damage: String?
  /// Missing indexes, by name: reading is slower without them.
  var missingIndexes: [String] = []
}

/// A store's lock, which is released with this object.
///
/// If the process is killed, the lock lasts as long as a program that has inherited its descriptor.
protocol StoreLock: AnyObject {
  /// The descriptor that keeps the lock.
  var descriptor: Int32 { get }
}
