internal import Foundation
internal import GRDB

public import ManagedContext

extension SQLiteStore {
  /// Copies the committed content into a new file without free pages, while other connections read and write
  /// (sqlite.org/lang_vacuum.html#vacuuminto).
  ///
  /// - Parameter path: The path of the copy, which must not exist yet. Only its owner can read the copy.
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the path exists. After a failure no file is left there.
  ///   Errors in writing the copy contain its path instead of the store's path.
  public func backup(to path: String) throws(StoreError) {
    let part = try UnfinishedFile(of: path)
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
      if writer != nil { try onWriter(copy) } else { try onReader(copy) }
    }
    try part.takePlace()
  }

  /// Returns whether an error concerns the new file. The store is only read, so errors in writing concern the
  /// copy.
  private static func isOfCopy(_ error: DatabaseError) -> Bool {
    let ofStore: [ResultCode] = [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS]
    return error.resultCode == .SQLITE_FULL
      || error.resultCode == .SQLITE_IOERR && !ofStore.contains(error.extendedResultCode)
  }
}
