public import struct Foundation.UUID
import Threading

/// A store that lasts as long as the process: for tests, caches and temporary data.
///
/// Reads wait for a running write. It has no history, and no other process can see it.
public final class InMemoryStore: PersistentStore {
  /// The store's name in errors.
  public let name: String
  public let number = StoreNumber.unique()
  private let uuid = UUID()
  private let model: ManagedObjectModel
  private let tables: Locked<[InMemoryTable]>

  /// Creates an empty store.
  public init(model: ManagedObjectModel, name: String = "the store in memory") {
    self.model = model
    self.name = name
    tables = Locked(model.entities.map { InMemoryTable(uniqueness: $0.uniqueness) })
  }

  /// - Returns: A new UUID for each store.
  public func uuid(isMade: Bool) -> UUID? { uuid }

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let result = tables.withLock { tables in
      Result { () throws(StoreError) in try tables.rows(query, model, number) }
    }
    return try result.get()
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    var query = query
    query.columns = []
    return try fetch(query).count
  }

  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    tables.withLock { tables in
      group.map { changes in
        var transaction = InMemoryTransaction(tables: tables, model: model, store: number)
        // The copy is the only reference while it is changed, so unchanged rows are not copied.
        tables = []
        let result = Result { () throws(StoreError) in try changes.apply(to: &transaction, model: model) }
        if case .failure = result { transaction.undo() }
        tables = transaction.tables
        return result
      }
    }
  }
}

/// One entity's rows.
struct InMemoryTable: Sendable {
  struct Row: Sendable {
    var values: [AttributeValue]
    var version: Int64
  }

  let uniqueness: [[Int]]
  private(set) var rows: [Int64: Row] = [:]
  private var nextKey: Int64 = 1
  /// For each constraint, the rows by their values in it.
  private var owners: [[[AttributeValue]: Int64]]

  init(uniqueness: [[Int]]) {
    self.uniqueness = uniqueness
    owners = uniqueness.map { _ in [:] }
  }

  /// Returns a key that no row has had.
  mutating func makeKey() -> Int64 {
    defer { nextKey += 1 }
    return nextKey
  }

  /// Returns the row with these values in a constraint; nil if any value is null.
  func owner(_ constraint: Int, _ values: [AttributeValue]) -> Int64? {
    values.contains(where: \.isNull) ? nil : owners[constraint][values]
  }

  /// Returns whether a row with these values satisfies every constraint.
  func isUnique(_ values: [AttributeValue], key: Int64?) -> Bool {
    uniqueness.indices.allSatisfy { constraint in
      let owner = owner(constraint, uniqueness[constraint].map { values[$0] })
      return owner == nil || owner == key
    }
  }

  /// Sets a row; nil removes it.
  mutating func set(_ key: Int64, to row: Row?) {
    let old = rows[key]
    for (place, constraint) in uniqueness.enumerated() {
      if let old { owners[place][constraint.map { old.values[$0] }] = nil }
    }
    rows[key] = row
    nextKey = max(nextKey, key + 1)
    for (place, constraint) in uniqueness.enumerated() {
      let values = constraint.compactMap { row?.values[$0] }
      if row != nil, !values.contains(where: \.isNull) { owners[place][values] = key }
    }
  }
}

extension [InMemoryTable] {
  /// Answers a query.
  func rows(
    _ query: StoreQuery, _ model: ManagedObjectModel, _ store: StoreNumber
  ) throws(StoreError) -> RowBatch {
    if query.dependsOnOthers {
      let unsorted = try rows(query.unsorted(model), model, store)
      return try RowBatch.sorting([unsorted], for: query, model: model) { (inner) throws(StoreError) in
        try rows(inner, model, store)
      }
    }
    let predicate = try query.predicate?.replacingQueries(model) { (inner) throws(StoreError) in
      var inner = inner
      inner.columns = inner.columns ?? []
      return try rows(inner, model, store)
    }
    let holds = predicate?.evaluation() ?? { _ in true }
    var found: [(row: StorePredicate.Row, version: Int64)] = []
    let table = self[Int(query.entity)].rows
    func look(_ key: Int64, _ row: InMemoryTable.Row) {
      let candidate = (id: ManagedObjectID(entity: query.entity, store: store, key: key), values: row.values)
      if holds(candidate) { found.append((candidate, row.version)) }
    }
    if let wanted = predicate?.namedIDs {
      for id in Set(wanted) where id.store == store { if let row = table[id.key] { look(id.key, row) } }
    } else {
      for (key, row) in table { look(key, row) }
    }
    found.sort { query.precedes($0.row, $1.row) }
    var batch = RowBatch(
      entity: query.entity, columns: query.columns ?? Array<Int>(model[query.entity].attributes.indices))
    batch.store = store
    for (row, version) in found.dropFirst(query.offset).prefix(query.limit ?? .max) {
      batch.beginRow(row.id, version: version)
      for column in batch.columns { batch.append(row.values[column]) }
    }
    return batch
  }
}
