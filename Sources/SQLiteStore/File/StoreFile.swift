internal import Foundation
internal import GRDB
internal import ManagedContext

#if canImport(Glibc)
  internal import Glibc
#endif

/// What tells one program's SQLite files from another's.
public struct StoreIdentity: Sendable {
  /// Written into the file's header (`PRAGMA application_id`).
  public let applicationID: Int32
  /// Statements that are run when a store is made, after the tables: views for people who query the file.
  ///
  /// A migration makes them anew; a view that changes needs a new version of the model.
  public let views: [String]
  /// The names of views that older versions made and this one does not: a migration leaves them out, and keeps
  /// those that people made for themselves.
  public let formerViews: [String]
  /// What a migration to a version does to the rows of older files: statements that are run in the migration's
  /// transaction, after the new columns exist and before the new indexes do.
  public let conversions: [(version: Int, statements: [String])]

  /// Describes the program that owns the files.
  public init(
    applicationID: Int32, views: [String] = [], formerViews: [String] = [],
    conversions: [(version: Int, statements: [String])] = []
  ) {
    self.applicationID = applicationID
    self.views = views
    self.formerViews = formerViews
    self.conversions = conversions
  }
}

/// Which file a path leads to, whatever it is called.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64

  var storeNumber: StoreNumber { StoreNumber.ofFile(device: device, inode: number) }
}

/// The file of a store: made with the right modes, and checked before anything could change it.
enum StoreFile {
  /// Makes the file where there is none, and refuses one that is not ours or too new, without touching it.
  ///
  /// - Returns: The version of the model that the file was made with; 0 for one without tables.
  static func prepare(path: String, identity: StoreIdentity, version: Int) throws(StoreError) -> Int {
    var status = stat()
    var found = 0
    if unsafe stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw .cannotOpen("\(path) is \(status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file")")
      }
      if status.st_size > 0 {
        found = try check(
          file: ReadOnlyFile(path: path, isImmutable: false), size: Int(status.st_size), identity: identity,
          version: version)
      }
      if unsafe access(path, W_OK) != 0 { throw .readOnly("\(path): \(lastCause())") }
    } else {
      try create(path: path)
    }
    return found
  }

  /// Which file is at a path; nil when there is none.
  static func identity(of path: String) -> FileIdentity? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  /// In bytes; 0 where there is no file.
  static func size(of path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func create(path: String) throws(StoreError) {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw .cannotOpen("the folder \(folder) cannot be made")
      }
    }
    // Made by somebody else meanwhile is as good, and must not be opened: see `check`.
    try createEmpty(path: path)
  }

  /// Makes a file of its owner's alone, without content, for SQLite to fill; one that is there stays.
  static func createEmpty(path: String) throws(StoreError) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 || errno == EEXIST else {
      throw .cannotOpen("\(path): \(lastCause())")
    }
    if file >= 0 { close(file) }
  }

  /// Asks SQLite whose file it is, and of which version.
  ///
  /// Not by a connection that writes, because opening alone may change a file that is not ours; and not without
  /// SQLite, because closing a file takes away the locks that this process has on it by other connections
  /// (sqlite.org/howtocorrupt.html, 2.2).
  /// - Returns: The version of the model that it was made with; 0 for a file without tables.
  static func check(
    file: ReadOnlyFile, size: Int, identity: StoreIdentity, version: Int
  ) throws(StoreError) -> Int {
    let path = file.path
    let header = try header(of: file)
    // What is missing reads as zeros, so that SQLite may take a cut file for a whole one.
    guard size >= header.pageSize || file.hasLog else { throw .corrupt("\(path) was cut off") }
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
    /// Without a table and an owner: just made.
    let isEmpty: Bool
  }

  private static func header(of file: ReadOnlyFile) throws(StoreError) -> Header {
    if !file.isImmutable && !file.hasLog {
      // Nobody has it open: without locks, SQLite makes no files beside it. Who begins to write just now may make
      // that fail, or give a file without an owner.
      let alone = ReadOnlyFile(path: file.path, isImmutable: true)
      if let header = try? readHeader(of: alone), header.application != 0 { return header }
    }
    return try readHeader(of: file)
  }

  private static func readHeader(of file: ReadOnlyFile) throws(StoreError) -> Header {
    try describingErrors(path: file.path) { () throws(any Error) in
      try file.open(readers: 1).unsafeRead { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        return Header(
          application: application, version: try Schema.version(in: db),
          pageSize: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0,
          isEmpty: application == 0 && tables == 0)
      }
    }
  }

  /// Runs `body`, turning SQLite's errors into ours with the file's name.
  static func describingErrors<Value>(
    path: String, _ body: () throws(any Error) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch {
      throw .inputOutput("\(path): \(error)")
    }
  }

  /// What the last system call says of its failure.
  static func lastCause() -> String {
    unsafe String(cString: strerror(errno))
  }
}

extension StoreError {
  init(_ error: DatabaseError, path: String) {
    let cause = "\(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")"
    switch error.extendedResultCode {
    case .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMLOCK:
      self = .inputOutput(
        "\(path): its file system gives no shared memory, which programs that use a store at the same time need; keep "
          + "the store on a local disk")
      return
    default: break
    }
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
    case .SQLITE_FULL: self = .full(cause)
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(cause)
    case .SQLITE_CANTOPEN: self = .cannotOpen(cause)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(cause)
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: self = .invalid(cause)
    case .SQLITE_ERROR where cause.contains("stack overflow") || cause.contains("too large"):
      self = .request("\(path): a predicate is too deep or too long (\(cause))")
    default: self = .inputOutput(cause)
    }
  }
}
