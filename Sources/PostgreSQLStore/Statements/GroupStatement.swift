internal import ManagedContext

/// A row that a statement writes by its key.
struct KeyedRow {
  /// The place of its change set in the group.
  let set: Int
  let id: ManagedObjectID
  /// The version that the row must have; 0 for any, and the first one of a new row.
  let version: Int64
  /// The values of the statement's attributes, in order; empty if they are in a batch.
  var values: [AttributeValue] = []
  /// The row's place in its batch, and the batch's number in the group; in a statement, its place in the statement.
  var (row, batch) = (0, 0)

  init(
    set: Int, id: ManagedObjectID, version: Int64, values: [AttributeValue] = [], row: Int = 0, batch: Int = 0
  ) {
    (self.set, self.id, self.version, self.values) = (set, id, version, values)
    (self.row, self.batch) = (row, batch)
  }
}

/// The fields of a batch that decide about the text of its statement.
struct UpsertForm: Hashable {
  let columns: [Int]
  let unique: [Int]
  let changeMark: Int?
  let editCounter: Int?
  let kept: [Int]
  let isReported: Bool
  let excluding: EntityIndex?
  let excludingAttributes: [Int]

  init(_ batch: BatchUpsert) {
    (columns, unique, changeMark) = (batch.rows.columns, batch.unique, batch.changeMark)
    (editCounter, kept, isReported) = (batch.editCounter, batch.kept, batch.isReported)
    excluding = batch.exclusion?.entity
    excludingAttributes =
      batch.exclusion.map { [$0.attribute] + $0.shared.flatMap { [$0.mark, $0.row] } } ?? []
  }
}

/// A statement of a ``GroupPlan``: rows of one entity from one or several change sets.
struct GroupStatement {
  enum Kind: Hashable {
    case deletion
    /// New values for some attributes of objects.
    case update([Int])
    /// New values for some attributes of rows of batches.
    case edit([Int])
    case insertion
    case upsert(UpsertForm)
    /// A batch that chooses its rows by a predicate, alone in its statement.
    case predicate
  }

  /// Rows of an upsert.
  private struct Piece {
    let batch: BatchUpsert
    let range: Range<Int>
    let set: Int
  }

  let kind: Kind
  let entity: EntityIndex
  /// The entity whose rows exclude rows of the statement.
  private let excluding: EntityIndex?
  /// Hashes of the keys of its rows, or of the unique values of an upsert's rows.
  private(set) var identities: Set<Int> = []
  private var rows: [KeyedRow] = []
  private var batches: [RowBatch] = []
  private var lastBatch: Int?
  private var pieces: [Piece] = []
  private var batch: (BatchChange, set: Int)?
  /// The keys for the new rows of an upsert. Rows without one get the next key of the sequence.
  private(set) var keys: [Int64] = []

  init(_ kind: Kind, _ entity: EntityIndex, excluding: EntityIndex? = nil) {
    (self.kind, self.entity, self.excluding) = (kind, entity, excluding)
  }

  init(_ kind: Kind, _ entity: EntityIndex, _ batch: BatchChange, _ set: Int) {
    self.init(kind, entity)
    self.batch = (batch, set)
  }

  mutating func add(_ row: KeyedRow, of batch: RowBatch?) {
    var row = row
    if let batch {
      if row.batch != lastBatch { batches.append(batch) }
      lastBatch = row.batch
      row.batch = batches.count - 1
    }
    identities.insert(Int(truncatingIfNeeded: row.id.key))
    rows.append(row)
  }

  mutating func add(_ batch: BatchUpsert, _ range: Range<Int>, _ set: Int, _ identities: Set<Int>) {
    pieces.append(Piece(batch: batch, range: range, set: set))
    if self.identities.isEmpty { self.identities = identities } else { self.identities.formUnion(identities) }
  }

  /// The number of rows.
  var count: Int { pieces.reduce(rows.count) { $0 + $1.range.count } }

