import Foundation
import ManagedContext

/// Whether an open store is still the one at its location.
@MainActor
final class StorePresence {
  private let location: StoreLocation
  /// The file before it was opened; nil without one.
  private let file: FileNumber?
  /// The newest transaction that the store had when it was last asked.
  private var newest: HistoryToken?
  private var asked: ContinuousClock.Instant?
  /// The time by the store's clock at which the store was last found at its location; nil before that.
  private(set) var seen: Date?

  /// To be created before the store is opened, so that a store that replaces it meanwhile is recognized as another one.
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
