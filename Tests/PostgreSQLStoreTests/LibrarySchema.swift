import ManagedContext
import TestSupport

@testable import PostgreSQLStore

/// A suite whose tests each have a schema of their own for stores of the library.
protocol LibrarySchema {
  var schema: TestSchema { get }
}

extension LibrarySchema {
  /// Opens a store of the schema, or at another address.
  func open(
    _ address: StoreAddress? = nil, _ options: PostgreSQLStoreOptions = .init()
  ) throws(StoreError) -> PostgreSQLStore {
    try PostgreSQLStore(address ?? schema.address, model: Library.model, application: 7, options: options)
  }

  /// Executes statements as another program does; see ``TestSchema/rows(_:)``.
  func run(_ sql: String) throws -> [String] { try schema.rows(sql) }
}
