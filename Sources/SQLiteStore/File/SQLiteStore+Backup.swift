internal import Foundation
internal import GRDB
internal import Glibc
public import ManagedContext

extension SQLiteStore {
  /// Copies the committed content into a new file without free pages, while other connections read and write
  /// (sqlite.org/lang_vacuum.html#vacuuminto).
  ///
  /// - Parameter path: The path of the copy, which must not exist yet. Only its owner can read the copy.
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the path exists. After a failure no file is left there. Errors in
  ///   writing the copy contain its path instead of the store's path.
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
      // Runs on the connection that can be interrupted; in a pool this is the writer.
      if let writer { try writer.writeWithoutTransaction(copy) } else { try reader.unsafeRead(copy) }
    }
    try part.takePlace()
  }

  /// Returns whether an error concerns the new file. The store is only read, so errors in writing concern the copy.
  private static func isOfCopy(_ error: DatabaseError) -> Bool {
    let ofStore: [ResultCode] = [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS]
    return error.resultCode == .SQLITE_FULL
      || error.resultCode == .SQLITE_IOERR && !ofStore.contains(error.extendedResultCode)
  }
}

/// A copy under a temporary name in the target folder, so that an interrupted copy is not mistaken for a complete one.
private final class BackupPart {
  let file: String
  private let path: String

  init(of path: String) throws(StoreError) {
    guard !path.isEmpty else { throw .cannotOpen("'': no name") }
    guard FileStatus(path: path, followsLinks: false) == nil else {
      throw .cannotOpen("\(path) already exists")
    }
    self.path = path
    let place = path as NSString
    let folder = place.deletingLastPathComponent
    Self.removeOld(of: place.lastPathComponent, in: folder.isEmpty ? "." : folder)
    // A unique name, which no other process uses.
    let name = ".\(place.lastPathComponent).\(UUID().uuidString)\(Self.ending)"
    file = (folder as NSString).appendingPathComponent(name)
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
    close(descriptor)
  }

  private static let ending = ".newsimport-part"
  /// The age of an abandoned copy, in seconds; a copy in progress was changed more recently.
  private static let longAgo: TimeInterval = 3600

  /// Removes unfinished copies to the same name, which result from killed processes.
  private static func removeOld(of name: String, in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for left in names where left.hasPrefix(".\(name).") && left.contains(ending) {
      let file = (folder as NSString).appendingPathComponent(left)
      guard let status = FileStatus(path: file, followsLinks: false) else { continue }
      if Date().timeIntervalSince(status.changed) > longAgo { unsafe unlink(file) }
    }
  }

  /// Renames the finished copy into place; an existing file is not replaced.
  func takePlace() throws(StoreError) {
    if unsafe link(file, path) == 0 { return }
    // Some file systems do not support hard links.
    guard errno != EEXIST, FileStatus(path: path, followsLinks: false) == nil else {
      throw .cannotOpen("\(path) already exists")
    }
    guard unsafe rename(file, path) == 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
  }

  func remove() {
    for ending in ["-journal", ""] { unsafe unlink(file + ending) }
  }
}
