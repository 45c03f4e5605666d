import Foundation
import ManagedContext

/// Checks whether an open store is still the one at its location.
@MainActor
final class StorePresence {
  private let location: StoreLocation
  /// The file's identity before it was opened; nil without a file.
  private let file: FileNumber?
  /// The newest transaction that the store had at the last check.
  private var newest: HistoryToken?
  private var asked: ContinuousClock.Instant?
  /// The time by the store's clock at which the store was last found at its location; nil before that.
  private(set) var seen: Date?

  /// Must be created before the store is opened, so that a store that replaces it in between is recognized.
  init(_ location: StoreLocation) {
    self.location = location
    if case .file(let path) = location { file = FileNumber(path) } else { file = nil }
  }

  /// Returns false if the store was removed, replaced, or restored from a backup.
  func isThere(_ store: any NewsStore) -> Bool {
    let time = store.now()
    if case .file(let path) = location {
      guard file != nil, FileNumber(path) == file else { return false }
      seen = time
      return true
    }
    let now = ContinuousClock.now
    if let asked, now - asked < location.lookInterval { return true }
    asked = now
    do throws(StoreError) {
      _ = try store.followedHistory(after: newest, limit: 0)
      newest = try store.currentHistoryToken() ?? newest
      seen = time
    } catch .history(.foreign) {
      return false
    } catch {
      // A store that cannot be asked now may be the same later.
    }
    return true
  }
}
