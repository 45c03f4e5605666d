/// The values that the order of fetched results rests on: with them an object's place is found without the store.
struct FetchedKeys {
  /// A row each of what is in the results, and of some that were.
  private var rows: RowBatch
  private var rowByID: [ManagedObjectID: Int] = [:]
  /// For each criterion of the order, the column that has its attribute; nil for the order of IDs.
  private let columns: [Int?]
  private let query: StoreQuery
  private let model: ManagedObjectModel

  /// The attributes (by index) that rows have to have.
  static func attributes(of query: StoreQuery) -> [Int] {
    var attributes: [Int] = []
    for attribute in query.sort.compactMap(\.attribute) where !attributes.contains(attribute) {
      attributes.append(attribute)
    }
    return attributes
  }

  /// Keeps of rows what their order rests on.
  init(_ rows: RowBatch, of query: StoreQuery, model: ManagedObjectModel) {
    let attributes = Self.attributes(of: query)
    (self.query, self.model) = (query, model)
    columns = query.sort.map { $0.attribute.flatMap(attributes.firstIndex) }
    self.rows = RowBatch(entity: query.entity, columns: attributes)
    self.rows.reserveCapacity(rows.count)
    rowByID.reserveCapacity(rows.count)
    add(rows)
  }

  /// Adds rows; those of the same objects are replaced.
  mutating func add(_ new: RowBatch) {
    let sources = rows.columns.map { new.columns.firstIndex(of: $0) ?? 0 }
    for row in 0..<new.count {
      rowByID[new.id(row: row)] = rows.count
      rows.appendRow(of: new, row: row, columns: sources)
    }
    guard rows.count > 2 * rowByID.count + 1000 else { return }
    let kept = rowByID.values.sorted()
    let old = rows
    rows = RowBatch(entity: old.entity, columns: old.columns)
    for row in kept {
      rowByID[old.id(row: row)] = rows.count
      rows.appendRow(of: old, row: row, columns: Array(old.columns.indices))
    }
  }

  /// Forgets an object.
  mutating func remove(_ id: ManagedObjectID) { rowByID[id] = nil }

  /// Whether an object stands before another; false where one of them is not known.
  func precedes(_ left: ManagedObjectID, _ right: ManagedObjectID) -> Bool {
    guard let leftRow = rowByID[left], let rightRow = rowByID[right] else { return false }
    return query.precedes(left, right) { criterion in
      columns[criterion].map { column in
        (
          rows.value(row: leftRow, column: column, model: model),
          rows.value(row: rightRow, column: column, model: model)
        )
      }
    }
  }

  /// How many of some IDs, which stand in order, stand before one.
  func place(of id: ManagedObjectID, in ids: [ManagedObjectID]) -> Int {
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(ids[middle], id) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where an ID stands among some that stand in order; nil where it is not known.
  func position(of id: ManagedObjectID, in ids: [ManagedObjectID]) -> Int? {
    guard rowByID[id] != nil else { return nil }
    let place = place(of: id, in: ids)
    return place < ids.count && ids[place] == id ? place : ids.firstIndex(of: id)
  }
}
