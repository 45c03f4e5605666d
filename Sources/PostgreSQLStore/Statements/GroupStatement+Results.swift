internal import ManagedContext

extension GroupStatement {
  enum Outcome {
    /// All rows were written.
    case written
    /// Another writer has changed or deleted a change set's row, or inserted it at the same time.
    case overtaken(set: Int?)
  }

  /// Notes the statement's result.
  ///
  /// - Parameters:
  ///   - results: The results for the change sets.
  ///   - deleted: The values of deleted rows that the history keeps.
  ///   - blocks: Receives unused keys back.
  func note(
    _ result: QueryResult, _ model: ManagedObjectModel, _ store: StoreNumber, kept: [Int],
    in results: inout [CommitResult], _ deleted: inout [ManagedObjectID: [AttributeValue]],
    _ blocks: inout KeyBlocks
  ) -> Outcome {
    switch kind {
    case .deletion, .update, .edit:
      let rows = ordered
      if result.count < rows.count { return .overtaken(set: missing(in: result, rows)) }
      for row in rows {
        if kind == .deletion {
          results[row.set].changes.deleted.insert(row.id)
        } else {
          noteUpdated(row, in: &results[row.set].changes)
        }
      }
      noteDeleted(result, model, store, kept, &deleted)
    case .insertion:
      for row in rows { results[row.set].changes.inserted.insert(row.id) }
      blocks.noteInserted(rows.count, of: entity)
    case .upsert: return noteUpserted(result, store, &results, &blocks)
    case .predicate:
      guard let batch else { break }
      let ids = (0..<result.count).compactMap { row in
        result.integer(row, 0).map { ManagedObjectID(entity: entity, store: store, key: $0) }
      }
      if case .update(let update) = batch.0 {
        let written = AttributeSet(indexes: update.values.map(\.index))
        for id in ids where !results[batch.set].changes.inserted.contains(id) {
          results[batch.set].changes.updated[id, default: []].formUnion(written)
        }
      } else {
        for id in ids { results[batch.set].changes.formUnion(ContextChanges(deleted: [id])) }
        noteDeleted(result, model, store, kept, &deleted)
      }
    }
    return .written
  }

  /// Returns the change set with the first row that a statement did not write.
  private func missing(in result: QueryResult, _ rows: [KeyedRow]) -> Int? {
    let column = result.columnCount - 1
    let written = Set((0..<result.count).compactMap { result.integer($0, column) })
    return rows.indices.first { !written.contains(Int64($0) + 1) }.map { rows[$0].set }
  }

  private func noteUpdated(_ row: KeyedRow, in changes: inout ContextChanges) {
    switch kind {
    case .update(let attributes):
      if !attributes.isEmpty { changes.updated[row.id, default: []].formUnion(.init(indexes: attributes)) }
    case .edit(let attributes):
      if !changes.inserted.contains(row.id) {
        changes.updated[row.id, default: []].formUnion(.init(indexes: attributes))
      }
    default: break
    }
  }

  private func noteDeleted(
    _ result: QueryResult, _ model: ManagedObjectModel, _ store: StoreNumber, _ kept: [Int],
    _ deleted: inout [ManagedObjectID: [AttributeValue]]
  ) {
    let isDeletion = if case .delete? = batch?.0 { true } else { kind == .deletion }
    guard isDeletion, !kept.isEmpty else { return }
    for row in 0..<result.count {
      guard let key = result.integer(row, 0) else { continue }
      let id = ManagedObjectID(entity: entity, store: store, key: key)
      deleted[id] = kept.enumerated().map { place, attribute in
        let value = result.value(row, place + 2, model[entity].attributes[attribute].type)
        guard case .integer(let key) = value, let destination = model.destination(of: attribute, in: entity)
        else {
          return value
        }
        return .reference(ManagedObjectID(entity: destination, store: store, key: key))
      }
    }
  }

  /// Notes an upsert's rows: updated ones, the keys of missing ones, and the count of inserted ones.
  private func noteUpserted(
    _ result: QueryResult, _ store: StoreNumber, _ results: inout [CommitResult], _ blocks: inout KeyBlocks
  ) -> Outcome {
    guard let batch = pieces.first?.batch else { return .written }
    let sets = pieces.flatMap { repeatElement($0.set, count: $0.range.count) }
    var (missing, inserted) = (0, 0)
    for row in 0..<result.count {
      guard let key = result.integer(row, 0), let what = result.integer(row, 1),
        let place = result.integer(row, 2)
      else { continue }
      let id = ManagedObjectID(entity: entity, store: store, key: key)
      switch what {
      case 0:
        let set = sets[Int(place) - 1]
        guard batch.isReported, !results[set].changes.inserted.contains(id) else { continue }
        results[set].changes.updated[id, default: []].formUnion(batch.written)
      case 1:
        missing += 1
        inserted += 1
        results[sets[Int(place) - 1]].changes.inserted.insert(id)
      // If another writer has inserted missing rows at the same time, their keys are not used.
      case 3: missing = Int(key)
      default:
        // Another writer has inserted a row with the same unique values at the same time.
        if key != missing { return .overtaken(set: nil) }
      }
    }
    blocks.putBack(keys.dropFirst(missing), of: entity)
    blocks.noteInserted(inserted, of: entity)
    return .written
  }
}
