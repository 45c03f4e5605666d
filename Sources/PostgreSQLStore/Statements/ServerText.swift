internal import ManagedContext

extension ChangeSet {
  /// Returns the changes with texts that the server can keep: invalid UTF-8 becomes U+FFFD.
  ///
  /// - Throws: ``StoreError/validation(_:)`` or ``StoreError/validations(_:)`` for texts with U+0000, which the
  ///   server cannot keep.
  func withServerText(_ model: ManagedObjectModel) throws(StoreError) -> ChangeSet {
    var changes = self
    let rows = insertions.map { ($0.id, $0.values) } + updates.map { ($0.id, $0.values) }
    let broken = rows.flatMap { id, values in
      values.enumerated().filter { $0.element.containsNUL }.map { attribute, _ in
        ValidationError(containsNUL: attribute, of: model[id.entity], id)
      }
    }
    if let first = broken.first { throw broken.count == 1 ? .validation(first) : .validations(broken) }
    for (place, batch) in batches.enumerated() {
      switch batch {
      case .upsert(var batch):
        batch.rows = try batch.rows.withServerText(model)
        changes.batches[place] = .upsert(batch)
      case .edit(var batch):
        batch.rows = try batch.rows.withServerText(model)
        changes.batches[place] = .edit(batch)
      case .update(let batch):
        for (index, value) in batch.values where value.containsNUL {
          throw .validation(ValidationError(containsNUL: index, of: model[batch.entity], nil))
        }
      case .delete: break
      }
    }
    return changes
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
          if text.utf8.contains(0) {
            let id = keys[row] > 0 ? ManagedObjectID(entity: entity, store: store, key: keys[row]) : nil
            throw .validation(ValidationError(containsNUL: columns[column], of: model[entity], id))
          }
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

extension AttributeValue {
  fileprivate var containsNUL: Bool {
    if case .text(let text) = self { text.utf8.contains(0) } else { false }
  }
}

extension ValidationError {
  fileprivate init(containsNUL attribute: Int, of entity: EntityDescription, _ object: ManagedObjectID?) {
    self.init(
      entity: entity.name, attribute: entity.attributes[attribute].name, object: object,
      cause: .rule("contains U+0000, which PostgreSQL cannot keep"))
  }
}
