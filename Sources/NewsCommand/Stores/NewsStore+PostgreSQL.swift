import ManagedContext
import NewsModel
import PostgreSQLStore
import SQLiteStore
import TextSearch

/// A store on a server.
extension PostgreSQLStore: NewsStore {
  var statistics: StatisticsQuery {
    StatisticsQuery(.postgresql) { (text, visit) throws(StoreError) in try self.query(text, visit: visit) }
  }

  /// A server checks what it reads itself.
  func quickCheck() throws(StoreError) -> QuickCheck { QuickCheck() }

  /// Always empty: the server's own messages have hints.
  func hint(_ cause: String, about statement: String) throws(StoreError) -> String { "" }

  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex {
    try ServerSearchIndex(of: self, source, FTSWordRules())
  }

  /// Takes an advisory lock in a session of its own. A program that inherits the socket keeps the session.
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
