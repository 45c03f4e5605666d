internal import ManagedContext
internal import SQLStatements

/// Executes the steps of change sets as SQL, inside an open transaction.
///
/// A step is a round trip to the server. Batches are written with the statements of a ``GroupPlan``.
final class ServerTransaction: StoreTransaction {
  let connection: Connection
  let model: ManagedObjectModel
  let name: String
  let store: StoreNumber
  /// The values of deleted rows that the history keeps.
  private(set) var deletedValues: [ManagedObjectID: [AttributeValue]] = [:]
  private let keepsDeletedValues: Bool
  /// True if a reference may lead to a missing row since the last check.
  private var mayHaveBroken = false

  init(
    _ connection: Connection, _ model: ManagedObjectModel, name: String, store: StoreNumber,
    keepsDeletedValues: Bool
  ) {
    (self.connection, self.model, self.name, self.store) = (connection, model, name, store)
    self.keepsDeletedValues = keepsDeletedValues
  }

  // MARK: Rows

  func insert(
    _ entity: EntityIndex, key: Int64?, values: [AttributeValue], version: Int64
  ) throws(StoreError) -> Int64? {
    let description = model[entity]
    var builder = StatementBuilder(model)
    var (names, places) = (["version"], [builder.place { $0.append(version) }])
    if let key {
      names.append("id")
      places.append(builder.place { $0.append(key) })
    }
    for (index, value) in values.enumerated() {
      names.append(description.column(index))
      places.append(builder.place(of: value, description.attributes[index].type) ?? "NULL")
    }
    builder.append(
      """
      INSERT INTO \(description.table) (\(names.joined(separator: ", "))) \
      VALUES (\(places.joined(separator: ", "))) ON CONFLICT DO NOTHING RETURNING id
      """)
    let result = try run(builder.statement)
    guard result.count > 0 else { return nil }
    if let key { try reserve(key, of: description) }
    mayHaveBroken = true
    return result.integer(0, 0)
  }

  /// Makes sure that no later row gets a key that was chosen.
  func reserve(_ key: Int64, of entity: EntityDescription) throws(StoreError) {
    try run(Statement(Tables.raiseSequence(of: entity), .integer(key)))
  }

  func update(
    _ id: ManagedObjectID, values: [(index: Int, value: AttributeValue)], version: Int64?
  ) throws(StoreError) -> RowUpdate {
    let entity = model[id.entity]
    var builder = StatementBuilder(model, "UPDATE \(entity.table) SET ")
    for (index, value) in values {
      let place = builder.place(of: value, entity.attributes[index].type) ?? "NULL"
      builder.append("\(entity.column(index)) = \(place), ")
    }
    builder.append("version = version + 1 WHERE id = ")
    builder.append(builder.place { $0.append(id.key) })
    if let version {
      builder.append(" AND version = ")
      builder.append(builder.place { $0.append(version) })
    }
    mayHaveBroken = mayHaveBroken || values.contains { $0.value.isReferenceToRow }
    let statement = builder.statement
    guard values.contains(where: { entity.isUnique($0.index) }) else {
      return try run(statement).written > 0 ? .written : .stale
    }
    return try unlessTaken { () throws(StoreError) in try run(statement).written > 0 ? .written : .stale }
      ?? .notUnique
  }

