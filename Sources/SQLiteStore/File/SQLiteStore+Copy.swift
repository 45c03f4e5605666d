internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// Calls `body` with one snapshot of the store, for making a copy.
  public func withCopySource<Value>(
    _ body: (any StoreCopySource) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let result = try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in
        var result: Result<Value, StoreError>?
        try db.inTransaction(.deferred) {
          // The first read takes the snapshot, so that a retryable error does not run `body` again.
          _ = try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_master LIMIT 1")
          let source = FileCopySource(model: model, path: name, db: db)
          result = Result { () throws(StoreError) in try body(source) }
          return .commit
        }
        return result
      }
    }
    guard let result else { throw .cannotOpen("\(name): the snapshot was not read") }
    return try result.get()
  }

  /// Makes a new file from the content that `body` writes. The file has its name only when it is complete.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the path exists. After a failure, no file is left there.
  public static func make(
    _ path: String, model: ManagedObjectModel, identity: StoreIdentity,
    _ body: (any StoreCopyTarget) throws(StoreError) -> Void
  ) throws(StoreError) {
    let part = try UnfinishedFile(of: path)
    defer { part.remove() }
    let store = try SQLiteStore(path: part.file, model: model, identity: identity)
    store.beginBulkLoad()
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      try store.writer?.writeWithoutTransaction { db in
        // The file is made durable when it is complete.
        try db.execute(sql: "PRAGMA synchronous = OFF")
        try db.inTransaction(.immediate) {
          try body(FileCopyTarget(model: model, path: path, db: db))
          return .commit
        }
      }
    }
    store.endBulkLoad()
    try store.close()
    try detachLog(ofFileAt: part.file)
    try part.takePlace()
  }
}

/// One snapshot of a file, on one connection in a transaction.
struct FileCopySource: StoreCopySource {
  let model: ManagedObjectModel
  let path: String
  let db: Database

  func rows(
    of entity: EntityIndex, after key: Int64, limit: Int, bytes: Int
  ) throws(StoreError) -> RowBatch {
    let description = model[entity]
    let columns = Array(description.attributes.indices)
    let names = ["id", "version"] + description.attributes.map { quoted($0.name) }
    return try describingErrors {
      try RowReader.rows(
        db,
        "SELECT \(names.joined(separator: ", ")) FROM \(quoted(description.name)) WHERE id > ? ORDER BY id LIMIT \(limit)",
        key, model, entity: entity, columns: columns, bytes: bytes)
    }
  }

  func lastKey(of entity: EntityIndex) throws(StoreError) -> Int64 {
    try describingErrors {
      try Int64.fetchOne(
        db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [model[entity].name]) ?? 0
    }
  }

  func transactions(after number: Int64, limit: Int) throws(StoreError) -> [StoredTransaction] {
    try describingErrors { try db.history.transactions(after: number, limit: limit) }
  }

  func lastTransaction() throws(StoreError) -> Int64 {
    try describingErrors { try FileConnection(db: db).newestTransaction() }
  }

  func allConsumers() throws(StoreError) -> [HistoryConsumer] {
    try describingErrors { try db.consumers.all() }
  }

  private func describingErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in try body() }
  }
}

/// A new file, on one connection in a transaction.
struct FileCopyTarget: StoreCopyTarget {
  let model: ManagedObjectModel
  let path: String
  let db: Database

  func add(_ rows: RowBatch) throws(StoreError) {
    let entity = model[rows.entity]
    let width = rows.columns.count
    let names = rows.columns.map { quoted(entity.attributes[$0].name) } + ["id", "version"]
    let places = names.map { _ in "?" }.joined(separator: ", ")
    try describingErrors {
      let statement = try db.cachedStatement(
        sql: "INSERT INTO \(quoted(entity.name)) (\(names.joined(separator: ", "))) VALUES (\(places))")
      let handle = unsafe statement.sqliteStatement
      try unsafe CellBinding.withArena(rows.bytes) { arena in
        defer {
          unsafe sqlite3_reset(handle)
          unsafe sqlite3_clear_bindings(handle)
        }
        try db.inSavepoint {
          for row in 0..<rows.count {
            unsafe sqlite3_reset(handle)
            unsafe try CellBinding.bind(
              Array(rows.cells[(row * width)..<(row * width + width)]), arena, to: handle)
            unsafe sqlite3_bind_int64(handle, Int32(width + 1), rows.keys[row])
            unsafe sqlite3_bind_int64(handle, Int32(width + 2), rows.versions[row])
            let code = unsafe sqlite3_step(handle)
            guard code == SQLITE_DONE else {
              throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
            }
          }
          return .commit
        }
      }
    }
  }

  func reserveKeys(through key: Int64, of entity: EntityIndex) throws(StoreError) {
    try setSequence(model[entity].name, key)
  }

  func add(_ transactions: [StoredTransaction]) throws(StoreError) {
    try describingErrors {
      for transaction in transactions { try HistorySchema.insert(transaction, in: db) }
    }
  }

  func finishHistory(at number: Int64, _ consumers: [HistoryConsumer]) throws(StoreError) {
    try setSequence(HistoryTables.transactions, number)
    try describingErrors { for consumer in consumers { try db.consumers.put(consumer) } }
  }

  private func setSequence(_ table: String, _ number: Int64) throws(StoreError) {
    guard number > 0 else { return }
    try describingErrors {
      try db.execute(
        sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [number, table])
      guard db.changesCount == 0 else { return }
      try db.execute(
        sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, number])
    }
  }

  private func describingErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in try body() }
  }
}
