public import Foundation
internal import GRDB
public import ManagedContext
internal import SQLStatements
internal import Threading

/// A persistent store in one SQLite file in WAL mode, which other programs may read while it is written.
///
/// Each reader has its own snapshot and never waits for the writer. Several processes may write; a write
/// waits until another process has finished its own. Recent changes and their authors are recorded in the
/// file: ``history(after:)``.
public final class SQLiteStore: PersistentStore {
  /// The file's path.
  public let name: String
  /// The file's number, shared by all open stores on the same file.
  public let number: StoreNumber
  let model: ManagedObjectModel
  let sql: StoreSQL
  let reader: any DatabaseReader
  /// Nil in a read-only store.
  let writer: DatabasePool?
  /// Nil in a store that does not record its transactions.
  let history: HistoryKeeping?
  /// The rule for deleting old transactions.
  let purge: HistoryPurge
  private let clock: @Sendable () -> Date
  /// The file for an additional reading connection; nil if no process can write the file.
  let watchedFile: ReadOnlyFile?
  let pollInterval: TimeInterval
  /// The wait policy of the writing connection.
  let patience: LockPatience
  /// The wait policy for reading connections.
  let readersPatience: LockPatience
  /// The identity of the file that was opened for writing; its path may refer to another file later.
  let fileIdentity: FileIdentity?

  /// Opens a store. A missing file is created, and a file with an older model version is migrated.
  ///
  /// - Parameters:
  ///   - path: The file, created with mode 0600; missing folders are created with mode 0700.
  ///   - model: The entities, with one table each.
  ///   - identity: The identity of the program's files.
  ///   - options: Options for reading, writing and watching the file.
  /// - Throws: ``StoreError`` with the path and the cause; the file is then unchanged.
  ///   ``StoreError/unavailable(_:)`` if another program reads a file in rollback mode, such as a backup. If a
  ///   row does not fit the new model version, ``StoreError/validation(_:)`` or ``StoreError/conflict(_:)`` describes the row
  ///   instead.
  public init(
    path: String, model: ManagedObjectModel, identity: StoreIdentity,
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    for name in [HistoryTables.transactions, HistoryTables.consumers, StoreUUID.table] {
      precondition(model.index(named: name) == nil, "the name \(name) is reserved")
    }
    try Schema.checkNames(of: model)
    name = path
    self.model = model
    pollInterval = options.pollInterval
    let (patience, readersPatience) = (
      LockPatience(limit: options.busyTimeout, didWait: options.didWait),
      LockPatience(limit: options.busyTimeout, didWait: options.didWait)
    )
    (self.patience, self.readersPatience) = (patience, readersPatience)
    sql = StoreSQL(model: model)
    (purge, clock) = (options.purge, options.now)
    history = options.keepsHistory ? HistoryKeeping(purge, now: options.now) : nil
    watchedFile = ReadOnlyFile(path: path, isImmutable: false)
    let found = try StoreFile.prepare(path: path, identity: identity, version: model.version)
    let file = FileIdentity(path: path)
    let number = file?.storeNumber ?? .unique()
    (fileIdentity, self.number) = (file, number)
    let pool: DatabasePool
    do throws(StoreError) {
      pool = try patience.untilFree { () throws(StoreError) in
        try Self.open(path, file, number, found, model, identity, options, patience, readersPatience)
      }
    } catch {
      guard case .busy = error, Self.isHeldByReader(path) else { throw error }
      throw .unavailable(
        "\(path): another program is reading the store. Until its first write, a backup cannot be read and written at once; "
          + "end that program, such as sqlite3 or Python")
    }
    writer = pool
    reader = pool
  }

  public func now() -> Date { clock() }

