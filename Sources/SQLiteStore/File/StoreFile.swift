internal import CSystem
internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import ManagedContext
internal import TextOutput

/// The identity and the SQL additions of a program's SQLite files.
public struct StoreIdentity: Sendable {
  /// The ID in the file's header (`PRAGMA application_id`), which identifies the program's files.
  public let applicationID: Int32
  /// Statements that create views for manual queries. They run after the tables are created.
  ///
  /// A migration creates the views again; a changed view requires a new model version.
  public var views: [String] { makeViews() }
  /// The names of former views. A migration deletes them, and keeps views that users have added.
  public let formerViews: [String]
  /// Statements that convert rows in older files, by the version that introduced them. They run in the
  /// migration's transaction, after new columns and before new indexes are created.
  public var conversions: [(version: Int, statements: [String])] { makeConversions() }

  /// Columns that SQLite computes, for views.
  public let computedColumns: [ComputedColumn]

  /// SQL functions for ``conversions``, by name: each takes a text or null, and returns a number or null.
  public let functions: [String: @Sendable (String?) -> Int64?]

  private let makeViews: @Sendable () -> [String]
  private let makeConversions: @Sendable () -> [(version: Int, statements: [String])]

  /// Creates the identity of a program's files.
  ///
  /// The statements are made only when a file is created or migrated.
  public init(
    applicationID: Int32, views: @autoclosure @escaping @Sendable () -> [String] = [],
    formerViews: [String] = [],
    conversions: @autoclosure @escaping @Sendable () -> [(version: Int, statements: [String])] = [],
    computedColumns: [ComputedColumn] = [],
    functions: [String: @Sendable (String?) -> Int64?] = [:]
  ) {
    self.applicationID = applicationID
    makeViews = views
    self.formerViews = formerViews
    makeConversions = conversions
    self.functions = functions
    self.computedColumns = computedColumns
  }
}

/// A file's identity, independent of its path.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64

  var storeNumber: StoreNumber { StoreNumber.ofFile(device: device, inode: number) }
}

extension FileIdentity {
  /// Returns nil if the path does not exist or cannot be read.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  /// Checks that a path still leads to this file. SQLite opens further connections by the path, and writes on
  /// to a file that has none any more.
  func check(at path: String) throws(StoreError) {
    guard FileIdentity(path: path) == self else {
      throw .cannotOpen("\(path) was removed or replaced while it was open")
    }
  }
}

/// A file's status, as reported by stat(2).
struct FileStatus {
  let identity: FileIdentity
  /// The size, in bytes.
  let size: Int
  /// The date of the last content change.
  let changed: Date
  /// The read and write permissions.
  let permissions: mode_t
  /// True if files in this folder belong to the folder's group (the set-group-ID bit, inode(7)).
  let givesGroup: Bool
  private let kind: mode_t

  /// Returns nil if the path does not exist or cannot be read; `errno` is the reason.
  ///
  /// - Parameter followsLinks: False for the status of a symbolic link itself.
  init?(path: String, followsLinks: Bool = true) {
    var status = stat()
    guard unsafe (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    size = Int(status.st_size)
    let seconds = unsafe system_modification_time(&status)
    changed = Date(timeIntervalSince1970: seconds)
    (kind, permissions) = (status.st_mode & S_IFMT, status.st_mode & 0o666)
    givesGroup = status.st_mode & S_ISGID != 0
  }

  /// Checks that the path leads to a file.
  ///
  /// - Throws: ``StoreError/cannotOpen(_:)`` for a folder, a socket or a device.
  func checkIsFile(_ path: String) throws(StoreError) {
    guard kind == S_IFREG else {
      throw .cannotOpen("\(path) is \(kind == S_IFDIR ? "a folder" : "not a file")")
    }
  }
}

/// A store's file: created with the right permissions, and checked before anything can change it.
enum StoreFile {
  /// Creates a missing file. Rejects a newer version or another program's file, without changing it.
  ///
  /// - Returns: The model version in the file; 0 for a file without tables.
  static func prepare(path: String, identity: StoreIdentity, version: Int) throws(StoreError) -> Int {
    guard let status = FileStatus(path: path) else {
      try create(path: path)
      return 0
    }
    try status.checkIsFile(path)
    var found = 0
    if status.size > 0 {
      found = try check(
        file: ReadOnlyFile(path: path, isImmutable: false), size: status.size, identity: identity,
        version: version)
    }
    if unsafe access(path, W_OK) != 0 { throw .readOnly("\(path): \(systemCause())") }
    return found
  }

