/// Sort values for fetched results, which locate an object in the results without the store.
struct FetchedKeys {
  /// One row for each object in the results, and some rows for objects that were removed.
  private var rows: RowBatch
  private var rowByID: [ManagedObjectID: Int] = [:]
  /// For each sort criterion, the column with its attribute; nil for the ID order.
  private let columns: [Int?]
  private let query: StoreQuery
  private let model: ManagedObjectModel

  /// Returns the attributes (by index) that the query sorts by. The rows must contain them.
  static func attributes(of query: StoreQuery) -> [Int] {
    Set(query.sort.compactMap(\.attribute)).sorted()
  }

  /// Copies the sort values in a query's rows.
  init(_ rows: RowBatch, of query: StoreQuery, model: ManagedObjectModel) {
    let attributes = Self.attributes(of: query)
    (self.query, self.model) = (query, model)
    columns = query.sort.map { $0.attribute.flatMap(attributes.firstIndex) }
    self.rows = RowBatch(entity: query.entity, columns: attributes)
    self.rows.reserveCapacity(rows.count)
    rowByID.reserveCapacity(rows.count)
    add(rows)
  }

  /// Adds rows, replacing earlier rows for the same objects.
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

  mutating func remove(_ id: ManagedObjectID) { rowByID[id] = nil }

  /// Returns true if the first object precedes the second; false if either object's values are unknown.
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

  /// Counts the IDs in a sorted list that precede an ID.
  func place(of id: ManagedObjectID, in ids: [ManagedObjectID]) -> Int {
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(ids[middle], id) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns an ID's index in a sorted list; nil if the ID's values are unknown or the list does not contain
  /// it.
  func position(of id: ManagedObjectID, in ids: [ManagedObjectID]) -> Int? {
    guard rowByID[id] != nil else { return nil }
    let place = place(of: id, in: ids)
    return place < ids.count && ids[place] == id ? place : ids.firstIndex(of: id)
  }
}
