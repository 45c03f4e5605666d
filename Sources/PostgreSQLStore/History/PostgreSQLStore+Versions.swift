public import ManagedContext
internal import SQLStatements

extension PostgreSQLStore {
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    try readVersions(of: id.entity) { try $0.rows(of: id.key).map(\.version).reversed() } ?? []
  }

  public func values(ofVersion number: Int, of id: ManagedObjectID) throws(StoreError) -> [AttributeValue] {
    try readVersions(of: id.entity) { try $0.values(of: id.key, at: Int64(number)) } ?? []
  }

  /// Reads with one statement.
  ///
  /// - Returns: Nil if the entity keeps no old values.
  private func readVersions<Value>(
    of entity: EntityIndex, _ body: (VersionReader<Connection>) throws -> Value
  ) throws(StoreError) -> Value? {
    guard let table = versionTable(of: entity) else { return nil }
    return try read { (connection) throws(ServerError) in
      try ServerError.ofConnection { try body(VersionReader(table, on: connection)) }
    }
  }

  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    guard let first = ids.first, let table = versionTable(of: first.entity) else { return [:] }
    return try readTogether { connection in
      try VersionReader(table, on: connection).replaced(of: ids, in: transaction)
    }
  }

  private func versionTable(of entity: EntityIndex) -> VersionTable? {
    versionTables.first { $0.versions.owner == entity }
  }
}
