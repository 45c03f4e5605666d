import ManagedContext
import TextOutput

/// A store of news, with what commands ask of it besides objects.
///
/// ``StoreLocation`` opens it. Commands do not know which kind of store it is, except those about files
/// (``NewsStack/file(for:)``).
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

  /// Takes a lock without waiting.
  ///
  /// - Parameter place: The number of the lock in this store.
  /// - Returns: Nil if another process has the lock, or this one.
  /// - Throws: ``CommandFailure`` if the store cannot keep locks.
  func lock(_ place: UInt32) throws -> (any StoreLock)?

  /// Returns a process that has inherited a lock from one that has ended; nil if there is none, or if that cannot be determined.
  func heir(ofLock place: UInt32) -> Int32?
}

/// A lock of a store, which is released with this object.
///
/// If the process is killed, the lock lives on as long as a program that has inherited its descriptor.
protocol StoreLock: AnyObject {
  /// The descriptor that keeps the lock.
  var descriptor: Int32 { get }
}
