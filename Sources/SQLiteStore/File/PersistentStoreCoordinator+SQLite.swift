public import ManagedContext

extension PersistentStoreCoordinator {
  /// Opens the SQLite store that is written, making it where there is none; an older one is migrated.
  ///
  /// - Throws: As ``SQLiteStore/init(path:model:identity:options:)``;
  ///   ``StoreError/cannotOpen(_:)`` when a store is written already.
  public func addSQLiteStore(at path: String, identity: StoreIdentity) throws(StoreError) {
    if let taken = writtenStore {
      // Before the file is made or migrated in vain.
      throw .cannotOpen("\(path): \(taken.name) is written already; add this one read-only")
    }
    try addPersistentStore(SQLiteStore(path: path, model: model, identity: identity))
  }

  /// Opens an existing SQLite store whose objects are fetched with those of the others, and never written.
  ///
  /// - Returns: Its number, which is in the IDs of its objects.
  /// - Throws: As ``SQLiteStore/init(readOnlyPath:model:identity:readers:verifies:pollInterval:)``.
  @discardableResult
  public func addReadOnlySQLiteStore(
    at path: String, identity: StoreIdentity
  ) throws(StoreError) -> StoreNumber {
    addReadOnlyStore(try SQLiteStore(readOnlyPath: path, model: model, identity: identity))
  }
}
