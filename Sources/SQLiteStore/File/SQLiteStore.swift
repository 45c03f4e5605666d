public import Foundation
internal import GRDB
public import ManagedContext
internal import Threading

/// A persistent store in one SQLite file in WAL mode, which other programs may read while it is written.
///
/// Readers have snapshots of their own and never wait for the writer; several processes may write in turn
/// (a write waits for another one). Who changed what is kept in the file for a while: ``history(after:)``.
public final class SQLiteStore: PersistentStore {
  /// The file's path.
  public let name: String
  /// That of the file, which other instances may have open as well.
  public let number: StoreNumber
  let model: ManagedObjectModel
  let sql: StoreSQL
  let reader: any DatabaseReader
  /// Nil in a store that is only read.
  let writer: DatabasePool?
  /// Nil in a store that keeps none of its own transactions.
  let history: HistoryKeeping?
  /// How to open another connection for reading; nil where nobody else can write.
  let watchedFile: ReadOnlyFile?
  let pollInterval: TimeInterval
  /// Of the connection that writes.
  let patience: LockPatience
  /// Of those that only read.
  let readersPatience: LockPatience
  /// The file that is written; its path may lead elsewhere one day.
  let fileIdentity: FileIdentity?

  /// Opens a store, or makes it where there is no file; one of an older version of the model is migrated.
  ///
  /// - Parameters:
  ///   - path: The file; missing folders are made (mode 0700), the file gets mode 0600.
  ///   - model: The entities; a table each.
  ///   - identity: What tells this program's files from those of others.
  ///   - options: How it is read, written and watched.
  /// - Throws: ``StoreError`` with the path and the cause; the file is untouched then. Where a row does not fit the new
  ///   version of the model, ``StoreError/validation(_:)`` or ``StoreError/conflict(_:)`` names it in place of the path.
  public init(
    path: String, model: ManagedObjectModel, identity: StoreIdentity,
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(StoreError) {
    precondition(
      model.index(named: HistoryTable.name) == nil, "\(HistoryTable.name) is the name of our table")
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
    history =
      options.keepsHistory ? HistoryKeeping(retention: options.historyRetention, now: options.now) : nil
    watchedFile = ReadOnlyFile(path: path, isImmutable: false)
    let found = try StoreFile.prepare(path: path, identity: identity, version: model.version)
    let number = StoreFile.identity(of: path)?.storeNumber ?? .unique()
    self.number = number
    let isAtRest = ReadingIndexes.isAtRest(path, at: options.now())
    let pool = try patience.untilFree { () throws(StoreError) in
      try Self.open(path, number, found, model, identity, options, patience, readersPatience)
    }
    if isAtRest {
      // A store without them is slow to read, which is better than none: the disk may be full.
      try? patience.withoutWaiting {
        try pool.writeWithoutTransaction { db in try ReadingIndexes.makeMissing(model, in: db) }
      }
    }
    writer = pool
    reader = pool
    fileIdentity = StoreFile.identity(of: path)
  }

  private static func open(
    _ path: String, _ number: StoreNumber, _ found: Int, _ model: ManagedObjectModel,
    _ identity: StoreIdentity,
    _ options: SQLiteStoreOptions, _ patience: LockPatience, _ readersPatience: LockPatience
  ) throws(StoreError) -> DatabasePool {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let configuration = configuration(options, patience, readersPatience)
      if found > 0 && found < model.version {
        // Not in the pool, whose opening is a write: a file that cannot be migrated stays as it is, byte by byte.
        try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
          try Migration(model: model, identity: identity, store: number, db: db).run()
        }
      }
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in
        try Schema.install(model, identity: identity, in: db)
        // Needed where an older program made the file a moment ago.
        try Migration(model: model, identity: identity, store: number, db: db).run()
        try Schema.check(model, path: path, in: db)
        if options.keepsHistory { try HistoryTable.install(in: db) }
      }
      return pool
    }
  }

  /// Opens an existing store for reading alone.
  ///
  /// In a folder that may not be written, a file without a log is taken for one that nobody changes, and nothing is
  /// made beside it. Elsewhere SQLite makes an empty log where there is none, to share locks with who writes, and
  /// leaves it there.
  /// - Parameters:
  ///   - path: The file.
  ///   - model: The entities, in the version that the file has.
  ///   - identity: What tells this program's files from those of others.
  ///   - readers: How many threads may read at once: a connection each.
  ///   - verifies: Whether the whole file is looked through for damage, which takes as long as reading it.
  ///   - pollInterval: As for a store that is written.
  /// - Throws: ``StoreError/cannotOpen(_:)`` where there is no file, ``StoreError/older(version:known:)`` and
  ///   ``StoreError/newer(version:known:)`` for one of another version, and whatever else it is unfit by.
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
    writer = nil
    fileIdentity = nil
    number = StoreFile.identity(of: path)?.storeNumber ?? .unique()
    let file = try ReadOnlyFile(existing: path, model: model, identity: identity)
    watchedFile = file.isImmutable ? nil : file
    reader = try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let reader = try file.open(readers: readers)
      try reader.unsafeRead { db in try file.check(db, model: model, identity: identity, verifies: verifies) }
      return reader
    }
  }

  private static func configuration(
    _ options: SQLiteStoreOptions, _ patience: LockPatience, _ readersPatience: LockPatience
  ) -> Configuration {
    var configuration = Configuration()
    configuration.maximumReaderCount = options.readers
    configuration.prepareDatabase { db in
      // Not `busyMode`, which leaves connections that only read out.
      (db.configuration.readonly ? readersPatience : patience).attach(to: db)
      // 16 KiB pages take half the time of 4 KiB for articles; only a new file heeds this.
      try db.execute(sql: "PRAGMA page_size = 16384")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = \(max(1, options.checkpointBytes / 16384))")
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA cell_size_check = ON")
      // Some builds of SQLite fill what is deleted with zeros, and each page before its first use once more.
      try db.execute(sql: "PRAGMA secure_delete = OFF")
    }
    return configuration
  }

  /// Makes a file that nobody has open one that can be read without a log beside it, until it is written again.
  ///
  /// - Throws: ``StoreError`` with the path and the cause.
  public static func detachLog(ofFileAt path: String) throws(StoreError) {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      try DatabaseQueue(path: path).writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = DELETE")
      }
    }
  }

  /// Ends all connections; the last one merges the log into the file. Reading and writing fail afterwards.
  ///
  /// - Throws: ``StoreError/busy`` while a connection is in use; nothing was closed then.
  public func close() throws(StoreError) {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      // The writer has to be the last one: a connection that only reads cannot merge the log.
      writer?.invalidateReadOnlyConnections()
      try reader.close()
    }
  }

  // MARK: Reading

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    try read { db in
      let (text, arguments) = sql.select(query, byOrder: try goesByOrder(query, db))
      return try RowReader.rows(db, text, arguments, entity: query.entity, columns: sql.columns(of: query))
    }
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    let (text, arguments) = sql.count(query)
    return try read { db in
      try Int.fetchOne(db, sql: text, arguments: StatementArguments(arguments)) ?? 0
    }
  }

  /// Reads what one statement gives: it sees one snapshot by itself, no transaction around it is needed.
  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try reader.unsafeRead { db in
        do {
          return try body(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
          // A table or column that is missing: another process may have migrated the file since we opened it.
          try Schema.checkNotNewer(than: model, in: db)
          throw error
        }
      }
    }
  }
}
