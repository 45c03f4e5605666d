/// The operations inside a store's transaction, as ``ChangeSet/apply(to:model:)`` needs them.
///
/// A store that implements them supports every merge policy. An error rolls the transaction back. Reads
/// include the transaction's own writes.
public protocol StoreTransaction {
  /// The written store's number, which its rows' IDs contain.
  var store: StoreNumber { get }

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - key: The row's key; nil for the next free one.
  ///   - values: One value for each attribute; references are permanent.
  ///   - version: The row's version, which its first update raises by one.
  /// - Returns: The row's key; nil if another row has the same unique values. Nothing was written then.
  mutating func insert(
    _ entity: EntityIndex, key: Int64?, values: [AttributeValue], version: Int64
  ) throws(StoreError) -> Int64?

  /// Writes some attributes of a row and raises its version by one.
  ///
  /// - Parameters:
  ///   - id: The row; its ID is permanent.
  ///   - values: The attributes by index, with their new values; references are permanent.
  ///   - version: The version that the row must have; nil for any.
  mutating func update(
    _ id: ManagedObjectID, values: [(index: Int, value: AttributeValue)], version: Int64?
  ) throws(StoreError) -> RowUpdate

  /// Deletes a row.
  ///
  /// - Parameters:
  ///   - id: The row; its ID is permanent.
  ///   - version: The version that the row must have; nil for any.
  /// - Returns: True if the row existed.
  mutating func delete(_ id: ManagedObjectID, version: Int64?) throws(StoreError) -> Bool

  /// Returns a row's values and version; nil if it does not exist.
  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)?

  /// Returns the key for the row with these values; nil if no row has them. The attributes are unique
  /// together.
  func key(
    of entity: EntityIndex, having values: [(index: Int, value: AttributeValue)]
  ) throws(StoreError) -> Int64?

  /// Returns the keys of the rows that match a predicate.
  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64]

  /// Returns the first reference to a missing row; nil if all are valid. It is called once, after a change
  /// set's steps.
  func brokenReference() throws(StoreError) -> ValidationError?

  /// Writes a batch and records the changes.
  mutating func apply(
    _ batch: BatchChange, model: ManagedObjectModel, noting changes: inout ContextChanges
  ) throws(StoreError)
}

/// The outcome of a row update.
public enum RowUpdate: Sendable {
  /// The row was written.
  case written
  /// The row has another version or is gone. Nothing was written.
  case stale
  /// Another row has the same unique values. Nothing was written.
  case notUnique
}

extension StoreTransaction {
  public func key(
    of entity: EntityIndex, having values: [(index: Int, value: AttributeValue)]
  ) throws(StoreError) -> Int64? {
    try keys(of: entity, where: .all(values.map { .compare($0.index, .equal, $0.value) })).first
  }

  /// Writes a batch row by row. A store can implement a faster way.
  public mutating func apply(
    _ batch: BatchChange, model: ManagedObjectModel, noting changes: inout ContextChanges
  ) throws(StoreError) {
    try applyRowByRow(batch, model, &changes)
  }

  /// Writes a batch row by row. The error then names the row that cannot be written.
  public mutating func applyRowByRow(
    _ batch: BatchChange, _ model: ManagedObjectModel, _ changes: inout ContextChanges
  ) throws(StoreError) {
    switch batch {
    case .upsert(let upsert): try apply(upsert, model, &changes)
    case .update(let batch): try updateRowByRow(batch, model, &changes)
    case .edit(let batch): try apply(batch, model, &changes)
    case .delete(let batch):
      let versions = batch.chosen.map {
        Dictionary($0.map { ($0.id.key, $0.version) }, uniquingKeysWith: { first, _ in first })
      }
      for key in try keys(of: batch.entity, where: batch.predicate) {
        let id = ManagedObjectID(entity: batch.entity, store: store, key: key)
        if let versions, versions[key] == nil { continue }
        if try delete(id, version: versions?[key]) { changes.formUnion(ContextChanges(deleted: [id])) }
      }
    }
  }

