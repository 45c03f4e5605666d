import Foundation
import HTTPDownload
import Threading
import ManagedContext
import WebAddress

/// What the threads of one run share: how many feeds are under way, and whether the run is to end early.
final class ImportRun: Sendable {
  /// How a run ended.
  struct End: Sendable {
    /// What ended it early; nil when nothing did.
    var error: StoreError?
    /// Feeds whose answers the store refused.
    var unsaved: [FeedImporter.UnsavedFeed] = []
    /// Feeds that were not asked because their servers want to be left alone.
    var notAsked: [ManagedObjectID: AskPolicy.Refusal] = [:]
    /// Feeds that were not polled because another run may have claimed them.
    var withheld: [ManagedObjectID] = []
    /// Feeds that were removed while they were asked for.
    var removed: [ManagedObjectID] = []
    /// Feeds whose answers were thrown away, as another run has taken them over and has one that is newer.
    var overtaken: [ManagedObjectID] = []
    /// Feeds that failed because no server at all could be reached, each with the cause; nothing of it was saved.
    var unreachable: [ManagedObjectID: String] = [:]
    /// Whether any server has answered.
    var isReached = false
  }

  /// A feed whose server could not be reached, while none has been: whether that counts as its failure is decided when one
  /// is, or at the end.
  fileprivate struct Unreachable: Sendable {
    let request: FeedRequest
    let cause: String
    /// Counts it as the feed's failure.
    let count: @Sendable () -> Void
  }

  struct State: Sendable {
    /// Feeds whose last save is not on its way to the store yet.
    var unanswered: Int
    /// Feeds that have not ended.
    var remaining: Int
    var pauses: ServerPauses
    var end = End()
    var waiting: CheckedContinuation<End, Never>?
    fileprivate var unreachable: [Unreachable] = []
    /// True if failures are counted as they occur.
    var isDecided: Bool

    init(feeds: Int, pauses: ServerPauses, countsUnreachable: Bool) {
      (unanswered, remaining) = (feeds, feeds)
      self.pauses = pauses
      isDecided = countsUnreachable
    }
  }

  let options: ImportOptions
  /// Whether the store had no article when the run began: nothing is known of any feed then.
  let isFirstImport: Bool
  /// What the store had when the run began.
  let has: Contents

  /// What most stores have not, so that no feed of them is asked about it.
  struct Contents: Sendable {
    /// Articles that were deleted and must not come back. What another process deletes meanwhile is left out by the write
    /// itself (``BatchUpsert/exclusion``).
    var tombstones = true
    /// Feeds that have left an address.
    var formerAddresses = true
  }

  private let claims: Claims?
  private let activity: ImportActivity
  private let downloader: Downloader
  private let root: RootContext
  private let state: Locked<State>

  init(
    _ state: State, claims: Claims?, activity: ImportActivity, options: ImportOptions, downloader: Downloader,
    root: RootContext, isFirstImport: Bool, has: Contents
  ) {
    self.state = Locked(state)
    self.claims = claims
    self.activity = activity
    self.options = options
    self.downloader = downloader
    self.root = root
    self.isFirstImport = isFirstImport
    self.has = has
  }

  /// Lets a paused transfer go on.
  func resume(_ id: TransferID) {
    downloader.resume(id)
  }

  /// Counts a feed whose last save is on its way, or which brought none; after the last of them the root need
  /// not wait for more.
  func feedAnswered() {
    let isLast = state.withLock { state in
      state.unanswered -= 1
      return state.unanswered == 0
    }
    if isLast { root.flush() }
  }

  /// Counts a feed whose save has to be made again.
  func feedWaitsAgain() {
    state.withLock { $0.unanswered += 1 }
  }

  // MARK: Reaching servers

  /// Notes that a server was reached: those that could not be have failed.
  func noteReached() {
    let held = state.withLock { state -> [Unreachable] in
      state.end.isReached = true
      return state.takeUnreachable()
    }
    for feed in held { feed.count() }
  }

  /// Holds back the failure of a feed whose server could not be reached.
  ///
  /// - Parameter count: Counts it as the feed's failure; called when another server has been reached, or when none of the
  ///   feeds has worked before.
  /// - Returns: False where the failure is to be counted at once.
  func holdBack(
    _ request: FeedRequest, cause: String, count: @escaping @Sendable () -> Void
  ) -> Bool {
    let isHeld = state.withLock { state in
      guard !state.isDecided else { return false }
      state.unreachable.append(Unreachable(request: request, cause: cause, count: count))
      return true
    }
    if isHeld { decideAtEnd() }
    return isHeld
  }

