/// Changes to the tables of an ``InMemoryStore`` that can be undone.
struct InMemoryTransaction: StoreTransaction {
  private(set) var tables: [InMemoryTable]
  let model: ManagedObjectModel
  let store: StoreNumber
  private var changed: [(id: ManagedObjectID, before: InMemoryTable.Row?)] = []

  init(tables: [InMemoryTable], model: ManagedObjectModel, store: StoreNumber) {
    self.tables = tables
    self.model = model
    self.store = store
  }

  mutating func undo() {
    for (id, row) in changed.reversed() { tables[Int(id.entity)].set(id.key, to: row) }
    changed = []
  }

  private mutating func set(_ id: ManagedObjectID, to row: InMemoryTable.Row?) {
    changed.append((id, tables[Int(id.entity)].rows[id.key]))
    tables[Int(id.entity)].set(id.key, to: row)
  }

  mutating func insert(
    _ entity: EntityIndex, key: Int64?, values: [AttributeValue], version: Int64
  ) throws(StoreError) -> Int64? {
    guard tables[Int(entity)].isUnique(values, key: nil) else { return nil }
    let key = key ?? tables[Int(entity)].makeKey()
    set(ManagedObjectID(entity: entity, store: store, key: key), to: .init(values: values, version: version))
    return key
  }

  mutating func update(
    _ id: ManagedObjectID, values: [(index: Int, value: AttributeValue)], version: Int64?
  ) throws(StoreError) -> RowUpdate {
    guard var row = tables[Int(id.entity)].rows[id.key], version == nil || row.version == version else {
      return .stale
    }
    for (index, value) in values { row.values[index] = value }
    row.version += 1
    guard tables[Int(id.entity)].isUnique(row.values, key: id.key) else { return .notUnique }
    set(id, to: row)
    return .written
  }

  mutating func delete(_ id: ManagedObjectID, version: Int64?) throws(StoreError) -> Bool {
    guard let row = tables[Int(id.entity)].rows[id.key], version == nil || row.version == version else {
      return false
    }
    set(id, to: nil)
    return true
  }

  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)? {
    tables[Int(id.entity)].rows[id.key].map { ($0.values, $0.version) }
  }

  func key(
    of entity: EntityIndex, having values: [(index: Int, value: AttributeValue)]
  ) throws(StoreError) -> Int64? {
    let table = tables[Int(entity)]
    let indexes = values.map(\.index)
    if let constraint = table.uniqueness.firstIndex(of: indexes) {
      return table.owner(constraint, values.map(\.value))
    }
    return table.rows.first { row in values.allSatisfy { row.value.values[$0.index] == $0.value } }?.key
  }

  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64] {
    try tables.rows(StoreQuery(entity: entity, predicate: predicate, columns: []), model, store).keys
  }

  /// Checks the changed rows, and all rows that refer to a deleted row.
  func brokenReference() throws(StoreError) -> ValidationError? {
    let gone = Set(changed.map(\.id)).filter { tables[Int($0.entity)].rows[$0.key] == nil }
    for id in changed.map(\.id) where !gone.contains(id) {
      if let broken = broken(id, isGone: { tables[Int($0.entity)].rows[$0.key] == nil }) { return broken }
    }
    guard !gone.isEmpty else { return nil }
    for entity in model.entities.indices where !model.references[entity].isEmpty {
      for key in tables[entity].rows.keys.sorted() {
        let id = ManagedObjectID(entity: EntityIndex(entity), store: store, key: key)
        if let broken = broken(id, isGone: gone.contains) { return broken }
      }
    }
    return nil
  }

  private func broken(_ id: ManagedObjectID, isGone: (ManagedObjectID) -> Bool) -> ValidationError? {
    guard let row = tables[Int(id.entity)].rows[id.key] else { return nil }
    for attribute in model.references[Int(id.entity)] {
      guard case .reference(let other) = row.values[attribute], isGone(other) else { continue }
      return model.brokenReference(of: id, attribute: attribute) { attribute in
        if case .reference(let end) = row.values[attribute] { end } else { nil }
      }
    }
    return nil
  }
}