  private static func create(path: String) throws(StoreError) {
    let folder = FilePath.folder(of: path)
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .cannotOpen("the folder \(folder) cannot be created")
    }
    // If another process has created the file since, it must not be opened here: see `check`.
    // In a folder that gives files its group, the group may read the store, whatever the umask is. SQLite gives
    // its log the same permissions.
    try createEmpty(path: path, permissions: FileStatus(path: folder)?.givesGroup == true ? 0o640 : 0o600)
  }

  /// Creates an empty file; an existing file is not changed.
  static func createEmpty(path: String, permissions: mode_t) throws(StoreError) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 || errno == EEXIST else {
      throw .cannotOpen("\(path): \(systemCause())")
    }
    guard file >= 0 else { return }
    fchmod(file, permissions)
    close(file)
  }

  /// Reads a file's owner and version with SQLite.
  ///
  /// A writing connection is not used, because opening alone may change another program's file. The file is
  /// not read without SQLite either, because closing it would release the locks of this process's other
  /// connections (sqlite.org/howtocorrupt.html, 2.2).
  ///
  /// - Returns: The model version in the file; 0 for a file without tables.
  static func check(
    file: ReadOnlyFile, size: Int, identity: StoreIdentity, version: Int
  ) throws(StoreError) -> Int {
    let path = file.path
    let header = try header(of: file)
    // SQLite reads missing bytes as zeros and may therefore accept a truncated file.
    guard size >= header.pageSize || file.hasLog else { throw .corrupt("\(path) is truncated") }
    guard header.isEmpty || header.application == identity.applicationID else {
      throw .foreign("\(path) belongs to another program")
    }
    if header.version > version { throw .newer(version: header.version, known: version) }
    return header.version
  }

  private struct Header {
    let application: Int32
    let version: Int
    let pageSize: Int
    /// True if the file has neither a table nor an owner: it was just created.
    let isEmpty: Bool
  }

  private static func header(of file: ReadOnlyFile) throws(StoreError) -> Header {
    if !file.isImmutable && !file.hasLog {
      // No connection is open, and without locks SQLite creates no files beside this one. If a writer starts
      // at this moment, this read may fail or return no owner.
      if let header = headerOfUnusedFile(file.path), header.application != 0 { return header }
    }
    return try readHeader(of: file)
  }

  /// Reads the header of a file without a log. GRDB would read all definitions in the file first.
  ///
  /// - Returns: Nil if SQLite cannot read it.
  private static func headerOfUnusedFile(_ path: String) -> Header? {
    var connection: OpaquePointer?
    defer { unsafe sqlite3_close(connection) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    guard
      unsafe sqlite3_open_v2(ReadOnlyFile.immutableAddress(of: path), &connection, flags, nil) == SQLITE_OK,
      let application = unsafe number("PRAGMA application_id", connection),
      let version = unsafe number("PRAGMA user_version", connection),
      let pageSize = unsafe number("PRAGMA page_size", connection)
    else { return nil }
    return Header(
      application: Int32(truncatingIfNeeded: application), version: Int(version), pageSize: Int(pageSize),
      isEmpty: false)
  }

  /// Returns the number that a statement yields; nil if it fails.
  private static func number(_ sql: String, _ connection: OpaquePointer?) -> Int64? {
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return unsafe sqlite3_column_int64(statement, 0)
  }

  private static func readHeader(of file: ReadOnlyFile) throws(StoreError) -> Header {
    try describingErrors(path: file.path) { () throws(any Error) in
      // In a transaction: another process may create the tables at this moment.
      try file.open(readers: 1).read { db in
        try db.describingErrors(path: file.path) {
          let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
          let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
          return Header(
            application: application, version: try Schema.version(in: db),
            pageSize: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0,
            isEmpty: application == 0 && tables == 0)
        }
      }
    }
  }

  /// Runs `body`, and converts SQLite's errors to ``StoreError`` with the file's name.
  static func describingErrors<Value>(
    path: String, _ body: () throws(any Error) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      // The connection that knows the system's cause is closed already.
      throw StoreError(error, path: path, systemError: systemError(ofReading: path))
    } catch {
      throw .inputOutput("\(path): \(error)")
    }
  }

  /// Tries to read the file again, and returns the system's error; 0 on success.
  private static func systemError(ofReading path: String) -> Int32 {
    var connection: OpaquePointer?
    defer { unsafe sqlite3_close(connection) }
    let code = unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
    guard
      unsafe code != SQLITE_OK
        || sqlite3_exec(connection, "PRAGMA schema_version", nil, nil, nil) != SQLITE_OK
    else { return 0 }
    return unsafe sqlite3_system_errno(connection)
  }
}