  /// When nothing but unreachable feeds is left, and any of them has worked before, it is the network that has failed.
  private func decideAtEnd() {
    let (held, isOutage) = state.withLock { state -> ([Unreachable], Bool) in
      guard !state.isDecided, !state.unreachable.isEmpty, state.unreachable.count == state.remaining else {
        return ([], false)
      }
      let held = state.takeUnreachable()
      let isOutage = held.contains { $0.request.failures == 0 && $0.request.before.lastFetch != nil }
      if isOutage { for feed in held { state.end.unreachable[feed.request.feed] = feed.cause } }
      return (held, isOutage)
    }
    for feed in held {
      guard isOutage else {
        feed.count()
        continue
      }
      feedAnswered()
      feedEnded()
    }
  }

  /// Notes what an answer asks for; when its address is the second of its host that turns away, the requests that wait for
  /// their turn there are not made.
  func note(_ head: ResponseHead) {
    let now = options.now()
    let closed = state.withLock { $0.pauses.note(head, at: now, options.schedule) }
    if let closed { downloader.closeOrigin(closed) }
  }

  /// Whether nothing that servers have asked for speaks against asking an address.
  func mayAsk(_ address: WebAddress) -> Bool {
    let now = options.now()
    return state.withLock { $0.pauses.refusal(of: address, at: now) == nil }
  }

  /// Notes a feed that was not asked because an address is left alone: its own, or where a redirect leads.
  ///
  /// - Returns: Until when.
  @discardableResult
  func noteNotAsked(_ request: FeedRequest, at address: WebAddress) -> Date {
    let now = options.now()
    return state.withLock { state in
      let refusal = state.pauses.refusal(of: address, at: now) ?? .hostClosed(now)
      state.end.notAsked[request.feed] = refusal
      return switch refusal {
      case .notBefore(let date), .hostClosed(let date): date
      default: now
      }
    }
  }

  /// Notes a feed that is put off, because its host answers nobody.
  func notePutOff(_ request: FeedRequest, until date: Date, unanswered: Int, proxy: String?) {
    state.withLock { $0.end.notAsked[request.feed] = .hostSilent(date, feeds: unanswered, proxy: proxy) }
  }

  /// Notes a feed that is no more.
  func noteRemoved(_ request: FeedRequest) {
    state.withLock { $0.end.removed.append(request.feed) }
  }

  /// Notes a feed that another run has asked for meanwhile.
  func noteOvertaken(_ request: FeedRequest) {
    state.withLock { $0.end.overtaken.append(request.feed) }
  }

  /// Notes a feed that was not asked because it may be another run's.
  func noteWithheld(_ request: FeedRequest) {
    state.withLock { $0.end.withheld.append(request.feed) }
  }

  /// Returns whether a feed may be polled when its turn comes; called on the download thread.
  func begin(_ request: FeedRequest) -> Bool {
    let now = options.now()
    guard claims?.hold(request.feed, at: now) ?? true else { return false }
    activity.start(request.feed, .init(address: request.address, began: now))
    return true
  }

  /// Notes that a feed's transfer has ended; called on the download thread.
  func endTransfer(of request: FeedRequest) {
    activity.endTransfer(of: request.feed)
  }

  /// Counts a feed whose answer the store has, or which brought none.
  ///
  /// - Parameter failed: True if its answer was a failure.
  func feedEnded(failed: Bool = false) {
    activity.finish(failed: failed)
    let ended = state.withLock { state -> (CheckedContinuation<End, Never>, End)? in
      state.remaining -= 1
      guard state.remaining == 0, let waiting = state.waiting else { return nil }
      state.waiting = nil
      return (waiting, state.end)
    }
    if let (waiting, end) = ended { waiting.resume(returning: end) }
    decideAtEnd()
  }

  /// Notes that the store did not take a feed's save.
  ///
  /// Where the save is to blame, only its feed has failed; where the store is, the run ends: it would take
  /// nothing of the other feeds either.
  func saveFailed(_ error: StoreError, of request: FeedRequest) {
    let endsRun = state.withLock { state -> Bool in
      switch error {
      case .invalid, .conflict, .validation, .notFound:
        // Each part of one response fails with the first.
        if state.end.unsaved.last?.feed != request.feed {
          state.end.unsaved.append(.init(feed: request.feed, address: request.address, error: error))
        }
        return false
      default:
        guard state.end.error == nil else { return false }
        state.end.error = error
        return true
      }
    }
    if endsRun { downloader.cancelAll() }
  }

  /// Waits until every feed has ended.
  func ended() async -> End {
    await withCheckedContinuation { continuation in
      let end = state.withLock { state -> End? in
        if state.remaining == 0 { return state.end }
        state.waiting = continuation
        return nil
      }
      if let end { continuation.resume(returning: end) }
    }
  }
}

extension ImportRun.State {
  /// From now on failures are counted as they come.
  fileprivate mutating func takeUnreachable() -> [ImportRun.Unreachable] {
    isDecided = true
    defer { unreachable = [] }
    return unreachable
  }
}