  /// True if it inserts rows.
  var insertsRows: Bool {
    switch kind {
    case .insertion, .upsert: true
    case .deletion, .update, .edit, .predicate: false
    }
  }

  mutating func takeKeys(from blocks: inout KeyBlocks) {
    if case .upsert = kind { keys = blocks.take(count, of: entity) }
  }

  /// Returns whether rows that are added later must be written after this statement.
  func mustPrecede(
    _ kind: Kind, _ entity: EntityIndex, _ identities: some Collection<Int>, _ excluding: EntityIndex?
  ) -> Bool {
    if self.kind == .predicate || kind == .predicate { return true }
    if entity != self.entity { return self.excluding == entity || excluding == self.entity }
    switch (self.kind, kind) {
    case (.deletion, .deletion), (.deletion, .update), (.deletion, .edit), (.update, .deletion),
      (.update, .update),
      (.update, .edit), (.edit, .deletion), (.edit, .update), (.edit, .edit):
      return !self.identities.isDisjoint(with: identities)
    case (.upsert(let one), .upsert(let other)):
      return one.unique.isEmpty || one.unique != other.unique || !self.identities.isDisjoint(with: identities)
    default: return true
    }
  }

  func mayBreakReferences(_ model: ManagedObjectModel) -> Bool {
    let isReference = { (attribute: Int) in model[entity].attributes[attribute].type == .reference }
    switch kind {
    case .deletion, .predicate: return true
    case .update(let attributes), .edit(let attributes): return attributes.contains(where: isReference)
    case .insertion: return model[entity].attributes.indices.contains(where: isReference)
    case .upsert(let form): return form.columns.contains(where: isReference)
    }
  }

  // MARK: SQL

  /// Returns the statement, and those that belong before and after it.
  ///
  /// - Parameter kept: The attributes whose values the history keeps of deleted rows of the entity.
  func statements(_ model: ManagedObjectModel, kept: [Int]) -> [Statement] {
    let statement = statement(model, kept: kept)
    return kind == .predicate ? [Self.anyPlan("on"), statement, Self.anyPlan("off")] : [statement]
  }

  /// The place of the statement's result in the results of ``statements(_:kept:)``, and their number.
  var results: (place: Int, count: Int) { kind == .predicate ? (1, 3) : (0, 1) }

  /// Returns a statement that allows any plan, for rows that are chosen by a predicate, or forbids it again.
  private static func anyPlan(_ value: String) -> Statement {
    let settings = ["hashjoin", "mergejoin", "seqscan"].map { "set_config('enable_\($0)', '\(value)', true)" }
    return Statement("SELECT \(settings.joined(separator: ", "))")
  }

  private func statement(_ model: ManagedObjectModel, kept: [Int]) -> Statement {
    let description = model[entity]
    let rows = ordered
    switch kind {
    case .deletion:
      var input = ArrayInput(model)
      addKeys(rows, to: &input, versions: true)
      input.builder.append(
        """
        DELETE FROM \(description.table) AS row USING \(input.table) WHERE row.id = input.key \
        AND (input.old_version = 0 OR row.version = input.old_version) \
        RETURNING \((["row.id", "row.version"] + kept.map { "row.\(description.column($0))" } + ["input.place"]).joined(separator: ", "))
        """)
      return input.builder.statement
    case .update(let attributes), .edit(let attributes):
      var input = ArrayInput(model)
      addKeys(rows, to: &input, versions: true)
      addValues(attributes, rows, description, to: &input)
      let settings = attributes.enumerated().map { "\(description.column($0.element)) = input.c\($0.offset)" }
      input.builder.append(
        """
        UPDATE \(description.table) AS row SET \((settings + ["version = row.version + 1"]).joined(separator: ", ")) \
        FROM \(input.table) WHERE row.id = input.key AND row.version = input.old_version RETURNING input.place
        """)
      return input.builder.statement
    case .insertion:
      var input = ArrayInput(model)
      let attributes = Array(description.attributes.indices)
      addKeys(rows, to: &input, versions: false)
      addValues(attributes, rows, description, to: &input)
      let names = ["id", "version"] + attributes.map(description.column)
      let values = ["input.key", "1"] + attributes.indices.map { "input.c\($0)" }
      input.builder.append(
        """
        INSERT INTO \(description.table) (\(names.joined(separator: ", "))) \
        SELECT \(values.joined(separator: ", ")) FROM \(input.table) ORDER BY input.place
        """)
      return input.builder.statement
    case .upsert: return upsert(model)
    case .predicate:
      guard let batch else { preconditionFailure("a statement with a predicate has a batch") }
      switch batch.0 {
      case .update(let update): return StatementBuilder.updateAll(update, model)
      case .delete(let deletion): return StatementBuilder.deleteAll(deletion, returning: kept, model)
      case .upsert, .edit: preconditionFailure("the batch has rows instead of a predicate")
      }
    }
  }

