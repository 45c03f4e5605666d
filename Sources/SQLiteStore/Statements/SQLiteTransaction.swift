internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements

/// Executes the steps of change sets as SQL, inside an open transaction.
///
/// Statements are kept for the whole transaction, and rows are bound through one reused arena. An object's
/// insert or update therefore costs little more than SQLite's own work. This type is a class so that all
/// change sets share it without copies.
final class SQLiteTransaction: StoreTransaction {
  let db: Database
  let sql: StoreSQL
  let path: String
  let store: StoreNumber
  private var inserts: [EntityIndex: PreparedRow] = [:]
  private var updates: [UpdateShape: PreparedRow] = [:]
  /// The statements for batches; building a text takes longer than executing its statement.
  var upserts: [UpsertShape: PreparedUpsert] = [:]
  /// The last batch's statement; the next batch usually has the same shape.
  var lastUpsert: PreparedUpsert?

  /// The values of deleted rows that the history keeps.
  private(set) var deletedValues: [ManagedObjectID: [AttributeValue]] = [:]
  private let keepsDeletedValues: Bool

  /// A statement, and its parameters as cells without rows.
  private struct PreparedRow {
    let statement: Statement
    var parameters = RowBatch(entity: 0, columns: [])

    /// Executes the statement, and returns SQLite's result code.
    func step() throws -> Int32 {
      let handle = unsafe statement.sqliteStatement
      return try unsafe CellBinding.withArena(parameters.bytes) { arena in
        unsafe try CellBinding.bind(parameters.cells, arena, to: handle)
        defer { unsafe sqlite3_reset(handle) }
        return unsafe sqlite3_step(handle)
      }
    }
  }

  private var model: ManagedObjectModel { sql.model }

  init(db: Database, sql: StoreSQL, path: String, store: StoreNumber, keepsDeletedValues: Bool) {
    self.keepsDeletedValues = keepsDeletedValues
    self.db = db
    self.sql = sql
    self.path = path
    self.store = store
  }

  func insert(
    _ entity: EntityIndex, key: Int64?, values: [AttributeValue], version: Int64
  ) throws(StoreError) -> Int64? {
    var insert = try prepared(inserts.removeValue(forKey: entity)) {
      PreparedRow(statement: try db.makeStatement(sql: sql.insert(entity)))
    }
    defer { inserts[entity] = insert }
    insert.parameters.removeAll()
    insert.parameters.append(key.map(AttributeValue.integer) ?? .null)
    for value in values { insert.parameters.append(value) }
    insert.parameters.append(integer: version)
    return try attempt { try isWritten(insert.step()) ? db.lastInsertedRowID : nil }
  }

  func update(
    _ id: ManagedObjectID, values: [(index: Int, value: AttributeValue)], version: Int64?
  ) throws(StoreError) -> RowUpdate {
    let shape = UpdateShape(entity: id.entity, columns: values.map(\.index), comparesVersion: version != nil)
    var update = try prepared(updates.removeValue(forKey: shape)) {
      PreparedRow(
        statement: try db.cachedStatement(
          sql: sql.texts.update(shape) { sql.update(id.entity, shape.columns, shape.comparesVersion) }))
    }
    defer { updates[shape] = update }
    update.parameters.removeAll()
    for (_, value) in values { update.parameters.append(value) }
    update.parameters.append(integer: id.key)
    if let version { update.parameters.append(integer: version) }
    return try attempt {
      guard try isWritten(update.step()) else { return .notUnique }
      return db.changesCount > 0 ? .written : .stale
    }
  }

  func delete(_ id: ManagedObjectID, version: Int64?) throws(StoreError) -> Bool {
    try attempt {
      let kept = keptAttributes(of: id.entity)
      if !kept.isEmpty {
        let rows = try RowReader.rows(
          db, FileStatement.delete(id, version: version, returning: kept, model), entity: id.entity,
          columns: kept)
        keep(rows)
        return rows.count > 0
      }
      let condition = version == nil ? "" : " AND version = ?"
      let statement = try db.cachedStatement(
        sql: "DELETE FROM \(model[id.entity].table) WHERE id = ?\(condition)")
      try statement.execute(arguments: StatementArguments([id.key, version].compactMap { $0 }))
      return db.changesCount > 0
    }
  }