extension Database {
  /// Runs `body`, and converts its errors to ``StoreError`` with the system's cause, which only the
  /// connection knows. Permission errors are left to ``SQLiteStore/onReader(_:)``, which may repeat `body`.
  func describingErrors<Value>(path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode != .SQLITE_READONLY {
      throw StoreError(error, path: path, systemError: unsafe sqlite3_system_errno(sqliteConnection))
    }
  }
}

extension StoreError {
  /// - Parameter systemError: The error from the last failed file-system call; 0 if unknown.
  init(_ error: DatabaseError, path: String, systemError: Int32 = 0) {
    let isOfSystem = [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_FULL].contains(error.resultCode)
    let system = systemError == 0 || !isOfSystem ? "" : ": \(systemCause(systemError))"
    let cause = "\(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")\(system)"
    let isFull =
      [ENOSPC, EDQUOT].contains(systemError) || (systemError == 0 && !FreeSpace.exists(beside: path))
    if isOfSystem, isFull {
      self = .full(systemError == 0 ? "\(path): no space is left on the disk" : cause)
      return
    }
    // SQLite loses the cause of a failed write if it can undo the write.
    if isOfSystem, systemError == EFBIG || (systemError == 0 && FreeSpace.isFileSizeLimited) {
      self = .inputOutput("\(path): the size of files is limited; raise the limit (ulimit -f)")
      return
    }
    switch error.extendedResultCode {
    case .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMLOCK:
      // Without a cause the failure has passed.
      let isUnsupported = ![0, EIO].contains(systemError)
      self = .inputOutput(
        isUnsupported
          ? "\(path): its file system does not support shared memory, which concurrent programs need; keep "
            + "the store on a local disk" : cause)
      return
    default: break
    }
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
    case .SQLITE_FULL:
      // There is room now. SQLite also reports a table without a free row ID (sqlite.org/autoinc.html).
      self = .full("\(path): the disk was full (or a row has the largest possible number)")
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(cause)
    case .SQLITE_CANTOPEN where systemError == EIO: self = .inputOutput(cause)
    case .SQLITE_CANTOPEN: self = .cannotOpen(cause)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(cause)
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: self = .invalid(cause)
    case .SQLITE_ERROR where cause.contains("stack overflow") || cause.contains("too large"):
      self = .request("\(path): a predicate is too deep or too long (\(cause))")
    default: self = .inputOutput(cause)
    }
  }
}

/// A file system's free space.
enum FreeSpace {
  /// The size of the shared-memory index, which every reader creates for a store without a log.
  private static let needed = 64 << 10

  /// True if this process has a file size limit (RLIMIT_FSIZE in getrlimit(2)).
  static var isFileSizeLimited: Bool {
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
      && limit.rlim_cur != .max
  }

  /// Returns whether this process can create a small file beside another one; true if unknown.
  static func exists(beside path: String) -> Bool {
    var status = statvfs()
    guard unsafe statvfs(ReadOnlyFile.folder(of: path), &status) == 0 else { return true }
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    return UInt64(blocks) * UInt64(status.f_frsize) >= Self.needed
  }
}
