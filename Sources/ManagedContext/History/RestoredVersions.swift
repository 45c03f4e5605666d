/// Versions of objects that were written to a document, and are read from it.
package struct RestoredVersions {
  /// The rows, with a column for each attribute of the entity of versions and whole long texts.
  private let rows: RowBatch
  /// The number that each row had; 0 for none.
  private let numbers: [Int64]
  /// The object of each row; nil if it does not exist.
  private let objects: [ManagedObjectID?]

  /// - Parameters:
  ///   - rows: The rows, with a column for each attribute of the entity of versions and whole long texts.
  ///   - numbers: The number that each row had; 0 for none.
  ///   - objects: The object of each row; nil if it does not exist.
  package init(_ rows: RowBatch, numbers: [Int64], of objects: [ManagedObjectID?]) {
    (self.rows, self.numbers, self.objects) = (rows, numbers, objects)
  }

  /// Adds the versions to a context. Objects that have versions already keep these alone.
  ///
  /// - Parameter begun: Objects whose other versions were added by this method before, and get more. Those that get their first
  ///   ones are inserted.
  package func write(in context: ManagedObjectContext, _ begun: inout Set<ManagedObjectID>) throws(StoreError)
  {
    let keys = Set(objects.compactMap { $0?.key })
    guard !keys.isEmpty else { return }
    let known = try context.rows(
      StoreQuery(
        entity: rows.entity,
        predicate: .among(VersionEntity.objectIndex, keys.map { AttributeValue.integer($0) }),
        columns: [VersionEntity.objectIndex]))
    var versioned: Set<Int64> = []
    for row in 0..<known.count {
      if case .integer(let key) = known.cell(row: row, column: 0) { versioned.insert(key) }
    }
    var added = RowBatch(entity: rows.entity, columns: rows.columns, bytes: rows.bytes)
    var addedNumbers: [Int64] = []
    for (row, object) in objects.enumerated() {
      guard let object, begun.contains(object) || !versioned.contains(object.key) else { continue }
      added.beginRow()
      for column in rows.columns {
        switch column {
        case VersionEntity.objectIndex: added.append(integer: object.key)
        // The number of a transaction means nothing in another store, and without a number the version would be new.
        case VersionObject.token.index: added.append(integer: 0)
        default: added.append(rows.cell(row: row, column: column))
        }
      }
      addedNumbers.append(numbers[row])
    }
    begun.formUnion(objects.compactMap(\.self).filter { !versioned.contains($0.key) })
    guard added.count > 0 else { return }
    var batch = BatchUpsert(
      added, unique: [VersionEntity.objectIndex, VersionObject.number.index],
      changeMark: VersionEntity.objectIndex)
    batch.newKeys = addedNumbers
    context.insert(batch)
  }
}
