/// Copies the versions of objects to their copies in another store with the same model.
public struct VersionCopies: Sendable {
  private let rows: RowBatch
  private let versions: VersionEntity?

  /// Reads the versions that objects of one entity have.
  public init(of ids: [ManagedObjectID], in context: ManagedObjectContext) throws(StoreError) {
    guard let entity = ids.first?.entity, let versions = context.model.versions(of: entity) else {
      (rows, versions) = (RowBatch(entity: 0, columns: []), nil)
      return
    }
    let keys = ids.map { AttributeValue.integer($0.key) }
    self.versions = versions
    rows = try context.rows(
      StoreQuery(
        entity: versions.entity, predicate: .among(VersionEntity.objectIndex, keys),
        columns: Array(context.model[versions.entity].attributes.indices)))
  }

  /// The keys of the objects that have versions.
  public var originals: Set<Int64> {
    var keys: Set<Int64> = []
    for row in 0..<rows.count {
      if case .integer(let key) = rows.cell(row: row, column: VersionEntity.objectIndex) { keys.insert(key) }
    }
    return keys
  }

  /// Adds the versions to a context, in place of the versions that the copies have.
  ///
  /// - Parameters:
  ///   - copies: The copies, by their originals' keys. They must have the originals' current values, because a
  ///     long text is stored as its difference to the next one.
  ///   - context: A context of the copies' store, which saves the versions.
  public func write(for copies: [Int64: ManagedObjectID], in context: ManagedObjectContext) {
    guard let versions, !copies.isEmpty else { return }
    var copied = RowBatch(entity: versions.entity, columns: rows.columns, bytes: rows.bytes)
    for row in 0..<rows.count {
      guard case .integer(let original) = rows.cell(row: row, column: VersionEntity.objectIndex),
        let copy = copies[original]
      else { continue }
      copied.beginRow()
      for column in rows.columns.indices {
        switch column {
        case VersionEntity.objectIndex: copied.append(integer: copy.key)
        // A transaction number means nothing in another store. Without any number, the version would be new.
        case VersionObject.token.index: copied.append(integer: 0)
        default: copied.append(rows.cell(row: row, column: column))
        }
      }
    }
    let keys = copies.values.map { AttributeValue.integer($0.key) }
    context.deleteAll(
      BatchDelete(entity: versions.entity, predicate: .among(VersionEntity.objectIndex, keys)))
    if copied.count > 0 { context.insert(BatchUpsert(copied)) }
  }
}
