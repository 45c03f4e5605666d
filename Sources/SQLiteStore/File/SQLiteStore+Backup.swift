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
  /// - Throws: ``StoreError/cannotOpen(_:)`` where something is at the path; nothing is left there by a failure. Errors of
  ///   the copy name it, and not the store.
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
private final class BackupPart {
  let file: String
  private let path: String

  init(of path: String) throws(StoreError) {
    guard !path.isEmpty else { throw .cannotOpen("'': no name") }
    guard !Self.isThere(path) else { throw .cannotOpen("\(path) is there already") }
    self.path = path
    let place = path as NSString
    let folder = place.deletingLastPathComponent
    Self.removeOld(of: place.lastPathComponent, in: folder.isEmpty ? "." : folder)
    // Under a name that is nobody's.
    let name = ".\(place.lastPathComponent).\(UUID().uuidString)\(Self.ending)"
    file = (folder as NSString).appendingPathComponent(name)
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
    close(descriptor)
  }

  private static let ending = ".newsimport-part"
  /// In seconds; what a copy is being written to has changed a moment ago.
  private static let longAgo: TimeInterval = 3600

  /// Removes what processes left that were killed while they copied to a name.
  private static func removeOld(of name: String, in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for left in names where left.hasPrefix(".\(name).") && left.contains(ending) {
      let file = (folder as NSString).appendingPathComponent(left)
      let changed = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      if let changed, Date().timeIntervalSince(changed) > longAgo { unsafe unlink(file) }
    }
  }

  /// Gives it its name, which it takes from nobody.
  func takePlace() throws(StoreError) {
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
