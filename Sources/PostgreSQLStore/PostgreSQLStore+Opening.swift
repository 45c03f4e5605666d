public import ManagedContext

extension PostgreSQLStore {
  /// Opens a store that exists already.
  ///
  /// - Parameter isWritten: False to open it read-only.
  /// - Returns: Nil without tables.
  public static func existing(
    _ address: StoreAddress, isWritten: Bool, model: ManagedObjectModel, application: Int32,
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws(StoreError) -> PostgreSQLStore? {
    do throws(StoreError) {
      return try PostgreSQLStore(address, model, application, options, isWritten ? .write : .read)
    } catch {
      guard error == StoreOpening.noStore(address.withoutPassword) else { throw error }
      return nil
    }
  }
}