  private mutating func apply(
    _ batch: BatchUpsert, _ model: ManagedObjectModel, _ changes: inout ContextChanges
  ) throws(StoreError) {
    let (entity, columns) = (batch.rows.entity, batch.rows.columns)
    for row in 0..<batch.rows.count {
      let values = values(ofRow: row, in: batch, model)
      let unique = batch.unique.map { ($0, values[$0]) }
      let known = unique.isEmpty ? nil : try key(of: entity, having: unique)
      guard let known else {
        if let exclusion = batch.exclusion {
          let mark =
            [(exclusion.attribute, AttributeValue.integer(exclusion.values[row]))]
            + exclusion.shared.map { ($0.mark, values[$0.row]) }
          if try self.key(of: exclusion.entity, having: mark) != nil { continue }
        }
        guard let key = try insert(entity, key: nil, values: values, version: 1) else {
          throw try takenValues(ofRow: row, in: batch, model, changes)
        }
        changes.inserted.insert(ManagedObjectID(entity: entity, store: store, key: key))
        continue
      }
      let id = ManagedObjectID(entity: entity, store: store, key: known)
      guard let stored = try self.row(id)?.values else { continue }
      if let mark = batch.changeMark, stored[mark] == values[mark] { continue }
      let left = Set(batch.unique + batch.kept)
      var written = columns.filter { !left.contains($0) }.map { (index: $0, value: values[$0]) }
      if let counter = batch.editCounter, case .integer(let edits) = stored[counter] {
        written.removeAll { $0.index == counter }
        written.append((counter, .integer(edits + 1)))
      }
      switch try update(id, values: written, version: nil) {
      case .written: break
      case .stale: continue
      case .notUnique: throw try takenValues(ofRow: row, in: batch, model, changes)
      }
      guard batch.isReported, !changes.inserted.contains(id) else { continue }
      changes.updated[id, default: []].formUnion(batch.written)
    }
  }