  private func addKeys(_ rows: [KeyedRow], to input: inout ArrayInput, versions: Bool) {
    input.add(.integer, "key") { $0.append(rows.map(\.id.key)) }
    if versions { input.add(.integer, "old_version") { $0.append(rows.map(\.version)) } }
  }

  private func addValues(
    _ attributes: [Int], _ rows: [KeyedRow], _ entity: EntityDescription, to input: inout ArrayInput
  ) {
    for (place, attribute) in attributes.enumerated() {
      let type = entity.serverType(attribute)
      input.add(type, "c\(place)") { parameters in
        parameters.appendArray(of: type, count: rows.count) { parameters in
          for row in rows {
            if batches.isEmpty {
              parameters.writeElement(row.values[place], type)
            } else {
              let batch = batches[row.batch]
              parameters.writeElement(batch.cell(row: row.row, column: place), batch, type)
            }
          }
        }
      }
    }
  }

  /// The rows in the order of their keys, in which all processes lock them. New rows are in it already.
  private var ordered: [KeyedRow] { kind == .insertion ? rows : rows.sorted { $0.id.key < $1.id.key } }

  private func upsert(_ model: ManagedObjectModel) -> Statement {
    guard let first = pieces.first?.batch else { preconditionFailure("an upsert has rows") }
    let description = model[entity]
    var input = ArrayInput(model)
    for (place, index) in first.rows.columns.enumerated() {
      let type = description.serverType(index)
      input.add(type, "c\(place)") { parameters in
        parameters.appendArray(of: type, count: count) { parameters in
          for piece in pieces {
            let rows = piece.batch.rows
            for row in piece.range { parameters.writeElement(rows.cell(row: row, column: place), rows, type) }
          }
        }
      }
    }
    if first.exclusion != nil {
      input.add(.integer, "excluded_by") { parameters in
        parameters.append(pieces.flatMap { piece in piece.batch.exclusion?.values[piece.range] ?? [] })
      }
    }
    let table = input.table
    let keys = input.builder.place { $0.append(self.keys) }
    input.builder.append(Upsert(first, model).grouped(from: table, keys: keys))
    return input.builder.statement
  }

  // MARK: Results

  enum Outcome {
    /// All rows were written.
    case written
    /// Another writer has changed or deleted a row of a change set, or inserted it at the same time.
    case overtaken(set: Int?)
  }

  /// Notes the result of the statement.
  ///
  /// - Parameters:
  ///   - results: The results of the change sets.
  ///   - deleted: The values of deleted rows that the history keeps.
  ///   - blocks: Gets back the keys that were not needed.
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

  /// Returns the change set of the first row that a statement did not write.
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

  /// Notes the rows of an upsert: updated ones, the keys of those that were missing, and the number of inserted ones.
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
      // Keys of missing rows that another writer has inserted at the same time are not used.
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
