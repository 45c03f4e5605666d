public import ManagedContext

/// A connection to a store that is migrated, in a transaction.
public protocol MigratedConnection: SQLConnection {
  /// Returns the statement that creates an entity's table under a name, without references to other tables if
  /// they can be added later.
  static func createTable(_ entity: EntityDescription, named name: String) -> String

  /// Returns an attribute's column definition.
  static func column(_ attribute: AttributeDescription) -> String

  /// Runs `body`, and converts the connection's errors.
  func describing<Value>(_ name: String, _ body: () throws -> Value) throws(StoreError) -> Value

  /// Returns the store's entity tables.
  func entityTables() throws -> [TableShape]

  /// Returns a reader of tables.
  ///
  /// - Parameters:
  ///   - model: The tables as entities.
  ///   - name: The store's name, for messages.
  func copySource(_ model: ManagedObjectModel, name: String) -> any StoreCopySource

  /// Returns a writer to tables.
  func copyTarget(_ model: ManagedObjectModel, name: String) -> any StoreCopyTarget

  /// Deletes a table, and gives its name to another one.
  func replace(_ table: String, by new: String) throws

  /// Returns the statements that remove an entity's outdated indexes, and those that create the missing ones.
  ///
  /// - Parameter source: The table before the migration; nil if the table is new.
  func indexChanges(
    _ entity: EntityDescription, since source: TableShape?
  ) throws -> (outdated: [String], missing: [NewIndex])
}

/// An index to create.
public struct NewIndex {
  /// The attributes' names if the index is unique; otherwise nil.
  let unique: [String]?
  let statement: String

  public init(unique: [String]?, _ statement: String) { (self.unique, self.statement) = (unique, statement) }
}
