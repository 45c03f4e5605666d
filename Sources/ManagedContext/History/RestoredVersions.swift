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

  /// Adds the versions to a context. Objects that have other versions already keep these alone.
  ///
  /// An object whose first version here is the same as one that it has gets those that it lacks: an earlier import ended before
  /// them.
  ///
  /// - Parameter begun: Objects whose other versions were added by this method before, and get more. Those that get their first
  ///   ones are inserted.
  package func write(in context: ManagedObjectContext, _ begun: inout Set<ManagedObjectID>) throws(StoreError)
  {
    let known = try knownVersions(in: context)
    for (row, object) in objects.enumerated() {
      guard let object, !begun.contains(object) else { continue }
      guard let own = known[object.key] else {
        begun.insert(object)
        continue
      }
      if own.contains(version(ofRow: row)) { begun.insert(object) }
    }
    var added = RowBatch(entity: rows.entity, columns: rows.columns, bytes: rows.bytes)
    var addedNumbers: [Int64] = []
    for (row, object) in objects.enumerated() {
      guard let object, begun.contains(object) else { continue }
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
    guard added.count > 0 else { return }
    var batch = BatchUpsert(
      added, unique: [VersionEntity.objectIndex, VersionObject.number.index],
      changeMark: VersionEntity.objectIndex)
    batch.newKeys = addedNumbers
    context.insert(batch)
  }

  /// The number and the time of a version.
  private struct Version: Hashable {
    let number: RowBatch.Cell
    let replaced: RowBatch.Cell
  }

  private func version(ofRow row: Int) -> Version {
    let cell = { (attribute: Int) -> RowBatch.Cell in
      rows.columns.firstIndex(of: attribute).map { rows.cell(row: row, column: $0) } ?? .null
    }
    return Version(number: cell(VersionObject.number.index), replaced: cell(VersionObject.replaced.index))
  }

  /// Returns the versions that the store has of the objects, by the objects' keys.
  private func knownVersions(
    in context: ManagedObjectContext
  ) throws(StoreError) -> [Int64: Set<Version>] {
    let keys = Set(objects.compactMap { $0?.key })
    guard !keys.isEmpty else { return [:] }
    let found = try context.rows(
      StoreQuery(
        entity: rows.entity,
        predicate: .among(VersionEntity.objectIndex, keys.map { AttributeValue.integer($0) }),
        columns: [VersionEntity.objectIndex, VersionObject.number.index, VersionObject.replaced.index]))
    var known: [Int64: Set<Version>] = [:]
    for row in 0..<found.count {
      guard case .integer(let key) = found.cell(row: row, column: 0) else { continue }
      known[key, default: []].insert(
        Version(number: found.cell(row: row, column: 1), replaced: found.cell(row: row, column: 2)))
    }
    return known
  }
}
