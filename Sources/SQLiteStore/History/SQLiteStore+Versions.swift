public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    try readVersions(of: id.entity) { try $0.rows(of: id.key).map(\.version).reversed() } ?? []
  }

  public func values(
    ofVersion number: Int, of id: ManagedObjectID
  ) throws(StoreError) -> [AttributeValue] {
    try readVersions(of: id.entity) { try $0.values(of: id.key, at: Int64(number)) } ?? []
  }

  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    guard let first = ids.first else { return [:] }
    return try readVersions(of: first.entity) { try $0.replaced(of: ids, in: transaction) } ?? [:]
  }

  /// Reads in one transaction, because a save may add versions between two statements.
  ///
  /// - Returns: Nil if the entity keeps no old values.
  private func readVersions<Value>(
    of entity: EntityIndex, _ body: (VersionReader<FileConnection>) throws -> Value
  ) throws(StoreError) -> Value? {
    guard let versions = model.versions(of: entity) else { return nil }
    let table = VersionTable(versions, in: model, .sqlite)
    return try readHistory { db in try body(VersionReader(table, on: FileConnection(db: db))) }
  }
}
