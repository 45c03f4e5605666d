/// Adds older values that arrive late to objects' versions, such as values from an old copy of a document.
public struct EarlierVersions: Sendable {
  private let rows: RowBatch
  private let versions: VersionEntity?
  private let owner: EntityDescription?
  /// Each object's rows, in the order of their version numbers.
  private var places: [Int64: [Int]] = [:]

  /// No versions.
  public init() {
    (rows, versions, owner) = (RowBatch(entity: 0, columns: []), nil, nil)
  }

  /// Reads the versions that objects of one entity have.
  public init(of ids: [ManagedObjectID], in context: ManagedObjectContext) throws(StoreError) {
    guard let entity = ids.first?.entity, let versions = context.model.versions(of: entity) else {
      (rows, self.versions, owner) = (RowBatch(entity: 0, columns: []), nil, nil)
      return
    }
    self.versions = versions
    owner = context.model[entity]
    rows = try context.rows(
      StoreQuery(
        entity: versions.entity,
        predicate: .among(VersionEntity.objectIndex, ids.map { AttributeValue.integer($0.key) }),
        columns: Array(context.model[versions.entity].attributes.indices)))
    let numbers = (0..<rows.count).map { number($0, VersionObject.number.index) ?? 0 }
    for row in (0..<rows.count).sorted(by: { numbers[$0] < numbers[$1] }) {
      guard let object = number(row, VersionEntity.objectIndex) else { continue }
      places[object, default: []].append(row)
    }
  }

  /// Returns whether any version of an object meets a condition.
  ///
  /// - Parameters:
  ///   - object: The object's key.
  ///   - current: Its current cells, one for each attribute.
  ///   - bytes: The arena for the current cells.
  ///   - body: The condition. Receives a version's cells and their arena.
  public func contains(
    _ object: Int64, current: [RowBatch.Cell], _ bytes: [UInt8],
    where body: ([RowBatch.Cell], [UInt8]) -> Bool
  ) -> Bool {
    guard let versions else { return false }
    var cells = current
    let texts = bytes + rows.bytes
    // A version has only the values that its change replaced; the next version has the other values.
    for row in (places[object] ?? []).reversed() {
      let changed = changedAttributes(row)
      for (place, attribute) in versions.attributes.enumerated()
      where changed.contains(AttributeSet(index: attribute)) {
        cells[attribute] = rows.cell(row: row, column: VersionEntity.firstValue + place).moved(
          by: UInt32(bytes.count))
      }
      if body(cells, texts) { return true }
    }
    return false
  }

  /// Returns batches that insert older values as the last version before an object's current values.
  ///
  /// - Parameters:
  ///   - object: The object's key.
  ///   - old: The older cells, one for each attribute, and their arena.
  ///   - current: The current cells and their arena.
  ///   - note: Describes the difference; see ``HistoryOptions/note``.
  ///   - first: The time since which the store has the object, in seconds since 1970.
  public func adding(
    _ old: (cells: [RowBatch.Cell], bytes: [UInt8]), to object: Int64,
    current: (cells: [RowBatch.Cell], bytes: [UInt8]), note: Int64, since first: Int64
  ) -> [BatchUpsert] {
    guard let versions, let owner else { return [] }
    let different = versions.attributes.filter { attribute in
      !old.cells[attribute].isSame(in: old.bytes, as: current.cells[attribute], in: current.bytes)
    }
    let changed = AttributeSet(indexes: different)
    let unique = [VersionEntity.objectIndex, VersionObject.number.index]
    var batches: [BatchUpsert] = []
    let last = places[object]?.last
    // The versions before have the current values in these attributes, because nothing has changed them
    // since.
    if let last, !changed.isSubset(of: changedAttributes(last)) {
      let known = changedAttributes(last)
      var row = RowBatch(entity: rows.entity, columns: rows.columns, bytes: rows.bytes + current.bytes)
      row.beginRow()
      for column in rows.columns {
        let place = column - VersionEntity.firstValue
        if column == VersionObject.changed.index {
          row.append(text: versions.names(of: known.union(changed), in: owner))
        } else if place >= 0, different.contains(versions.attributes[place]),
          !known.contains(AttributeSet(index: versions.attributes[place]))
        {
          row.append(current.cells[versions.attributes[place]].moved(by: UInt32(rows.bytes.count)))
        } else {
          row.append(rows.cell(row: last, column: column))
        }
      }
      batches.append(BatchUpsert(row, unique: unique))
    }
    var row = RowBatch(entity: rows.entity, columns: rows.columns, bytes: old.bytes)
    row.beginRow()
    for column in rows.columns {
      switch column {
      case VersionEntity.objectIndex: row.append(integer: object)
      case VersionObject.number.index:
        row.append(integer: (last.flatMap { number($0, VersionObject.number.index) } ?? 0) + 1)
      case VersionObject.replaced.index:
        row.append(integer: last.flatMap { number($0, VersionObject.replaced.index) } ?? first)
      case VersionObject.changed.index: row.append(text: versions.names(of: changed, in: owner))
      case VersionObject.note.index: row.append(integer: note)
      // Without a transaction number, the version would look like a new one by another program.
      case VersionObject.token.index, VersionObject.merged.index: row.append(integer: 0)
      default:
        let attribute = versions.attributes[column - VersionEntity.firstValue]
        row.append(different.contains(attribute) ? old.cells[attribute] : .null)
      }
    }
    // If another process has replaced the current values by now, its version has this number, and stays.
    batches.append(BatchUpsert(row, unique: unique, changeMark: VersionEntity.objectIndex))
    return batches
  }

  private func number(_ row: Int, _ column: Int) -> Int64? {
    if case .integer(let number) = rows.cell(row: row, column: column) { number } else { nil }
  }

  private func changedAttributes(_ row: Int) -> AttributeSet {
    guard case .text(let offset, let count) = rows.cell(row: row, column: VersionObject.changed.index) else {
      return []
    }
    return owner?.attributes(named: Array(rows.bytes[Int(offset)..<Int(offset) + Int(count)])) ?? []
  }
}

extension RowBatch.Cell {
  /// Returns the cell for an arena that has other bytes before its own.
  fileprivate func moved(by distance: UInt32) -> RowBatch.Cell {
    switch self {
    case .text(let offset, let count): .text(offset: offset + distance, count: count)
    case .bytes(let offset, let count): .bytes(offset: offset + distance, count: count)
    default: self
    }
  }

  /// Returns whether two cells have the same value.
  fileprivate func isSame(in bytes: [UInt8], as other: RowBatch.Cell, in otherBytes: [UInt8]) -> Bool {
    switch (self, other) {
    case (.text(let offset, let count), .text(let otherOffset, let otherCount)),
      (.bytes(let offset, let count), .bytes(let otherOffset, let otherCount)):
      bytes[Int(offset)..<Int(offset) + Int(count)].elementsEqual(
        otherBytes[Int(otherOffset)..<Int(otherOffset) + Int(otherCount)])
    default: self == other
    }
  }
}
