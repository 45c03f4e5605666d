public import ManagedContext
internal import SQLStatements
internal import Threading

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

  /// Checks or creates the store, and migrates an older one.
  static func open(
    _ address: StoreAddress, _ model: ManagedObjectModel, _ application: Int32, _ name: String,
    _ options: PostgreSQLStoreOptions, _ purpose: StoreOpening.Purpose, _ views: () -> [String],
    _ pool: ConnectionPool
  ) throws(StoreError) -> FoundStore {
    while true {
      let found = try pool.use { (connection) throws(StoreError) in
        try StoreOpening(
          connection: connection, model: model, application: application, name: name, purpose: purpose
        ).open(views)
      }
      if found.version == model.version, !found.hasEarlierDates { return found }
      guard purpose != .read, options.migrates else {
        if found.hasEarlierDates { throw .incompatible("\(name): \(TableShape.earlierDates)") }
        throw .older(version: found.version, known: model.version)
      }
      // On connections of their own: prepared statements do not outlive a change to their tables, and whole
      // tables are read.
      let own = ConnectionPool(
        address.text, name: name, limit: 1, settings: settings(options),
        patience: ServerPatience(limit: options.patience, didWait: options.didWait), pooler: Locked(.none))
      defer { own.close() }
      try own.use { (connection) throws(StoreError) in
        try ServerMigration(
          connection: connection, model: model, application: application, store: found.number, name: name,
          options: options
        ).run(views)
      }
    }
  }
}
