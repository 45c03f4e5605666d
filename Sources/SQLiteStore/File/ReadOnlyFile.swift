internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import ManagedContext
internal import SQLStatements
internal import TextOutput

/// A store file that is opened read-only.
struct ReadOnlyFile: Sendable {
  let path: String
  /// True if no process can change the file while it is read: the folder is not writable, or the disk is
  /// full. SQLite then needs neither locks nor additional files.
  let isImmutable: Bool
}

extension ReadOnlyFile {
  /// Checks the file's header, without opening the file for writing.
  init(existing path: String, model: ManagedObjectModel, identity: StoreIdentity) throws(StoreError) {
    guard let status = FileStatus(path: path) else {
      throw .cannotOpen("\(path): \(systemCause())")
    }
    try status.checkIsFile(path)
    guard status.size > 0 || Self.hasLog(path) else { throw .corrupt("\(path) is empty") }
    // A log or journal beside the file must be read. SQLite would create a missing log in order to share
    // locks. A writer that met a full disk leaves an empty one.
    let isAlone = (FileStatus(path: Self.resolved(path) + "-wal")?.size ?? 0) == 0 && !Self.hasJournal(path)
    let mayBeChanged = unsafe access(Self.folder(of: path), W_OK) == 0 && FreeSpace.exists(beside: path)
    self.init(path: path, isImmutable: isAlone && !mayBeChanged)
    _ = try StoreFile.check(file: self, size: status.size, identity: identity, version: model.version)
  }

  /// True if a log exists: a connection is open, or was not closed properly.
  var hasLog: Bool { Self.hasLog(path) }

  private static func hasLog(_ path: String) -> Bool {
    unsafe access(resolved(path) + "-wal", F_OK) == 0
  }

  /// Returns whether a journal exists: a bulk load is in progress or was interrupted.
  private static func hasJournal(_ path: String) -> Bool {
    unsafe access(resolved(path) + "-journal", F_OK) == 0
  }

  /// Returns the folder in which SQLite keeps the log. If `path` is a symbolic link, this is its target's
  /// folder.
  static func folder(of path: String) -> String {
    FilePath.folder(of: resolved(path))
  }

  /// Returns the path with symbolic links resolved, as SQLite does; the path itself if that fails.
  static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Opens connections to the file.
  ///
  /// - Parameter readers: The connection count; a single connection needs no pool.
  func open(readers: Int) throws -> any DatabaseReader {
    do {
      let reader = try connect(readers)
      try reader.unsafeRead { db in _ = try Schema.version(in: db) }
      return reader
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      try rollBack()
      return try connect(readers)
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_IOERR && !FreeSpace.exists(beside: path)
    {
      return try connectAlone()
    }
  }

  /// Opens a file with changes in its log, on a disk without room for the log's index.
  ///
  /// SQLite keeps the index in memory for a connection that excludes all others. It also needs write
  /// permission.
  private func connectAlone() throws -> any DatabaseReader {
    var configuration = Self.configuration(readers: 1)
    configuration.readonly = false
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA query_only = ON")
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Rolls back the changes of a process that ended in the middle of a bulk load. SQLite does this only for a
  /// connection that may write, and when no other process reads the file.
  func rollBack() throws {
    do {
      var configuration = Configuration()
      configuration.busyMode = Self.busyMode
      try DatabaseQueue(path: path, configuration: configuration).unsafeRead { db in
        _ = try Schema.version(in: db)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw error
    } catch {
      throw StoreError.readOnly("\(path): an import was interrupted; open it once with write permission")
    }
  }

  private static let busyMode = Database.BusyMode.timeout(10)

  private func connect(_ readers: Int) throws -> any DatabaseReader {
    let configuration = Self.configuration(readers: readers)
    return readers == 1
      ? try DatabaseQueue(path: address, configuration: configuration)
      : try DatabasePool(path: address, configuration: configuration)
  }

  private static func configuration(readers: Int) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = busyMode
    configuration.maximumReaderCount = readers
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      try db.execute(sql: "PRAGMA cell_size_check = ON")
      try TextFunction.register(in: db)
    }
    return configuration
  }

  /// Checks the file's contents. The header may be out of date, because recent changes may be only in the
  /// log.
  func check(
    _ db: Database, model: ManagedObjectModel, identity: StoreIdentity
  ) throws {
    let application = try Int32.fetchOne(db, sql: "PRAGMA application_id")
    guard application == identity.applicationID else {
      // On a full disk, the process that created the file may have left it empty.
      if application == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 {
        throw StoreError.older(version: 0, known: model.version)
      }
      throw StoreError.foreign("\(path) belongs to another program")
    }
    let version = try Schema.version(in: db)
    try Schema.checkNotNewer(than: model, in: db)
    if version < model.version { throw StoreError.older(version: version, known: model.version) }
    if try Schema.hasEarlierDates(of: model, in: db) {
      throw StoreError.incompatible("\(path): \(TableShape.earlierDates)")
    }
    for entity in model.entities where !Self.isTable(entity, in: db) {
      throw StoreError.corrupt(
        "\(path): the table \(entity.name) is missing or has other columns than those of version \(model.version)"
      )
    }
  }

  /// Returns whether a table has all columns of an entity.
  private static func isTable(_ entity: EntityDescription, in db: Database) -> Bool {
    (["id", "version"] + entity.attributes.map(\.name)).allSatisfy { column in
      Schema.type(ofColumn: column, in: entity.name, db) != nil
    }
  }

  /// Checks the file for damage. In a transaction, pages that were read before would hide a disk error.
  func verify(_ db: Database, model: ManagedObjectModel) throws {
    guard let finding = try Self.finding(in: db) else { return }
    try Self.readTables(of: model, in: db)
    guard try Self.finding(in: db) != nil else { throw DatabaseError(resultCode: .SQLITE_IOERR_READ) }
    throw StoreError.corrupt("\(path): \(finding)")
  }

  /// Returns the first damage found; nil if the file is intact.
  private static func finding(in db: Database) throws -> String? {
    let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "the check returned no result"
    return finding == "ok" ? nil : finding
  }

  /// Reads all tables, because the check reports a disk error as damage.
  ///
  /// - Throws: The disk error.
  private static func readTables(of model: ManagedObjectModel, in db: Database) throws {
    for entity in model.entities {
      do {
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(quoted(entity.name)) NOT INDEXED")
      } catch let error as DatabaseError where error.resultCode != .SQLITE_IOERR {
        // Damage, which was found already.
      }
    }
  }

  /// The path for SQLite; a URI if parameters are needed (sqlite.org/uri.html).
  private var address: String {
    isImmutable ? Self.immutableAddress(of: path) : path
  }

  /// Returns a file's URI for reading without locks, and without files beside it.
  static func immutableAddress(of path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let escaped = absolute.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? absolute
    return "file://\(escaped)?mode=ro&immutable=1"
  }
}
