/// The tables of a store during one stage of a migration: the old ones with their rows, and the new ones.
public protocol MigratedTables: AnyObject {
  /// The model after the stage.
  var model: ManagedObjectModel { get }
  /// The store's number, for errors about its rows.
  var store: StoreNumber { get }
  /// The old tables, as entities with their old names.
  var old: [EntityDescription] { get }

  /// Returns the place of the old table that an entity takes its rows from, and the places of the columns with
  /// its attributes' values; nil for a new entity.
  func source(of entity: EntityIndex) -> (table: Int, columns: [Int?])?

  /// Returns true if the rows' values must be converted, and ``beginRows(of:after:)`` was not called.
  func needsConversion(_ entity: EntityIndex) -> Bool

  /// Returns an old table's rows with keys greater than a number, in key order. There may be rows that were
  /// inserted after the stage began.
  func rows(of table: Int, after key: Int64, limit: Int, bytes: Int) throws(StoreError) -> RowBatch

  /// Returns the number of rows in an old table with keys up to a number.
  func count(of table: Int, through key: Int64) throws(StoreError) -> Int

  /// Returns the greatest key that an entity's rows have ever had; 0 for none.
  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64

  /// Replaces an entity's table by a new one. It gets the rows with greater keys than `key`, and the caller adds
  /// all others.
  func beginRows(of entity: EntityIndex, after key: Int64) throws(StoreError)

  /// Adds rows with new keys, or rows of an entity that ``beginRows(of:after:)`` was called for.
  func add(_ rows: RowBatch) throws(StoreError)
}
