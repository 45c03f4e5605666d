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
    return try values(ofVersion: number, of: id, only: AttributeSet(indexes: versions.attributes))
  }

  public func values(
    ofVersion number: Int, of id: ManagedObjectID, only attributes: AttributeSet
  ) throws(StoreError) -> [AttributeValue] {
    guard let versions = model.versions(of: id.entity) else { return [] }
    // In a transaction, because a save may change the differences between two statements.
    return try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in
        var values: [AttributeValue] = []
        try db.inTransaction(.deferred) {
          let reader = VersionReader(table: VersionTable(versions, in: model), db: db)
          let wanted = versions.attributes.filter { attributes.contains(AttributeSet(index: $0)) }
          values = try wanted.map { attribute in
            guard versions.longTexts.contains(attribute) else {
              return AttributeValue(try reader.value(attribute, of: id.key, at: Int64(number)))
            }
            let text = try reader.longText(attribute, of: id.key, at: Int64(number))
            return text.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
          }
          return .commit
        }
        return values
      }
    }
  }
}

extension AttributeValue {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let bytes): self = .bytes([UInt8](bytes))
    }
  }
}
