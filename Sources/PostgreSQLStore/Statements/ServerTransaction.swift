internal import ManagedContext

/// Executes the steps of change sets as SQL, inside an open transaction.
///
/// A step is a round trip to the server. Batches write all of their rows with one statement.
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
    let entity = model[id.entity]
    let kept = keptAttributes(of: id.entity)
    var builder = StatementBuilder(model, "DELETE FROM \(entity.table) WHERE id = ")
    builder.append(builder.place { $0.append(id.key) })
    if let version {
      builder.append(" AND version = ")
      builder.append(builder.place { $0.append(version) })
    }
    builder.append(" RETURNING \((["id", "version"] + kept.map(entity.column)).joined(separator: ", "))")
    mayHaveBroken = true
    return try noteDeleted(run(builder.statement), of: id.entity, kept).count > 0
  }

  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)? {
    let query = StoreQuery(entity: id.entity, predicate: .ids([id]))
    let columns = Array(model[id.entity].attributes.indices)
    let rows = try RowReader.rows(
      run(StatementBuilder.select(query, model)), of: id.entity, columns: columns, store: store, model)
    guard rows.count == 1 else { return nil }
    return (columns.map { rows.value(row: 0, column: $0, model: model) }, rows.versions[0])
  }

  func key(
    of entity: EntityIndex, having values: [(index: Int, value: AttributeValue)]
  ) throws(StoreError) -> Int64? {
    try keys(of: entity, where: .all(values.map { .compare($0.index, .equal, $0.value) })).first
  }

  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64] {
    RowReader.numbers(try run(StatementBuilder.keys(of: entity, where: predicate, model)))
  }

  // MARK: References

  /// Checks the references that were written; until here they may lead to rows that are inserted later.
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
    return try findBrokenReference()
      ?? ValidationError(entity: "a row", cause: .brokenRelationship)
  }

  /// Returns the first reference to a row that does not exist, by scanning all tables.
  private func findBrokenReference() throws(StoreError) -> ValidationError? {
    for (place, entity) in model.entities.enumerated() {
      for (index, attribute) in entity.attributes.enumerated() {
        guard let destination = attribute.destination.flatMap(model.index(named:)) else { continue }
        let column = entity.column(index)
        let found = try run(
          Statement(
            """
            SELECT id FROM \(entity.table) AS row WHERE \(column) IS NOT NULL AND NOT EXISTS \
            (SELECT 1 FROM \(model[destination].table) AS target WHERE target.id = row.\(column)) ORDER BY id LIMIT 1
            """))
        guard found.count > 0, let key = found.integer(0, 0) else { continue }
        let id = ManagedObjectID(entity: EntityIndex(place), store: store, key: key)
        let values = try row(id)?.values
        return model.brokenReference(of: id, attribute: index) { attribute in
          if case .reference(let end)? = values?[attribute] { end } else { nil }
        }
      }
    }
    return nil
  }

  // MARK: Batches

  func apply(
    _ batch: BatchChange, model: ManagedObjectModel, noting changes: inout ContextChanges
  ) throws(StoreError) {
    switch batch {
    case .upsert(let batch): try write(batch, noting: &changes)
    case .edit(let batch): try write(batch, noting: &changes)
    case .update(let batch):
      mayHaveBroken = mayHaveBroken || batch.values.contains { $0.value.isReferenceToRow }
      let statement = StatementBuilder.updateAll(batch, model)
      let keys = try unlessTaken(of: model[batch.entity], batch.values.map(\.index)) {
        () throws(StoreError) in
        try withAnyPlan { () throws(StoreError) in RowReader.numbers(try run(statement)) }
      }
      guard let keys else {
        // Updating the rows one by one finds the one that causes the conflict.
        var transaction = self
        return try transaction.updateRowByRow(batch, model, &changes)
      }
      let written = AttributeSet(indexes: batch.values.map(\.index))
      for key in keys {
        let id = ManagedObjectID(entity: batch.entity, store: store, key: key)
        if !changes.inserted.contains(id) { changes.updated[id, default: []].formUnion(written) }
      }
    case .delete(let batch):
      let kept = keptAttributes(of: batch.entity)
      mayHaveBroken = true
      let statement = StatementBuilder.deleteAll(batch, returning: kept, model)
      let result = try withAnyPlan { () throws(StoreError) in try run(statement) }
      let rows = try noteDeleted(result, of: batch.entity, kept)
      for id in rows.ids { changes.formUnion(ContextChanges(deleted: [id])) }
    }
  }

  /// Writes rows with one statement, or with several if some have the same unique values: a later one updates the row of an
  /// earlier one.
  private func write(_ batch: BatchUpsert, noting changes: inout ContextChanges) throws(StoreError) {
    guard batch.rows.count > 0 else { return }
    let entity = model[batch.rows.entity]
    mayHaveBroken = mayHaveBroken || batch.rows.columns.contains { entity.attributes[$0].type == .reference }
    let mayClash = entity.uniqueness.contains { Set($0) != Set(batch.unique) }
    let before = changes
    let isWritten = try unlessTaken(if: mayClash) { () throws(StoreError) in
      for (range, _) in batch.distinctParts {
        let result = try run(UpsertStatement(batch, rows: range, model).statement)
        note(result, of: batch, in: &changes)
      }
      return true
    }
    if isWritten == nil {
      // Writing the rows one by one finds the one whose values another row has.
      changes = before
      try writeRowByRow(.upsert(batch), &changes)
      return
    }
  }

  private func note(_ result: QueryResult, of batch: BatchUpsert, in changes: inout ContextChanges) {
    let written = batch.written
    for row in 0..<result.count {
      guard let key = result.integer(row, 0) else { continue }
      let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: key)
      if result.isTrue(row, 1) {
        changes.inserted.insert(id)
      } else if batch.isReported, !changes.inserted.contains(id) {
        changes.updated[id, default: []].formUnion(written)
      }
    }
  }

  private func write(_ batch: BatchEdit, noting changes: inout ContextChanges) throws(StoreError) {
    guard batch.rows.count > 0 else { return }
    let entity = model[batch.rows.entity]
    mayHaveBroken = mayHaveBroken || batch.rows.columns.contains { entity.attributes[$0].type == .reference }
    let statement = UpsertStatement.edit(batch, model)
    let keys = try unlessTaken(of: entity, batch.rows.columns) { () throws(StoreError) in
      RowReader.numbers(try run(statement))
    }
    guard let keys else { return try writeRowByRow(.edit(batch), &changes) }
    let written = Set(keys)
    var stale: [Int] = []
    for row in 0..<batch.rows.count {
      let id = ManagedObjectID(entity: batch.rows.entity, store: store, key: batch.rows.keys[row])
      if written.contains(id.key) { noteWritten(id, by: batch, &changes) } else { stale.append(row) }
    }
    if !stale.isEmpty { throw try conflict(ofRows: stale, in: batch, model) }
  }

  private func writeRowByRow(_ batch: BatchChange, _ changes: inout ContextChanges) throws(StoreError) {
    var rows = RowByRow(transaction: self)
    try rows.apply(batch, model: model, noting: &changes)
  }

  // MARK: Deleted values

  private func keptAttributes(of entity: EntityIndex) -> [Int] {
    keepsDeletedValues ? model[entity].deletedAttributes : []
  }

  private func noteDeleted(
    _ result: QueryResult, of entity: EntityIndex, _ kept: [Int]
  ) throws(StoreError) -> RowBatch {
    let rows = try RowReader.rows(result, of: entity, columns: kept, store: store, model)
    guard !kept.isEmpty else { return rows }
    for row in 0..<rows.count {
      deletedValues[rows.id(row: row)] = kept.indices.map { rows.value(row: row, column: $0, model: model) }
    }
    return rows
  }

  // MARK: Statements

  @discardableResult
  func run(_ statement: Statement) throws(StoreError) -> QueryResult {
    do throws(ServerError) {
      return try connection.run(statement)
    } catch {
      throw StoreError(error, store: name)
    }
  }

  func execute(_ text: String) throws(StoreError) {
    do throws(ServerError) {
      try connection.execute(text)
    } catch {
      throw StoreError(error, store: name)
    }
  }

  /// Runs a statement that chooses its rows by a predicate, for which the server may use any plan.
  private func withAnyPlan<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let set = { (value: String) in
      ["hashjoin", "mergejoin", "seqscan"].map { "SET LOCAL enable_\($0) = \(value)" }.joined(separator: "; ")
    }
    try execute(set("on"))
    let value = try body()
    try execute(set("off"))
    return value
  }

  private static let savepoint = "step"

  /// Runs a step that writes some attributes; see ``unlessTaken(if:_:)``.
  private func unlessTaken<Value>(
    of entity: EntityDescription, _ attributes: [Int], _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    try unlessTaken(if: attributes.contains(where: entity.isUnique), body)
  }

  /// Runs a step that may violate a uniqueness constraint, and takes it back then.
  ///
  /// - Parameter mayClash: False if it cannot.
  /// - Returns: Nil if another row has the same unique values.
  private func unlessTaken<Value>(
    if mayClash: Bool = true, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    guard mayClash else { return try body() }
    try execute("SAVEPOINT \(Self.savepoint)")
    do throws(StoreError) {
      let value = try body()
      try execute("RELEASE SAVEPOINT \(Self.savepoint)")
      return value
    } catch {
      guard case .invalid = error, connection.lastCode == ErrorCode.unique else { throw error }
      try execute("ROLLBACK TO SAVEPOINT \(Self.savepoint); RELEASE SAVEPOINT \(Self.savepoint)")
      return nil
    }
  }
}

