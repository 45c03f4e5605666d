internal import ManagedContext

extension ChangeSet {
  /// Returns the changes with texts that the server can keep: invalid UTF-8 becomes U+FFFD.
  ///
  /// - Throws: ``StoreError/invalid(_:)`` for a text with U+0000, which the server cannot keep.
  func withServerText(_ model: ManagedObjectModel) throws(StoreError) -> ChangeSet {
    var changes = self
    for insertion in insertions { try Self.check(insertion.values, of: insertion.id.entity, model) }
    for update in updates { try Self.check(update.values, of: update.id.entity, model) }
    for (place, batch) in batches.enumerated() {
      switch batch {
      case .upsert(var batch):
        batch.rows = try batch.rows.withServerText(model)
        changes.batches[place] = .upsert(batch)
      case .edit(var batch):
        batch.rows = try batch.rows.withServerText(model)
        changes.batches[place] = .edit(batch)
      case .update(let batch):
        for (index, value) in batch.values { try Self.check(value, index, of: batch.entity, model) }
      case .delete: break
      }
    }
    return changes
  }

  private static func check(
    _ values: [AttributeValue], of entity: EntityIndex, _ model: ManagedObjectModel
  ) throws(StoreError) {
    for (index, value) in values.enumerated() { try check(value, index, of: entity, model) }
  }

  private static func check(
    _ value: AttributeValue, _ attribute: Int, of entity: EntityIndex, _ model: ManagedObjectModel
  ) throws(StoreError) {
    guard case .text(let text) = value, text.utf8.contains(0) else { return }
    throw .containsNUL(attribute, of: model[entity])
  }
}

extension RowBatch {
  /// Returns the rows with texts that the server can keep; see ``ChangeSet/withServerText(_:)``.
  func withServerText(_ model: ManagedObjectModel) throws(StoreError) -> RowBatch {
    var rows = RowBatch(entity: entity, columns: columns)
    rows.store = store
    for row in 0..<count {
      rows.beginRow(key: keys[row], version: versions[row])
      for column in columns.indices {
        switch cell(row: row, column: column) {
        case .text(let offset, let count):
          let text = string(offset: offset, count: count)
          if text.utf8.contains(0) { throw .containsNUL(columns[column], of: model[entity]) }
          rows.append(text: text)
        case .bytes(let offset, let count):
          rows.append(.bytes(Array(bytes[Int(offset)..<Int(offset) + Int(count)])))
        case let cell: rows.append(cell)
        }
      }
    }
    return rows
  }
}

extension StoreError {
  fileprivate static func containsNUL(_ attribute: Int, of entity: EntityDescription) -> StoreError {
    .invalid(
      "\(entity.name).\(entity.attributes[attribute].name) contains U+0000, which PostgreSQL cannot keep")
  }
}
