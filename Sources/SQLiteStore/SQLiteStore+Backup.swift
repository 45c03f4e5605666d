internal import Foundation
internal import GRDB
public import ManagedContext

#if canImport(Glibc)
  internal import Glibc
#endif

extension SQLiteStore {
  /// Copies what is committed now into a new file without free pages, while others read and write
  /// (sqlite.org/lang_vacuum.html#vacuuminto).
  ///
  /// - Parameter path: Where nothing is yet. The copy is readable by its owner alone.
  /// - Throws: ``StoreError/cannotOpen(_:)`` where something is at the path, or another copy is being written there;
  ///   nothing is left there by a failure. Errors of the copy name it, and not the store.
  public func backup(to path: String) throws(StoreError) {
    let part = try BackupPart(of: path)
    defer { part.remove() }
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      func copy(_ db: Database) throws {
        do {
          try db.execute(sql: "VACUUM INTO ?", arguments: [part.file])
        } catch let error as DatabaseError where Self.isOfCopy(error) {
          throw StoreError(error, path: path)
        }
      }
      // The connection that can be interrupted, which of a pool is the one that writes.
      if let writer { try writer.writeWithoutTransaction(copy) } else { try reader.unsafeRead(copy) }
    }
    try part.takePlace()
  }

  /// Whether the new file is what an error is about: the store is only read.
  private static func isOfCopy(_ error: DatabaseError) -> Bool {
    let ofStore: [ResultCode] = [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS]
    return error.resultCode == .SQLITE_FULL
      || error.resultCode == .SQLITE_IOERR && !ofStore.contains(error.extendedResultCode)
  }
}

/// A copy that is being written, beside its place, so that one that was cut is not taken for one.
///
/// Its name is the same each time, and who writes it has a lock on it (flock(2)): what a killed process left is found, and
/// written over.
private final class BackupPart {
  let file: String
  private let path: String
  private let descriptor: Int32

  init(of path: String) throws(StoreError) {
    guard !path.isEmpty else { throw .cannotOpen("'': no name") }
    guard !Self.isThere(path) else { throw .cannotOpen("\(path) is there already") }
    self.path = path
    let place = path as NSString
    let name = ".\(place.lastPathComponent).newsimport-part"
    file = (place.deletingLastPathComponent as NSString).appendingPathComponent(name)
    descriptor = try Self.lock(file, for: path)
    // SQLite wants to find nothing.
    ftruncate(descriptor, 0)
    unsafe unlink(file + "-journal")
  }

  deinit { close(descriptor) }

  private static func lock(_ file: String, for path: String) throws(StoreError) -> Int32 {
    while true {
      let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        close(descriptor)
        throw .cannotOpen("\(path): another copy is being written there")
      }
      // Its last owner may have moved or removed it meanwhile.
      var (opened, named) = (stat(), stat())
      if unsafe fstat(descriptor, &opened) == 0, unsafe lstat(file, &named) == 0,
        (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
      {
        return descriptor
      }
      close(descriptor)
    }
  }

  /// Gives it its name, which it takes from nobody.
  func takePlace() throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw .inputOutput("\(path): \(StoreFile.lastCause())") }
    if unsafe link(file, path) == 0 { return }
    // Some file systems have no second names.
    guard errno != EEXIST, !Self.isThere(path) else { throw .cannotOpen("\(path) is there already") }
    guard unsafe rename(file, path) == 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
  }

  func remove() {
    for ending in ["-journal", ""] { unsafe unlink(file + ending) }
  }

  /// Whether something has a name, also a link that leads nowhere.
  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }
}