  func row(_ id: ManagedObjectID) throws(StoreError) -> (values: [AttributeValue], version: Int64)? {
    try attempt {
      let query = StoreQuery(entity: id.entity, predicate: .ids([id]))
      var rows = try RowReader.rows(
        db, sql.select(query), entity: id.entity, columns: sql.columns(of: query))
      guard rows.count == 1 else { return nil }
      rows.store = store
      let values = rows.columns.indices.map { rows.value(row: 0, column: $0, model: model) }
      return (values, rows.versions[0])
    }
  }

  func keys(of entity: EntityIndex, where predicate: StorePredicate?) throws(StoreError) -> [Int64] {
    try attempt {
      let query = sql.select(StoreQuery(entity: entity, predicate: predicate, columns: []))
      return try RowReader.rows(db, query, entity: entity, columns: []).keys
    }
  }

  func brokenReference() throws(StoreError) -> ValidationError? {
    try attempt {
      var (open, highest): (Int32, Int32) = (0, 0)
      let connection = unsafe db.sqliteConnection
      unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
      return open == 0 ? nil : try FileConnection(db: db).brokenReference(model, store)
    }
  }

  func apply(
    _ batch: BatchChange, model: ManagedObjectModel, noting changes: inout ContextChanges
  ) throws(StoreError) {
    try attempt {
      switch batch {
      case .upsert(let batch): try write(batch, noting: &changes)
      case .edit(let batch): try write(batch, noting: &changes)
      case .update(let batch):
        let written = AttributeSet(indexes: batch.values.map(\.index))
        do {
          for key in try RowReader.numbers(db, FileStatement.updateAll(batch, model)) {
            let id = ManagedObjectID(entity: batch.entity, store: store, key: key)
            if !changes.inserted.contains(id) { changes.updated[id, default: []].formUnion(written) }
          }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
          // No row was written. Updating the rows individually finds the row that causes the conflict.
          var transaction = self
          try transaction.updateRowByRow(batch, model, &changes)
        }
      case .delete(let batch):
        for key in try deleteAll(batch) {
          let id = ManagedObjectID(entity: batch.entity, store: store, key: key)
          changes.formUnion(ContextChanges(deleted: [id]))
        }
      }
    }
  }

  /// Deletes a batch's rows, and returns their keys.
  private func deleteAll(_ batch: BatchDelete) throws -> [Int64] {
    let kept = keptAttributes(of: batch.entity)
    let statement = FileStatement.deleteAll(batch, returning: kept, model)
    if kept.isEmpty { return try RowReader.numbers(db, statement) }
    let rows = try RowReader.rows(db, statement, entity: batch.entity, columns: kept)
    keep(rows)
    return rows.keys
  }

  private func keptAttributes(of entity: EntityIndex) -> [Int] {
    keepsDeletedValues ? sql.deletedAttributes[Int(entity)] : []
  }

  private func keep(_ rows: RowBatch) {
    var rows = rows
    rows.store = store
    for row in 0..<rows.count {
      deletedValues[rows.id(row: row)] = rows.columns.indices.map {
        rows.value(row: row, column: $0, model: model)
      }
    }
  }

  private func prepared(
    _ known: PreparedRow?, _ make: () throws -> PreparedRow
  ) throws(StoreError) -> PreparedRow {
    if let known { return known }
    return try attempt(make)
  }

  /// Returns whether a step has written its row; false if another row has the same unique values.
  func isWritten(_ code: Int32) throws -> Bool {
    if code == SQLITE_DONE { return true }
    let result = ResultCode(rawValue: code)
    if [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID].contains(result) {
      return false
    }
    throw DatabaseError(resultCode: result, message: db.lastErrorMessage)
  }

  private func attempt<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: path, body)
  }
}
