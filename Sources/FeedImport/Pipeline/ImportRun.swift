import HTTPDownload
import Locking
import ManagedContext

/// What the threads of one run share: how many feeds are under way, and whether the run is to end early.
final class ImportRun: Sendable {
  private struct State: Sendable {
    var remaining: Int
    var error: StoreError?
    var waiting: CheckedContinuation<StoreError?, Never>?
  }

  let options: ImportOptions
  private let downloader: Downloader
  private let state: Locked<State>

  init(feeds: Int, options: ImportOptions, downloader: Downloader) {
    self.options = options
    self.downloader = downloader
    state = Locked(State(remaining: feeds))
  }

  /// Lets a paused transfer go on.
  func resume(_ id: TransferID) {
    downloader.resume(id)
  }

  /// Counts a feed whose answer the store has, or which brought none.
  func feedEnded() {
    let ended = state.withLock { state -> (CheckedContinuation<StoreError?, Never>, StoreError?)? in
      state.remaining -= 1
      guard state.remaining == 0, let waiting = state.waiting else { return nil }
      state.waiting = nil
      return (waiting, state.error)
    }
    if let (waiting, error) = ended { waiting.resume(returning: error) }
  }

  /// Ends the run, because the store takes nothing more; what it took is kept.
  func abort(_ error: StoreError) {
    let isFirst = state.withLock { state -> Bool in
      guard state.error == nil else { return false }
      state.error = error
      return true
    }
    if isFirst { downloader.cancelAll() }
  }

  /// Waits until every feed has ended.
  ///
  /// - Returns: What ended the run early; nil when nothing did.
  func ended() async -> StoreError? {
    await withCheckedContinuation { continuation in
      let error = state.withLock { state -> StoreError?? in
        if state.remaining == 0 { return .some(state.error) }
        state.waiting = continuation
        return nil
      }
      if let error { continuation.resume(returning: error) }
    }
  }
}