/// The steps of a transaction with the batches of ``StoreTransaction``, which write row by row.
private struct RowByRow: StoreTransaction {
  let transaction: ServerTransaction

  var store: StoreNumber { transaction.store }

  func insert(
    _ entity: EntityIndex, key: Int64?, values: [AttributeValue], version: Int64
  ) throws(StoreError) -> Int64? {
    try transaction.insert(entity, key: key, values: values, version: version)
  }

  func update(
    _ id: ManagedObjectID, values: [(index: Int, value: AttributeValue)], version: Int64?
  ) throws(StoreError) -> RowUpdate {
    try transaction.update(id, values: values, version: version)
  }

  func delete(_ id: ManagedObjectID, version: Int64?) throws(StoreError) -> Bool {
    try transaction.delete(id, version: version)
  }

  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)? {
    try transaction.row(id)
  }

  func key(
    of entity: EntityIndex, having values: [(index: Int, value: AttributeValue)]
  ) throws(StoreError) -> Int64? {
    try transaction.key(of: entity, having: values)
  }

  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64] {
    try transaction.keys(of: entity, where: predicate)
  }

  func brokenReference() throws(StoreError) -> ValidationError? { try transaction.brokenReference() }
}

extension AttributeValue {
  /// True if this is a reference to a row.
  fileprivate var isReferenceToRow: Bool {
    if case .reference = self { true } else { false }
  }
}
