public import ManagedContext

extension PostgreSQLStore {
  /// Opens a store that exists already.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - isWritten: False to open it read-only.
  ///   - model: The entities, with one table each.
  ///   - application: The number that distinguishes the program's tables from other programs' tables.
  ///   - options: Options for the history and the clock.
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