  private mutating func apply(
    _ batch: BatchEdit, _ model: ManagedObjectModel, _ changes: inout ContextChanges
  ) throws(StoreError) {
    var stale: [Int] = []
    for row in 0..<batch.rows.count {
      let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: batch.rows.keys[row])
      let values = batch.rows.columns.enumerated().map {
        (index: $0.element, value: batch.rows.value(row: row, column: $0.offset, model: model))
      }
      switch try update(id, values: values, version: batch.rows.versions[row]) {
      case .written: noteWritten(id, by: batch, &changes)
      case .stale: stale.append(row)
      case .notUnique: throw try takenValues(ofRow: row, in: batch, model, changes)
      }
    }
    if !stale.isEmpty { throw try conflict(ofRows: stale, in: batch, model) }
  }

  /// Records a row that an edit has written.
  public func noteWritten(_ id: ManagedObjectID, by batch: BatchEdit, _ changes: inout ContextChanges) {
    if !changes.inserted.contains(id) { changes.updated[id, default: []].formUnion(batch.written) }
  }

  /// Returns the error for edited rows that another context has changed or deleted.
  ///
  /// - Parameters:
  ///   - rows: The rows' positions in the batch.
  ///   - batch: The batch.
  ///   - model: The model.
  public func conflict(
    ofRows rows: [Int], in batch: BatchEdit, _ model: ManagedObjectModel
  ) throws(StoreError) -> StoreError {
    let entity = model[batch.rows.entity]
    var conflicts: [MergeConflict] = []
    for row in rows {
      let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: batch.rows.keys[row])
      let stored = try self.row(id)?.values
      var values: (new: [String: AttributeValue], stored: [String: AttributeValue]) = ([:], [:])
      for (column, index) in batch.rows.columns.enumerated() {
        let name = entity.attributes[index].name
        values.new[name] = batch.rows.value(row: row, column: column, model: model)
        if let stored { values.stored[name] = stored[index] }
      }
      conflicts.append(
        MergeConflict(
          object: id, entity: entity.name, kind: stored == nil ? .deleted : .changed,
          objectValues: values.new, storeValues: values.stored))
    }
    return .conflict(conflicts)
  }

  /// Returns the error for an edited row that cannot be written because another row has its unique values:
  /// ``StoreError/validation(_:)`` with ``ValidationError/Cause/taken(values:by:)``.
  public func takenValues(
    ofRow row: Int, in batch: BatchEdit, _ model: ManagedObjectModel, _ changes: ContextChanges
  ) throws(StoreError) -> StoreError {
    let entity = batch.rows.entity
    let id = ManagedObjectID(entity: entity, store: store, key: batch.rows.keys[row])
    var whole = try self.row(id)?.values ?? model[entity].defaults
    for (column, index) in batch.rows.columns.enumerated() {
      whole[index] = batch.rows.value(row: row, column: column, model: model)
    }
    return try takenValues(among: whole, of: entity, id, model, changes)
  }

  /// Sets the same values in all matching rows, one after the other.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for the first row with unique values that belong to another row.
  public mutating func updateRowByRow(
    _ batch: BatchUpdate, _ model: ManagedObjectModel, _ changes: inout ContextChanges
  ) throws(StoreError) {
    for key in try keys(of: batch.entity, where: batch.predicate) {
      let id = ManagedObjectID(entity: batch.entity, store: store, key: key)
      if try update(id, values: batch.values, version: nil) == .notUnique {
        var whole = try row(id)?.values ?? model[batch.entity].defaults
        for (index, value) in batch.values { whole[index] = value }
        throw try takenValues(among: whole, of: batch.entity, id, model, changes)
      }
      guard !changes.inserted.contains(id) else { continue }
      changes.updated[id, default: []].formUnion(AttributeSet(indexes: batch.values.map(\.index)))
    }
  }

  /// Returns a batch row's new values, one for each attribute.
  private func values(
    ofRow row: Int, in batch: BatchUpsert, _ model: ManagedObjectModel
  ) -> [AttributeValue] {
    var rows = batch.rows
    rows.store = store
    var values = model[rows.entity].defaults
    for (place, column) in rows.columns.enumerated() {
      values[column] = rows.value(row: row, column: place, model: model)
    }
    return values
  }

  /// Returns the error for a batch row that cannot be written because another row has its unique values.
  ///
  /// - Parameters:
  ///   - row: The row's position in the batch.
  ///   - batch: The batch.
  ///   - model: The model.
  ///   - changes: The save's changes so far.
  /// - Returns: ``StoreError/validation(_:)`` with ``ValidationError/Cause/taken(values:by:)``.
  public func takenValues(
    ofRow row: Int, in batch: BatchUpsert, _ model: ManagedObjectModel, _ changes: ContextChanges
  ) throws(StoreError) -> StoreError {
    let entity = batch.rows.entity
    let values = values(ofRow: row, in: batch, model)
    let unique = batch.unique.map { ($0, values[$0]) }
    guard !unique.isEmpty, let key = try key(of: entity, having: unique) else {
      return try takenValues(among: values, of: entity, nil, model, changes)
    }
    let id = ManagedObjectID(entity: entity, store: store, key: key)
    var whole = try self.row(id)?.values ?? values
    for index in batch.rows.columns where batch.written.contains(AttributeSet(index: index)) {
      whole[index] = values[index]
    }
    return try takenValues(among: whole, of: entity, id, model, changes)
  }

  /// Returns the same error for an object's new values, one for each attribute.
  private func takenValues(
    among values: [AttributeValue], of index: EntityIndex, _ object: ManagedObjectID?,
    _ model: ManagedObjectModel, _ changes: ContextChanges
  ) throws(StoreError) -> StoreError {
    let entity = model[index]
    guard let owner = try owners(of: index, values, besides: object, model).first else {
      return .invalid("\(entity.name) has unique values of another row")
    }
    return .validation(
      ValidationError(
        entity: entity.name,
        attribute: owner.constraint.map { entity.attributes[$0].name }.joined(separator: ", "),
        object: object,
        cause: .taken(
          values: owner.constraint.map { values[$0] },
          by: changes.inserted.contains(owner.id) ? nil : owner.id)))
  }

  /// Returns the rows that have the same values in a uniqueness constraint.
  func owners(
    of entity: EntityIndex, _ values: [AttributeValue], besides id: ManagedObjectID?,
    _ model: ManagedObjectModel
  ) throws(StoreError) -> [UniqueOwner] {
    var found: [UniqueOwner] = []
    for constraint in model[entity].uniqueness {
      guard !constraint.contains(where: { values[$0].isNull }),
        let key = try key(of: entity, having: constraint.map { ($0, values[$0]) }), key != id?.key
      else { continue }
      found.append(
        UniqueOwner(id: ManagedObjectID(entity: entity, store: store, key: key), constraint: constraint))
    }
    return found
  }
}

/// A row that already has the values in a uniqueness constraint.
struct UniqueOwner {
  let id: ManagedObjectID
  let constraint: [Int]
}