  private static func open(
    _ path: String, _ file: FileIdentity?, _ number: StoreNumber, _ found: Int,
    _ model: ManagedObjectModel, _ identity: StoreIdentity,
    _ options: SQLiteStoreOptions, _ patience: LockPatience, _ readersPatience: LockPatience
  ) throws(StoreError) -> DatabasePool {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let configuration = configuration(path, file, options, patience, readersPatience)
      let migration = { (db: Database) in
        FileMigration(
          model: model, identity: identity, store: number, db: db, path: path,
          report: options.migrationProgress)
      }
      if found > 0 && found < model.version {
        // The migration does not use the pool, because opening a pool writes: a file that cannot be migrated
        // must stay unchanged.
        try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
          try db.describingErrors(path: path) {
            try migration(db).run()
          }
        }
      }
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in
        try db.describingErrors(path: path) {
          try Schema.install(model, identity: identity, in: db)
          // Needed if an older program has created the file in the meantime.
          try migration(db).run()
          try Schema.check(model, path: path, in: db)
          if options.keepsHistory { try HistorySchema.install(for: model, in: db) }
          // The pool has set it to NORMAL.
          if options.isDurable { try db.execute(sql: "PRAGMA synchronous = FULL") }
        }
      }
      return pool
    }
  }

  /// Returns whether only a reader keeps a file in rollback mode from being written.
  private static func isHeldByReader(_ path: String) -> Bool {
    let isHeld = try? DatabaseQueue(path: path).writeWithoutTransaction { db in
      guard try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" else { return false }
      // Fails if another connection is writing.
      try db.execute(sql: "BEGIN IMMEDIATE; ROLLBACK")
      return true
    }
    return isHeld == true
  }

  /// Opens an existing store read-only.
  ///
  /// In a folder without write permission, a file without a log is assumed to be immutable, and no file is
  /// created beside it. Otherwise SQLite creates a missing log, in order to share locks with a writer, and
  /// leaves it there.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - model: The entities, in the file's version.
  ///   - identity: The identity of the program's files.
  ///   - readers: The maximum count of concurrent reading threads, with one connection each.
  ///   - verifies: True to check the whole file for damage, which takes as long as reading it.
  ///   - pollInterval: An observer's polling interval, as in ``SQLiteStoreOptions/pollInterval``.
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the file does not exist; ``StoreError/older(version:known:)``
  ///   or ``StoreError/newer(version:known:)`` if it has another version; other cases if the file is
  ///   unusable.
  public init(
    readOnlyPath path: String, model: ManagedObjectModel, identity: StoreIdentity, readers: Int = 1,
    verifies: Bool = false, pollInterval: TimeInterval = 5
  ) throws(StoreError) {
    name = path
    self.model = model
    self.pollInterval = pollInterval
    patience = LockPatience(limit: 0)
    readersPatience = patience
    sql = StoreSQL(model: model)
    history = nil
    purge = SQLiteStoreOptions().purge
    clock = { Date() }
    writer = nil
    fileIdentity = nil
    number = FileIdentity(path: path)?.storeNumber ?? .unique()
    let opened = try LogPatience().untilOpen(path) { () throws(StoreError) in
      try Self.open(
        ReadOnlyFile(existing: path, model: model, identity: identity), model, identity, readers, verifies)
    }
    watchedFile = opened.file.isImmutable ? nil : opened.file
    reader = opened.reader
  }

  private static func open(
    _ file: ReadOnlyFile, _ model: ManagedObjectModel, _ identity: StoreIdentity, _ readers: Int,
    _ verifies: Bool
  ) throws(StoreError) -> (file: ReadOnlyFile, reader: any DatabaseReader) {
    let path = file.path
    let reader = try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let reader = try file.open(readers: readers)
      // In a transaction: another process may create the tables at this moment.
      try reader.read { db in
        try db.describingErrors(path: path) {
          try file.check(db, model: model, identity: identity)
        }
      }
      if verifies {
        try reader.unsafeRead { db in
          try db.describingErrors(path: path) { try file.verify(db, model: model) }
        }
      }
      return reader
    }
    return (file, reader)
  }

  private static func configuration(
    _ path: String, _ file: FileIdentity?, _ options: SQLiteStoreOptions, _ patience: LockPatience,
    _ readersPatience: LockPatience
  ) -> Configuration {
    var configuration = Configuration()
    configuration.maximumReaderCount = options.readers
    configuration.prepareDatabase { db in
      try file?.check(at: path)
      // GRDB's `busyMode` does not apply to reading connections.
      (db.configuration.readonly ? readersPatience : patience).attach(to: db)
      try TextFunction.register(in: db)
      // For articles, 16 KiB pages take half the time of 4 KiB. The setting affects only a new file.
      try db.execute(sql: "PRAGMA page_size = \(SQLiteStoreOptions.pageBytes)")
      try db.execute(
        sql: "PRAGMA wal_autocheckpoint = \(max(1, options.checkpointBytes / SQLiteStoreOptions.pageBytes))")
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA cell_size_check = ON")
      // Some SQLite builds overwrite deleted content with zeros, and write each page once more before its
      // first use.
      try db.execute(sql: "PRAGMA secure_delete = OFF")
    }
    return configuration
  }

  /// Converts a closed store to rollback-journal mode, so that it can be read without a log until it is
  /// written again.
  ///
  /// - Throws: ``StoreError`` with the path and the cause.
  public static func detachLog(ofFileAt path: String) throws(StoreError) {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      try DatabaseQueue(path: path).writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
      }
    }
  }

  /// Closes all connections; the last one merges the log into the file. Reading and writing fail afterwards.
  ///
  /// A store that was opened for writing first gets the indexes that an interrupted bulk load has left out.
  ///
  /// - Throws: ``StoreError/busy`` if a connection is in use; all connections then stay open.
  public func close() throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      if let writer {
        // A failure, such as a full disk, is ignored: a store without these indexes is slow to read, but
        // usable.
        try? patience.withoutWaiting {
          try writer.writeWithoutTransaction { db in try ReadingIndexes.makeMissing(model, in: db) }
        }
      }
      // The writer must be closed last, because a reading connection cannot merge the log.
      writer?.invalidateReadOnlyConnections()
      try reader.close()
    }
  }

  // MARK: Reading

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    var rows = RowBatch(entity: query.entity, columns: [])
    try fetch(query, inPartsOf: .max) { rows = $0 }
    return rows
  }

  public func fetch(
    _ query: StoreQuery, inPartsOf size: Int, _ visit: (RowBatch) -> Void
  ) throws(StoreError) {
    try read { db in
      var query = query
      query.isKeyless = query.isKeyless && query.columns?.isEmpty == false
      let select = sql.select(query, byOrder: try goesByOrder(query, db))
      try RowReader.forEachPart(
        db, select.text, select.parameters, select.model, entity: query.entity,
        columns: sql.columns(of: query), isKeyless: query.isKeyless, size: size, visit)
    }
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    Int(try read { db in try RowReader.numbers(db, FileStatement.count(query, model))[0] })
  }

  public func groups(
    _ aggregate: StoreAggregate, _ model: ManagedObjectModel
  ) throws(StoreError) -> [StoreGroup] {
    try read { db in
      try RowReader.groups(db, FileStatement.aggregate(aggregate, model), aggregate, store: number, model)
    }
  }

  /// Runs `body` on the writing connection, without a transaction.
  func onWriter<Value>(_ body: (Database) throws -> Value) throws -> Value {
    guard let writer else { throw StoreError.readOnly(name) }
    return try writer.writeWithoutTransaction { db in
      try fileIdentity?.check(at: name)
      return try body(db)
    }
  }

  /// Runs `body` on a reading connection. If it meets the journal of an interrupted bulk load, the journal is
  /// rolled back, and `body` runs again. It also runs again if a user without write permission meets a log
  /// without a finished index.
  func onReader<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      try fileIdentity?.check(at: name)
      if writer != nil { return try reader.unsafeRead(body) }
      return try LogPatience().untilReadable { try reader.unsafeRead(body) }
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      guard let watchedFile else { throw error }
      try watchedFile.rollBack()
      return try reader.unsafeRead(body)
    }
  }

  /// Runs one reading statement. A single statement has a consistent snapshot and needs no transaction.
  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try onReader { db in
        try db.describingErrors(path: name) {
          do {
            return try body(db)
          } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // A table or column is missing: another process may have migrated the file since it was opened.
            try Schema.checkNotNewer(than: model, in: db)
            throw error
          }
        }
      }
    }
  }
}
