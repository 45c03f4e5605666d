internal import ManagedContext
internal import SQLStatements

/// A row that a statement writes by its key.
struct KeyedRow {
  /// The change set's place in the group.
  let set: Int
  let id: ManagedObjectID
  /// The version that the row must have, or 0 for any; for a new row, its first version.
  let version: Int64
  /// The values for the statement's attributes, in order; empty if they are in a batch.
  var values: [AttributeValue] = []
  /// The row's place in its batch, and the batch's number in the group or in the statement.
  var (row, batch) = (0, 0)

  init(
    set: Int, id: ManagedObjectID, version: Int64, values: [AttributeValue] = [], row: Int = 0, batch: Int = 0
  ) {
    (self.set, self.id, self.version, self.values) = (set, id, version, values)
    (self.row, self.batch) = (row, batch)
  }
}

/// A statement in a ``GroupPlan``: one entity's rows from one or several change sets.
struct GroupStatement {
  enum Kind: Hashable {
    case deletion
    /// New values for some object attributes.
    case update([Int])
    /// New values for some attributes of batch rows.
    case edit([Int])
    case insertion
    case upsert(UpsertShape, isReported: Bool)
    /// A batch that chooses its rows by a predicate, alone in its statement.
    case predicate
  }

  /// Rows for an upsert.
  struct Piece {
    let batch: BatchUpsert
    let range: Range<Int>
    let set: Int
  }

  let kind: Kind
  let entity: EntityIndex
  /// The entity that excludes rows from the statement.
  private let excluding: EntityIndex?
  /// Hashes of its row keys, or of the unique values in an upsert's rows.
  private(set) var identities: Set<Int> = []
  private(set) var rows: [KeyedRow] = []
  private var batches: [RowBatch] = []
  private var lastBatch: Int?
  private(set) var pieces: [Piece] = []
  private(set) var batch: (BatchChange, set: Int)?
  /// The keys for an upsert's new rows. Rows without one get the next key from the sequence.
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

  /// The row count.
  var count: Int { pieces.reduce(rows.count) { $0 + $1.range.count } }

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
    case (.upsert(let one, _), .upsert(let other, _)):
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
    case .upsert(let shape, _): return shape.columns.contains(where: isReference)
    }
  }

  // MARK: SQL

  /// Returns the statement, and those that belong before and after it.
  ///
  /// - Parameter kept: The attributes that the history keeps when the entity's rows are deleted.
  func statements(_ model: ManagedObjectModel, kept: [Int]) -> [Statement] {
    let statement = statement(model, kept: kept)
    return kind == .predicate ? [Self.anyPlan("on"), statement, Self.anyPlan("off")] : [statement]
  }

  /// The place of the statement's result in the results of ``statements(_:kept:)``, and their count.
  var results: (place: Int, count: Int) { kind == .predicate ? (1, 3) : (0, 1) }

  /// Returns a statement that allows any plan, for rows that are chosen by a predicate, or forbids it again.
  static func anyPlan(_ value: String) -> Statement {
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
      case .update(let update): return StatementBuilder.updateAll(update, model).statement
      case .delete(let deletion):
        return StatementBuilder.deleteAll(deletion, returning: kept, model).statement
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

  /// The rows in key order, in which all processes lock them. New rows already have this order.
  var ordered: [KeyedRow] { kind == .insertion ? rows : rows.sorted { $0.id.key < $1.id.key } }

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
}
