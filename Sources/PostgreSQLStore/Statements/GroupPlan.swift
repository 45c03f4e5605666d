internal import ManagedContext
internal import SQLStatements

/// The statements that write a group's change sets in one round trip.
///
/// They assume that no change set has a conflict, so that merge policies play no part. Otherwise the
/// transaction is rolled back, and the change set with the conflict is written step by step
/// (``ServerTransaction``). Independent change sets share statements.
struct GroupPlan {
  private(set) var statements: [GroupStatement] = []
  /// A result for each change set, with the permanent IDs of its new objects.
  private(set) var results: [CommitResult]
  private let model: ManagedObjectModel
  private let store: StoreNumber
  /// The count of edit batches.
  private var edits = 0

  /// - Parameters:
  ///   - group: The change sets.
  ///   - keys: Keys for new rows, at least one for each new object. Keys that the plan may need are removed.
  /// - Returns: Nil if a change set can only be written step by step.
  init?(
    _ group: ArraySlice<ChangeSet>, _ model: ManagedObjectModel, _ store: StoreNumber, keys: inout KeyBlocks
  ) {
    (self.model, self.store) = (model, store)
    results = group.map { _ in CommitResult() }
    for (set, changes) in group.enumerated() {
      guard add(changes, set, &keys) else { return nil }
    }
    for place in statements.indices { statements[place].takeKeys(from: &keys) }
  }

  /// Returns the count of new objects for each entity.
  static func newObjects(in group: some Sequence<ChangeSet>) -> [EntityIndex: Int] {
    group.reduce(into: [:]) { counts, changes in
      for insertion in changes.insertions { counts[insertion.id.entity, default: 0] += 1 }
    }
  }

  /// True if a statement may write a reference, or delete a row that others refer to.
  var mayBreakReferences: Bool { statements.contains { $0.mayBreakReferences(model) } }

  // MARK: Change sets

  private mutating func add(_ changes: ChangeSet, _ set: Int, _ keys: inout KeyBlocks) -> Bool {
    let order = InsertionOrder(changes.insertions, model)
    // A reference in a circle is written by a second step, which raises the row's version.
    guard order.postponed.isEmpty else { return false }
    for deletion in changes.deletions {
      add(.deletion, deletion.id.entity, KeyedRow(set: set, id: deletion.id, version: deletion.version))
    }
    var new: [ManagedObjectID: ManagedObjectID] = [:]
    for place in order.steps {
      let temporary = changes.insertions[place].id
      guard let key = keys.take(temporary.entity) else { return false }
      new[temporary] = ManagedObjectID(entity: temporary.entity, store: store, key: key)
    }
    let resolved = { (values: [AttributeValue]) in
      values.map { $0.mappingID { $0.isTemporary ? new[$0] : $0 } }
    }
    var late: [ChangeSet.Update] = []
    for update in changes.updates {
      if !new.isEmpty, update.edited.contains(where: { update.values[$0].isTemporaryReference }) {
        late.append(update)
      } else {
        add(update, set, resolved)
      }
    }
    for place in order.steps {
      let insertion = changes.insertions[place]
      guard let id = new[insertion.id] else { return false }
      results[set].changes.permanentIDs[insertion.id] = id
      add(.insertion, id.entity, KeyedRow(set: set, id: id, version: 1, values: resolved(insertion.values)))
    }
    for update in late { add(update, set, resolved) }
    for batch in changes.batches {
      guard add(batch, set) else { return false }
    }
    return true
  }

  private mutating func add(
    _ update: ChangeSet.Update, _ set: Int, _ resolved: ([AttributeValue]) -> [AttributeValue]
  ) {
    let row = KeyedRow(
      set: set, id: update.id, version: update.version,
      values: resolved(update.edited.map { update.values[$0] }))
    add(.update(update.edited), update.id.entity, row)
  }

  private mutating func add(_ batch: BatchChange, _ set: Int) -> Bool {
    // Its texts are read first.
    if batch.predicate?.hasFoldedText == true { return false }
    switch batch {
    case .upsert(let batch):
      if batch.rows.count == 0 { return true }
      let kind = GroupStatement.Kind.upsert(UpsertShape(batch), isReported: batch.isReported)
      for part in batch.distinctParts {
        let place = place(of: kind, batch.rows.entity, part.identities, batch.exclusion?.entity)
        statements[place].add(batch, part.range, set, part.identities)
      }
    case .edit(let batch):
      edits += 1
      for row in 0..<batch.rows.count {
        let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: batch.rows.keys[row])
        add(
          .edit(batch.rows.columns), id.entity,
          KeyedRow(set: set, id: id, version: batch.rows.versions[row], row: row, batch: edits),
          of: batch.rows)
      }
    case .update(let update):
      let entity = model[update.entity]
      if update.values.contains(where: { entity.isUnique($0.index) }) { return false }
      statements.append(GroupStatement(.predicate, update.entity, batch, set))
    case .delete(let deletion):
      if model.hasDeleteRules(deletion.entity) { return false }
      statements.append(GroupStatement(.predicate, deletion.entity, batch, set))
    }
    return true
  }

  // MARK: Statements

  private mutating func add(
    _ kind: GroupStatement.Kind, _ entity: EntityIndex, _ row: KeyedRow, of rows: RowBatch? = nil
  ) {
    let identity = Int(truncatingIfNeeded: row.id.key)
    statements[place(of: kind, entity, CollectionOfOne(identity))].add(row, of: rows)
  }

  /// Returns the statement for such rows: an existing one, unless a later one writes the same rows.
  private mutating func place(
    of kind: GroupStatement.Kind, _ entity: EntityIndex, _ identities: some Collection<Int>,
    _ excluding: EntityIndex? = nil
  ) -> Int {
    for place in statements.indices.reversed() {
      let other = statements[place]
      if other.kind == kind, other.entity == entity, other.identities.isDisjoint(with: identities) {
        return place
      }
      if other.mustPrecede(kind, entity, identities, excluding) { break }
    }
    statements.append(GroupStatement(kind, entity, excluding: excluding))
    return statements.count - 1
  }
}

extension BatchUpsert {
  /// The rows in ranges in which all unique values differ, and hashes of these values.
  var distinctParts: [(range: Range<Int>, identities: Set<Int>)] {
    guard !unique.isEmpty else { return [(0..<rows.count, [])] }
    let places = unique.compactMap { rows.columns.firstIndex(of: $0) }
    var parts: [(range: Range<Int>, identities: Set<Int>)] = []
    var (start, seen): (Int, Set<Int>) = (0, Set(minimumCapacity: rows.count))
    for row in 0..<rows.count {
      guard let identity = rows.identity(row: row, columns: places), !seen.insert(identity).inserted else {
        continue
      }
      parts.append((start..<row, seen))
      (start, seen) = (row, [identity])
    }
    return parts + [(start..<rows.count, seen)]
  }
}

extension RowBatch {
  /// Returns a hash of some cells in a row; nil if one is null, which never equals another.
  fileprivate func identity(row: Int, columns: [Int]) -> Int? {
    var hasher = Hasher()
    for column in columns {
      switch cell(row: row, column: column) {
      case .null: return nil
      case .integer(let number): hasher.combine(number)
      case .real(let number), .date(let number): hasher.combine(number)
      case .text(let offset, let count), .bytes(let offset, let count):
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe hasher.combine(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + Int(count)]))
        }
      }
    }
    return hasher.finalize()
  }
}
