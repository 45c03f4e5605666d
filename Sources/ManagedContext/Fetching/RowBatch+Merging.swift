extension StoreQuery {
  /// Returns the requested columns, followed by the other columns that the order needs.
  func columnsWithSort(_ model: ManagedObjectModel) -> [Int] {
    guard let columns else { return Array(model[entity].attributes.indices) }
    let wanted = Set(columns)
    return columns + Set(sort.compactMap(\.ownAttribute)).subtracting(wanted).sorted()
  }

  /// Returns the query to send to each source before the rows from several sources are merged.
  func forMerging(_ model: ManagedObjectModel) -> StoreQuery {
    var query = self
    query.columns = columnsWithSort(model)
    (query.offset, query.isKeyless) = (0, false)
    query.limit = limit.map { $0 + offset }
    return query
  }

  /// Returns true if one row sorts before another in the query's order.
  func precedes(_ left: StorePredicate.Row, _ right: StorePredicate.Row) -> Bool {
    precedes(left.id, right.id) { criterion in
      sort[criterion].attribute.map { (left.values[$0], right.values[$0]) }
    }
  }

  /// Returns true if one row sorts before another in the query's order.
  ///
  /// - Parameter values: Returns both rows' values for a criterion; nil for a criterion that sorts by ID.
  func precedes(
    _ left: ManagedObjectID, _ right: ManagedObjectID,
    _ values: (_ criterion: Int) -> (AttributeValue, AttributeValue)?
  ) -> Bool {
    for criterion in sort.indices {
      guard let (a, b) = values(criterion) else {
        if left == right { continue }
        return left.precedes(right) == sort[criterion].isAscending
      }
      if a.precedes(b) { return sort[criterion].isAscending }
      if b.precedes(a) { return !sort[criterion].isAscending }
    }
    return left.precedes(right)
  }
}

extension RowBatch {
  /// Merges several sorted batches into one in a query's order, and applies the query's offset and limit.
  ///
  /// - Parameter batches: The results of the query's ``StoreQuery/forMerging(_:)``.
  static func merging(_ batches: [RowBatch], for query: StoreQuery, model: ManagedObjectModel) -> RowBatch {
    let wanted = query.columns ?? Array(model[query.entity].attributes.indices)
    var heads = batches.map { MergeHead($0, model: model, sort: query.sort) }
    var merged = RowBatch(entity: query.entity, columns: wanted)
    let columns = Array(wanted.indices)
    var skipped = 0
    while query.limit.map({ merged.count < $0 }) ?? true {
      guard
        let next = heads.indices.filter({ !heads[$0].isAtEnd })
          .min(by: { query.precedes(heads[$0].row, heads[$1].row) })
      else { break }
      if skipped < query.offset {
        skipped += 1
      } else {
        merged.appendRow(of: heads[next].batch, row: heads[next].place, columns: columns)
      }
      heads[next].advance()
    }
    return merged
  }

  /// Copies a row from another batch.
  ///
  /// - Parameter columns: For each column in this batch, the other batch's column for the same attribute.
  mutating func appendRow(of other: RowBatch, row: Int, columns: [Int]) {
    beginRow(other.id(row: row), version: other.versions[row])
    for column in columns {
      switch other.cell(row: row, column: column) {
      case .text(let offset, let count):
        append(.text(offset: copy(other.bytes, offset, count), count: count))
      case .bytes(let offset, let count):
        append(.bytes(offset: copy(other.bytes, offset, count), count: count))
      case let cell: append(cell, of: other, row: row, column: column)
      }
    }
  }

  private mutating func copy(_ source: [UInt8], _ offset: UInt32, _ count: UInt32) -> UInt32 {
    let place = UInt32(bytes.count)
    bytes.append(contentsOf: source[Int(offset)..<Int(offset) + Int(count)])
    return place
  }
}

/// The next row in a batch that is being merged, with the values that the order needs.
private struct MergeHead {
  let batch: RowBatch
  private(set) var place = 0
  private(set) var row: StorePredicate.Row
  private let model: ManagedObjectModel
  private let sortColumns: [(attribute: Int, column: Int)]

  init(_ batch: RowBatch, model: ManagedObjectModel, sort: [StoreSort]) {
    self.batch = batch
    self.model = model
    sortColumns = sort.compactMap { criterion in
      guard let attribute = criterion.attribute else { return nil }
      return batch.columns.firstIndex(of: attribute).map { (attribute, $0) }
    }
    row = (
      ManagedObjectID.none,
      [AttributeValue](repeating: .null, count: model[batch.entity].attributes.count)
    )
    read()
  }

  var isAtEnd: Bool { place >= batch.count }

  mutating func advance() {
    place += 1
    read()
  }

  private mutating func read() {
    guard !isAtEnd else { return }
    row.id = batch.id(row: place)
    for (attribute, column) in sortColumns {
      row.values[attribute] = batch.value(row: place, column: column, model: model)
    }
  }
}
