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
  /// A migration drops all views of the file and runs them again; a view that changes needs a new version of the model.
  public let views: [String]

  /// Describes the program that owns the files.
  public init(applicationID: Int32, views: [String] = []) {
    self.applicationID = applicationID
    self.views = views
  }
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
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannotOpen("\(path): \(lastCause())") }
    close(file)
  }

  /// Reads the header's fields as the file format describes them (sqlite.org/fileformat2.html, 1.3).
  ///
  /// The file is not opened with SQLite for writing, because that alone may change a file that is not ours.
  /// - Returns: The version of the model that it was made with; 0 for a file without tables. A migration may have gone
  ///   to the log alone so far.
  static func check(
    file: ReadOnlyFile, size: Int, identity: StoreIdentity, version: Int
  ) throws(StoreError) -> Int {
    let path = file.path
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw .cannotOpen("\(path): \(lastCause())")
    }
    defer { try? handle.close() }
    let header = [UInt8]((try? handle.read(upToCount: 100)) ?? Data())
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .corrupt("\(path) is no SQLite file")
    }
    // SQLite takes a file of less than one page for an empty one, and would begin anew.
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    guard size >= (pageSize == 1 ? 65536 : pageSize) else { throw .corrupt("\(path) was cut off") }
    let number = { (offset: Int) in
      header[offset..<offset + 4].reduce(Int32(0)) { $0 << 8 | Int32($1) }
    }
    var (application, found) = (number(68), Int(number(60)))
    if application == 0 {
      // Perhaps made a moment ago and still in the log: only SQLite can tell.
      (application, found) = try identityByQuery(file)
    }
    let isEmpty = application == 0 && found < 0
    guard isEmpty || application == identity.applicationID else {
      throw .foreign("\(path) belongs to another program")
    }
    if found > version { throw .newer(version: found, known: version) }
    return max(found, 0)
  }

  /// The application ID and version as a read-only connection sees them; version -1 for a file without tables.
  private static func identityByQuery(_ file: ReadOnlyFile) throws(StoreError) -> (Int32, Int) {
    try describingErrors(path: file.path) { () throws(any Error) in
      try file.open(readers: 1).unsafeRead { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Schema.version(in: db)
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        return (application, application == 0 && tables == 0 ? -1 : version)
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
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
    case .SQLITE_FULL: self = .full(cause)
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(cause)
    case .SQLITE_CANTOPEN: self = .cannotOpen(cause)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(cause)
    case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: self = .invalid(cause)
    default: self = .inputOutput(cause)
    }
  }
}
