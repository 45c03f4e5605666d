internal import Foundation
internal import GRDB
internal import ManagedContext

/// Waits for a store's log while another user writes it.
///
/// The log has an index (sqlite.org/walformat.html). A reader without write permission cannot create the
/// index, and gets an error while a writer is creating or removing the log and its index.
struct LogPatience {
  /// The maximum wait, in seconds: an abandoned log stays unreadable.
  var limit: TimeInterval = 5

  /// Runs `body`, which reads, until it does not meet an unfinished log.
  func untilReadable<Value>(_ body: () throws -> Value) throws -> Value {
    try retrying(body) { error in
      guard let error = error as? DatabaseError else { return false }
      return error.resultCode == .SQLITE_READONLY && error.extendedResultCode != .SQLITE_READONLY_ROLLBACK
    }
  }

  /// Runs `body`, which opens a file that exists, until it does not meet an unfinished log.
  func untilOpen<Value>(
    _ path: String, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try retrying(body) { error in
        switch error {
        case StoreError.readOnly: true
        // The log was removed while it was opened.
        case StoreError.cannotOpen: Self.isReadableFile(path)
        default: false
        }
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .inputOutput("\(path): \(error)")
    }
  }

  private func retrying<Value>(_ body: () throws -> Value, _ isPassing: (any Error) -> Bool) throws -> Value {
    let began = ContinuousClock.now
    while true {
      do {
        return try body()
      } catch {
        guard isPassing(error), ContinuousClock.now - began < .seconds(limit) else { throw error }
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  private static func isReadableFile(_ path: String) -> Bool {
    guard let status = FileStatus(path: path), (try? status.checkIsFile(path)) != nil else { return false }
    return unsafe access(path, R_OK) == 0
  }
}
