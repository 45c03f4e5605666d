import ManagedContext
import NewsModel
import PostgreSQLStore
import SQLiteStore
import TextSearch

/// A store on a server.
extension PostgreSQLStore: NewsStore {
  var statistics: StatisticsQuery {
    StatisticsQuery(.postgresql) { (text, visit) throws(StoreError) in try self.select(text, visit: visit) }
  }

  /// A server verifies the data that it reads.
  func quickCheck() throws(StoreError) -> QuickCheck { QuickCheck() }

  func columns(ofView name: String) throws(StoreError) -> [String] {
    var names: [String] = []
    try query("SELECT * FROM \(name) LIMIT 0", begin: { names = $0 }, visit: { _ in false })
    return names
  }

  func size() throws(StoreError) -> StoreSize {
    StoreSize(version: NewsModel.model.version, bytes: try byteCount())
  }

  func backup(to path: String) throws(StoreError) {
    let name = name
    try withCopySource { (source) throws(StoreError) in
      try StoreLocation.file(path).make { (target) throws(StoreError) in
        var copy = StoreCopy(NewsModel.model, of: name) { (_) throws(StoreError) in
          if self.isStopped { throw .busy }
        }
        _ = try copy.run(from: source, to: target)
      }
    }
  }

  func interrupt() { stopWaiting() }

  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex {
    try ServerSearchIndex(of: self, source, SearchIndex.highlights)
  }

  /// Takes an advisory lock in a separate session. A program that inherits the socket keeps the session.
  func lock(_ place: UInt32) throws -> (any StoreLock)? {
    do throws(StoreError) {
      return try sessionLock(place)
    } catch {
      throw CommandFailure(error, store: .server(fullAddress))
    }
  }

  /// Always nil: the server knows sessions, not the processes that hold them.
  func heir(ofLock place: UInt32) -> Int32? { nil }
}

extension SessionLock: StoreLock {}