  func delete(_ id: ManagedObjectID, version: Int64?) throws(StoreError) -> Bool {
    let kept = keptAttributes(of: id.entity)
    mayHaveBroken = true
    let statement = StatementBuilder.delete(id, version: version, returning: kept, model).statement
    let result = try run(statement)
    if result.count > 0, !kept.isEmpty {
      let rows = try RowReader.rows(result, of: id.entity, columns: kept, store: store, model)
      deletedValues[id] = kept.indices.map { rows.value(row: 0, column: $0, model: model) }
    }
    return result.count > 0
  }

  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)? {
    let query = StoreQuery(entity: id.entity, predicate: .ids([id]))
    let columns = Array(model[id.entity].attributes.indices)
    let rows = try RowReader.rows(
      run(StatementBuilder.select(query, model)), of: id.entity, columns: columns, store: store, model)
    guard rows.count == 1 else { return nil }
    return (columns.map { rows.value(row: 0, column: $0, model: model) }, rows.versions[0])
  }

  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64] {
    let query = try StoreQuery(entity: entity, predicate: predicate, columns: []).namingFoldedText(model, run)
    return RowReader.numbers(try run(StatementBuilder.select(query, model)))
  }

  // MARK: References

  /// Checks the written references; before this call they may lead to rows that are inserted later.
  func brokenReference() throws(StoreError) -> ValidationError? {
    guard mayHaveBroken else { return nil }
    mayHaveBroken = false
    do throws(ServerError) {
      // In one message. The check does not end the deferral for the next change set.
      try connection.execute(
        "SAVEPOINT \(Self.savepoint); SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED; "
          + "RELEASE SAVEPOINT \(Self.savepoint)")
      return nil
    } catch {
      guard error.code == ErrorCode.foreignKey else { throw StoreError(error, store: name) }
    }
    // The steps that settle it are checked again.
    mayHaveBroken = true
    try execute("ROLLBACK TO SAVEPOINT \(Self.savepoint); SET CONSTRAINTS ALL DEFERRED")
    return try describingErrors(store: name) { try connection.brokenReference(model, store) }
      ?? ValidationError(entity: "a row", cause: .brokenRelationship)
  }

  // MARK: Batches

  /// Writes a batch with a group's statements. After a failure, writing row by row finds the cause.
  func apply(
    _ batch: BatchChange, model: ManagedObjectModel, noting changes: inout ContextChanges
  ) throws(StoreError) {
    let batch = try batch.namingFoldedText(model, run)
    if let statements = statements(of: batch) {
      mayHaveBroken = mayHaveBroken || statements.contains { $0.mayBreakReferences(model) }
      var written = changes
      if try unlessTaken({ () throws(StoreError) in try write(statements, noting: &written) }) != nil {
        changes = written
        return
      }
    }
    var transaction = self
    try transaction.applyRowByRow(batch, model, &changes)
  }

  /// Returns a batch's statements; nil if it can only be written row by row.
  private func statements(of batch: BatchChange) -> [GroupStatement]? {
    switch batch {
    case .update(let update): return [GroupStatement(.predicate, update.entity, batch, 0)]
    case .delete(let deletion): return [GroupStatement(.predicate, deletion.entity, batch, 0)]
    case .upsert, .edit: break
    }
    var set = ChangeSet(mergePolicy: .error)
    set.batches = [batch]
    var keys = KeyBlocks()
    return GroupPlan([set], model, store, keys: &keys)?.statements
  }

  /// - Returns: Nil if a row was not written.
  private func write(
    _ statements: [GroupStatement], noting changes: inout ContextChanges
  ) throws(StoreError) -> Void? {
    var results = [CommitResult()]
    results[0].changes = changes
    var keys = KeyBlocks()
    for statement in statements {
      let kept = keptAttributes(of: statement.entity)
      let found = try statement.statements(model, kept: kept).map { (part) throws(StoreError) in try run(part)
      }
      let outcome = statement.note(
        found[statement.results.place], model, store, kept: kept, in: &results, &deletedValues, &keys)
      if case .overtaken = outcome { return nil }
    }
    changes = results[0].changes
    return ()
  }

  // MARK: Deleted values

  private func keptAttributes(of entity: EntityIndex) -> [Int] {
    keepsDeletedValues ? model[entity].deletedAttributes : []
  }

  // MARK: Statements

  @discardableResult
  func run(_ statement: Statement) throws(StoreError) -> QueryResult {
    try describingErrors(store: name) { try connection.run(statement) }
  }

  func execute(_ text: String) throws(StoreError) {
    try describingErrors(store: name) { try connection.execute(text) }
  }

  private static let savepoint = "step"

  /// Runs a step that may violate a uniqueness constraint, and rolls it back in that case.
  ///
  /// - Returns: Nil if another row has the same unique values, or if `body` returns nil.
  private func unlessTaken<Value>(
    _ body: () throws(StoreError) -> Value?
  ) throws(StoreError) -> Value? {
    try execute("SAVEPOINT \(Self.savepoint)")
    do throws(StoreError) {
      if let value = try body() {
        try execute("RELEASE SAVEPOINT \(Self.savepoint)")
        return value
      }
    } catch {
      guard case .invalid = error, connection.lastCode == ErrorCode.unique else { throw error }
    }
    try execute("ROLLBACK TO SAVEPOINT \(Self.savepoint); RELEASE SAVEPOINT \(Self.savepoint)")
    return nil
  }
}

extension AttributeValue {
  fileprivate var isReferenceToRow: Bool {
    if case .reference = self { true } else { false }
  }
}
