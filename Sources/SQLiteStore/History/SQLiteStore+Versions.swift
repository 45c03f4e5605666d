internal import GRDB
public import ManagedContext

extension SQLiteStore {
  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    guard let versions = model.versions(of: id.entity) else { return [] }
    return try read { db in
      try VersionReader(table: VersionTable(versions, in: model), db: db).rows(of: id.key).map(\.version)
        .reversed()
    }
  }

  public func values(
    ofVersion number: Int, of id: ManagedObjectID
  ) throws(StoreError) -> [AttributeValue] {
    guard let versions = model.versions(of: id.entity) else { return [] }
    return try readVersions(versions) { reader in
      try versions.attributes.map { AttributeValue(try reader.value($0, of: id.key, at: Int64(number))) }
    }
  }

  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    guard let first = ids.first, let versions = model.versions(of: first.entity) else { return [:] }
    let keys = ids.map(\.key)
    let found = try readVersions(versions) { reader in try reader.replaced(of: keys, in: transaction) }
    var replaced = [ManagedObjectID: ReplacedValues](minimumCapacity: found.count)
    for (key, values) in found {
      replaced[ManagedObjectID(entity: first.entity, store: first.store, key: key)] = values
    }
    return replaced
  }

  /// Reads in one transaction, because a save may add versions between two statements.
  private func readVersions<Value>(
    _ versions: VersionEntity, _ body: (VersionReader) throws -> Value
  ) throws(StoreError) -> Value {
    try readHistory { db in
      try body(VersionReader(table: VersionTable(versions, in: model), db: db))
    }
  }
}

extension AttributeValue {
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .bytes([UInt8](bytes))
    }
  }
}
