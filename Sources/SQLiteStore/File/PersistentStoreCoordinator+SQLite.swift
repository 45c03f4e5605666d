public import ManagedContext

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
