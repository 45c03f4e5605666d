import Glibc
import ManagedContext
import NewsModel
import SQLiteStore

/// A store in a file.
extension SQLiteStore: NewsStore {
  /// Locks a byte of the file of locks beside the store: locks of whole files would let one slow program stop the others.
  func lock(_ place: UInt32) throws -> (any StoreLock)? {
    do throws(ByteLock.Failure) {
      return try ByteLock(Int64(place), ofStore: name)
    } catch {
      throw CommandFailure(.cannotCreate, error.text(ofStore: name))
    }
  }

  func heir(ofLock place: UInt32) -> Int32? {
    let holders = ByteLock.holders(of: Int64(place), ofStore: name)
    guard holders.allSatisfy(\.isInherited) else { return nil }
    // A program leads its process group; its own children have the lock, too, and may have smaller numbers.
    return (holders.first { getpgid($0.process) == $0.process } ?? holders.first)?.process
  }
}

extension SQLiteStore {
  /// Runs the statements of ``StatisticsReader``.
  var statisticsQuery: StatisticsReader.Query {
    { (text, visit) throws(StoreError) in try self.query(text, visit: visit) }
  }
}

extension ByteLock: StoreLock {}
