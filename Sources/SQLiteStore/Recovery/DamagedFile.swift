internal import CSQLiteRecovery
internal import GRDBSQLite
internal import Foundation
internal import ManagedContext
internal import TextOutput

/// A damaged file's copy, which SQLite's recovery reads page by page (sqlite.org/recovery.html).
@safe final class DamagedFile {
  private let connection: OpaquePointer
  private let path: String

  /// The table with the rows that belong to no known table.
  static let lostRows = "lost_and_found"
  private static let blockBytes = 1 << 20
  /// The block size for reading a damaged disk.
  private static let sectorBytes = 4096
  private static let headerBytes = 100

  init(path: String) throws(StoreError) {
    var connection: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let connection = unsafe connection else {
      unsafe sqlite3_close(connection)
      throw .cannotOpen("\(path): \(systemCause())")
    }
    unsafe self.connection = connection
    self.path = path
  }

  deinit { unsafe sqlite3_close(connection) }

  /// Copies everything that can be found into a new file. Rows without a known table are put into
  /// ``lostRows``.
  ///
  /// Unused pages are not read: they may have deleted rows.
  ///
  /// - Parameter isStopped: Called often; true stops with ``StoreError/busy``.
  /// - Throws: ``StoreError/corrupt(_:)`` if the file is not a database.
  func recover(to target: String, until isStopped: () -> Bool) throws(StoreError) {
    guard unsafe database_pages_add(connection) == SQLITE_OK, database_pages_limit_attaching() == SQLITE_OK
    else { throw .inputOutput("\(path): not enough memory") }
    defer { database_pages_allow_attaching() }
    let recovery = unsafe sqlite3_recover_init(connection, "main", target)
    var lostRows = Array(Self.lostRows.utf8CString)
    var readsUnusedPages: Int32 = 0
    unsafe sqlite3_recover_config(recovery, SQLITE_RECOVER_LOST_AND_FOUND, &lostRows)
    unsafe sqlite3_recover_config(recovery, SQLITE_RECOVER_FREELIST_CORRUPT, &readsUnusedPages)
    var isInterrupted = false
    while unsafe sqlite3_recover_step(recovery) == SQLITE_OK {
      isInterrupted = isStopped()
      if isInterrupted { break }
    }
    let cause = unsafe sqlite3_recover_errmsg(recovery).map { unsafe String(cString: $0) } ?? ""
    let code = unsafe sqlite3_recover_finish(recovery)
    if isInterrupted { throw .busy }
    switch code {
    case SQLITE_OK: return
    case SQLITE_FULL: throw .full("\(path): \(cause)")
    case SQLITE_NOTADB, SQLITE_CORRUPT: throw .corrupt(cause)
    default: throw .inputOutput("\(path): \(cause)")
    }
  }

  /// Writes the changes in the log into the file.
  ///
  /// - Returns: The count of log pages that belong to earlier commits or follow damage, which SQLite does not
  ///   read.
  static func applyLog(of path: String, pageBytes: Int) throws(StoreError) -> Int {
    let headers = (log: 32, page: 24)
    let pages =
      max(0, (FileStatus(path: path + "-wal")?.size ?? 0) - headers.log) / (pageBytes + headers.page)
    let file = try DamagedFile(path: path)
    return max(0, pages - max(0, file.checkpoint()))
  }

  /// Returns the page count of the log; 0 if it does not exist or cannot be read.
  private func checkpoint() -> Int {
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    guard
      unsafe sqlite3_prepare_v2(connection, "PRAGMA wal_checkpoint(PASSIVE)", -1, &statement, nil)
        == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { return 0 }
    return Int(unsafe sqlite3_column_int(statement, 1))
  }

  /// Copies a file's bytes. Sectors that the disk cannot read are zero in the copy.
  ///
  /// - Parameter isNeeded: False if the file may be missing.
  static func copyBytes(of path: String, to copy: String, isNeeded: Bool) throws(StoreError) {
    let source = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      if !isNeeded, errno == ENOENT { return }
      throw .cannotOpen("\(path): \(systemCause())")
    }
    defer { close(source) }
    let target = unsafe open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw .cannotOpen("\(copy): \(systemCause())") }
    defer { close(target) }
    var block = [UInt8](repeating: 0, count: blockBytes)
    var offset = 0
    while true {
      var count = unsafe pread(source, &block, block.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        count = unsafe pread(source, &block, sectorBytes, off_t(offset))
        if count < 0 {
          guard errno == EIO else { throw .inputOutput("\(path): \(systemCause())") }
          count = sectorBytes
          for index in 0..<count { block[index] = 0 }
        }
      }
      if count == 0 { return }
      guard unsafe pwrite(target, block, count, off_t(offset)) == count else {
        throw errno == ENOSPC
          ? .full("\(copy): \(systemCause())") : .inputOutput("\(copy): \(systemCause())")
      }
      offset += count
    }
  }

  /// Fills a file's header with zeros. The recovery then determines the page size by itself.
  static func clearHeader(of path: String) throws(StoreError) {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw .cannotOpen("\(path): \(systemCause())") }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: headerBytes)
    guard unsafe pwrite(file, zeros, zeros.count, 0) == zeros.count else {
      throw .inputOutput("\(path): \(systemCause())")
    }
  }
}
