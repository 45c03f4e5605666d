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

  /// Must be created before the store is opened, so that a store that replaces it in between is recognized.
  init(_ location: StoreLocation) {
    self.location = location
    if case .file(let path) = location { file = FileNumber(path) } else { file = nil }
  }

  /// Returns false if the store was removed, replaced, or restored from a backup.
  func isThere(_ store: any NewsStore) -> Bool {
    if case .file(let path) = location {
      return file != nil && FileNumber(path) == file
    }
    let now = ContinuousClock.now
    if let asked, now - asked < location.lookInterval { return true }
    asked = now
    do throws(StoreError) {
      _ = try store.followedHistory(after: newest, limit: 0)
      newest = try store.currentHistoryToken() ?? newest
    } catch .history(.foreign) {
      return false
    } catch {
      // A store that cannot be asked now may be the same later.
    }
    return true
  }
}
