internal import Foundation
internal import GRDB
public import ManagedContext

/// A persistent store in one SQLite file in WAL mode, which other programs may read while it is written.
///
/// Readers have snapshots of their own and never wait for the writer; several processes may write in turn
/// (busy timeout 10 s).
public final class SQLiteStore: PersistentStore {
  private let pool: DatabasePool
  private let model: ManagedObjectModel
  private let sql: StoreSQL

  /// Opens a store, or makes it where there is no file.
  ///
  /// - Parameters:
  ///   - path: The file; missing folders are made (mode 0700), the file gets mode 0600.
  ///   - model: The entities; a table each.
  ///   - identity: What tells this program's files from those of others.
  ///   - readers: How many threads may read at once.
  /// - Throws: ``StoreError`` with the path and the cause; the file is untouched then.
  public init(
    path: String, model: ManagedObjectModel, identity: StoreIdentity, readers: Int = 6
  ) throws(StoreError) {
    self.model = model
    sql = StoreSQL(model: model)
    try StoreFile.prepare(path: path, identity: identity, version: model.version)
    pool = try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let pool = try DatabasePool(path: path, configuration: Self.configuration(readers: readers))
      try pool.writeWithoutTransaction { db in
        try Schema.install(model, identity: identity, in: db)
      }
      return pool
    }
  }

  private static func configuration(readers: Int) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = readers
    configuration.prepareDatabase { db in
      // 16 KiB pages take half the time of 4 KiB for articles; only a new file heeds this.
      try db.execute(sql: "PRAGMA page_size = 16384")
      // Checkpoints at about 4 MB: without them the log grows to hundreds of megabytes.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 256")
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA cell_size_check = ON")
    }
    return configuration
  }

  // MARK: PersistentStore

  /// The file's path.
  public var name: String { pool.path }

  public func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    let (text, arguments) = sql.select(query)
    return try StoreFile.describingErrors(path: pool.path) { () throws(any Error) in
      // A single statement sees one snapshot by itself: no transaction around it is needed.
      try pool.unsafeRead { db in
        try RowReader.rows(db, text, arguments, entity: query.entity, columns: sql.columns(of: query))
      }
    }
  }

  public func count(_ query: StoreQuery) throws(StoreError) -> Int {
    let (text, arguments) = sql.count(query)
    return try StoreFile.describingErrors(path: pool.path) { () throws(any Error) in
      try pool.unsafeRead { db in
        try Int.fetchOne(db, sql: text, arguments: StatementArguments(arguments)) ?? 0
      }
    }
  }

  public func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
    do throws(StoreError) {
      return try writeTogether(group)
    } catch {
      guard group.count > 1, error.concernsOneSave else {
        return group.map { _ in .failure(error) }
      }
      // One of them breaks a rule that only the database could see: alone, each succeeds or fails for itself.
      return group.map { changes in
        do throws(StoreError) {
          return try writeTogether([changes])[0]
        } catch {
          return .failure(error)
        }
      }
    }
  }

  private func writeTogether(_ group: [ChangeSet]) throws(StoreError) -> [Result<CommitResult, StoreError>] {
    try StoreFile.describingErrors(path: pool.path) { () throws(any Error) in
      try pool.writeWithoutTransaction { db in
        var results: [Result<CommitResult, StoreError>] = []
        try db.inTransaction(.immediate) {
          // References may lead to rows that come later in the same save; what is open at its end is an error.
          try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
          var transaction = SQLiteTransaction(db: db, sql: sql, path: pool.path)
          for changes in group {
            results.append(.success(try changes.apply(to: &transaction, model: model)))
          }
          return .commit
        }
        return results
      }
    }
  }
}

extension StoreError {
  /// Whether the error lies in what was written, so that other saves of the same transaction may succeed.
  fileprivate var concernsOneSave: Bool {
    switch self {
    case .invalid, .conflict, .validation: true
    default: false
    }
  }
}
