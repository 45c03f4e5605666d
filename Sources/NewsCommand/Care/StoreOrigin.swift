import ManagedContext
import SQLiteStore

/// Positions in the history of a store, by which an attached store is recognized when it is read again.
///
/// A store that has grown, a copy of it, and one that was restored from a backup have at least one of the positions, or have
/// purged it. A store that has replaced it has neither.
struct StoreOrigin {
  /// The oldest transaction that the store had when it was attached, and the newest one.
  private let tokens: [HistoryToken]

  /// The tokens in one text.
  var text: String { tokens.map(\.text).joined(separator: " ") }

  /// Reads the positions of a store; nil if it has no history.
  init?(of store: SQLiteStore) throws(StoreError) {
    let tokens = [
      try store.followedHistory(after: nil, limit: 1).transactions.first?.token,
      try store.currentHistoryToken(),
    ].compactMap(\.self).filter { $0.check != nil }
    guard !tokens.isEmpty else { return nil }
    self.tokens = tokens
  }

  /// Reads the ``text``; nil if it is another text.
  init?(text: String) {
    tokens = text.split(separator: " ").compactMap { HistoryToken(text: String($0)) }
    guard !tokens.isEmpty else { return nil }
  }

  /// Returns whether a store has none of the positions, and has not purged them.
  func isForeign(to store: SQLiteStore) throws(StoreError) -> Bool {
    for token in tokens {
      do throws(StoreError) {
        _ = try store.followedHistory(after: token, limit: 0)
        return false
      } catch .history(.foreign) {
        continue
      } catch .history {
        return false
      }
    }
    return true
  }
}
