public import ManagedContext

extension PersistentStoreCoordinator {
  /// Opens the SQLite store that is written, making it where there is none; an older one is migrated.
  ///
  /// - Throws: As ``SQLiteStore/init(path:model:identity:readers:keepsHistory:historyRetention:pollInterval:now:)``;
  ///   ``StoreError/cannotOpen(_:)`` when a store is written already.
  public func addSQLiteStore(at path: String, identity: StoreIdentity) throws(StoreError) {
    if let taken = store(at: 0) {
      // Before the file is made or migrated in vain.
      throw .cannotOpen("\(path): \(taken.name) is written already; add this one read-only")
    }
    try addPersistentStore(SQLiteStore(path: path, model: model, identity: identity))
  }

  /// Opens an existing SQLite store whose objects are fetched with those of the others, and never written.
  ///
  /// - Returns: Its place, which is in the IDs of its objects; from 1.
  /// - Throws: As ``SQLiteStore/init(readOnlyPath:model:identity:readers:verifies:pollInterval:)``.
  @discardableResult
  public func addReadOnlySQLiteStore(
    at path: String, identity: StoreIdentity
  ) throws(StoreError) -> UInt16 {
    addReadOnlyStore(try SQLiteStore(readOnlyPath: path, model: model, identity: identity))
  }
}
