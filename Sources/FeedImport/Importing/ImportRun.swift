import Foundation
import HTTPDownload
import ManagedContext
import Threading

/// The state that the threads of one run share: the feeds in progress, and whether the run must end early.
final class ImportRun: Sendable {
  struct State: Sendable {
    /// The feeds that still have a save to push.
    var unanswered = 0
    /// The feeds that have not ended.
    var remaining = 0
    /// The feeds that have not ended although their transfers have.
    var unsaved = 0
    /// True after the first answer.
    var hasAnswer = false
    /// True if no further feeds will be added.
    var hasAll = false
    var pauses: ServerPauses
    var end = FeedImporter.End()
    /// The error that ends the run early; nil without an error.
    var error: StoreError?
    /// The unreachable feeds, while no server was reached.
    var unreachable: [Unreachable] = []
    /// True if failures are counted as they occur.
    var isDecided: Bool
    /// True if the decision whether any server can be reached is made before all feeds were added.
    var isDeciding = false

    init(pauses: ServerPauses, countsUnreachable: Bool) {
      self.pauses = pauses
      isDecided = countsUnreachable
    }

    /// Returns whether few answers wait to be saved, apart from feeds that wait until a server is reached.
    func hasRoom(within most: Int) -> Bool { unsaved - unreachable.count <= max(0, most) }

    /// True if all feeds have ended.
    var isComplete: Bool { hasAll && remaining == 0 }
  }

  let options: ImportOptions
  /// The store's contents when the run began.
  let contents: StoreContents

  /// The feeds' claims; nil for a run without claims.
  let claims: Claims?
  private let activity: ImportActivity
  let downloader: Downloader
  private let root: RootContext
  let state: Locked<State>
  /// Opened when few answers wait to be saved.
  private let room = AsyncGate()
  /// Opened when all feeds have ended.
  private let done = AsyncGate()
  /// Opened at the first answer.
  private let answer = AsyncGate()
  /// Opened when it is known whether any server can be reached.
  let decision = AsyncGate()
  private let memory: Locked<ResponseMemory>

  init(
    _ state: State, claims: Claims?, activity: ImportActivity, options: ImportOptions, downloader: Downloader,
    root: RootContext, contents: StoreContents
  ) {
    self.state = Locked(state)
    self.claims = claims
    self.activity = activity
    self.options = options
    self.downloader = downloader
    self.root = root
    self.contents = contents
    memory = Locked(ResponseMemory(limit: options.heldBytes, transfers: options.jobs))
  }

  /// Counts a change in a response's memory, and resumes the paused transfers that may continue.
  ///
  /// - Parameters:
  ///   - change: The increase, in bytes; negative for a decrease.
  ///   - isReceived: True for a response that will need memory for its saves only.
  ///   - resumable: The paused transfers with receivers that can take more.
  func noteMemory(
    _ change: Int, of id: TransferID, isReceived: Bool = false, resumable: [TransferID] = []
  ) {
    resumeReady { memory in
      memory.add(change, to: id, isReceived: isReceived)
      memory.park(resumable)
    }
  }

  /// Makes a transfer wait with its first bytes until there is memory for its response.
  func waitForMemory(_ id: TransferID) { resumeReady { $0.wait(id) } }

  /// Makes a change, and resumes the waiting transfers that may continue. While others wait, stalls are watched for.
  private func resumeReady(after change: (inout ResponseMemory) -> Void) {
    let (ready, mustWatch) = memory.withLock { memory in
      change(&memory)
      let ready = memory.takeReady()
      let mustWatch = memory.hasWaiting && !memory.isWatched
      if mustWatch { memory.isWatched = true }
      return (ready, mustWatch)
    }
    if !ready.isEmpty { downloader.resumeAll(ready) }
    if mustWatch { Task { await watchForStalls() } }
  }

  /// Takes the reserved memory from stalled responses while transfers wait for it: a server may send nothing for
  /// as long as ``ImportOptions/silenceTimeout``.
  private func watchForStalls() async {
    var isWatched = true
    while isWatched {
      try? await Task.sleep(for: options.stallInterval)
      let ready = memory.withLock { memory in
        memory.markStalled()
        let ready = memory.takeReady()
        memory.isWatched = memory.hasWaiting
        isWatched = memory.isWatched
        return ready
      }
      if !ready.isEmpty { downloader.resumeAll(ready) }
    }
  }

  /// Admits a response that was received while it waited for memory.
  func admit(_ id: TransferID) { memory.withLock { $0.admit(id) } }

  /// Makes the root write its saves at once if responses wait for memory: few other saves come until then.
  func hastenSaves() {
    if memory.withLock({ $0.isShort }) { root.flush(commits: false) }
  }

  /// Returns whether there is memory for a response's next data.
  func hasMemory(for id: TransferID) -> Bool { memory.withLock { $0.mayContinue(id) } }

  // MARK: The feeds of the run

  /// Adds feeds with transfers that are about to start, and pauses that other runs have met.
  ///
  /// - Returns: The feeds that may be polled. Feeds on paused servers are noted as not polled.
  func add(_ part: FeedImporter.RequestPart) -> [FeedRequest] {
    let now = options.now()
    let (requests, refused) = state.withLock { state in
      state.pauses.merge(part.pauses)
      var (requests, refused): ([FeedRequest], [FeedRequest]) = ([], [])
      for request in part.requests {
        if let refusal = state.pauses.refusal(of: request.address, at: now) {
          state.end.notPolled.set(refusal, for: request.feed)
          refused.append(request)
        } else {
          requests.append(request)
        }
      }
      state.unanswered += requests.count
      state.remaining += requests.count
      return (requests, refused)
    }
    for request in refused { claims?.end(request) }
    activity.leaveOut(refused.count)
    return requests
  }

  /// Waits until there is memory for more feeds' answers.
  func makeRoom() async {
    room.close()
    openIfRoom()
    await room.wait()
  }

  func openIfRoom() {
    if state.withLock({ $0.hasRoom(within: options.mostUnsaved) }) { room.open() }
  }

  /// Notes that no further feeds will be added.
  func addedAll() {
    finishIfComplete { $0.hasAll = true }
    decideAtEnd()
  }

  /// True if the store has rejected further saves, so that the run must end.
  var hasFailed: Bool { state.withLock { $0.error != nil } }

  /// Ends the run because of a store error.
  func fail(_ error: StoreError) {
    let isFirst = state.withLock { state in
      defer { state.error = state.error ?? error }
      return state.error == nil
    }
    if isFirst { downloader.cancelAll() }
  }

  /// Changes the state, and ends the wait in ``ended()`` if all feeds have ended by then.
  private func finishIfComplete(_ change: (inout State) -> Void) {
    let isComplete = state.withLock { state in
      change(&state)
      return state.isComplete
    }
    if isComplete { done.open() }
  }

  /// Counts a feed whose last save has been pushed, or that has nothing to save. After the last feed, the
  /// root does not wait for more.
  func feedAnswered() {
    let (isFirst, isLast) = state.withLock { state in
      state.unanswered -= 1
      defer { state.hasAnswer = true }
      return (!state.hasAnswer, state.unanswered == 0)
    }
    if isFirst { answer.open() }
    if isLast { root.flush() }
  }

  /// Waits for the first answer, but not for long.
  func firstAnswer() async {
    let timer = Task { [answer, time = options.firstWait] in
      try? await Task.sleep(for: time)
      answer.open()
    }
    await answer.wait()
    timer.cancel()
  }

  /// Counts a feed that must be saved again.
  func feedWaitsAgain() {
    state.withLock { $0.unanswered += 1 }
  }

  // MARK: The end of a feed

  /// Notes a feed that was removed during its poll.
  func noteRemoved(_ request: FeedRequest) {
    state.withLock { $0.end.removed[request.feed] = request.ownAddress }
  }

  /// Notes a feed that was not polled, or without a saved answer.
  ///
  /// - Parameter list: The list for such feeds in the run's end.
  func note(
    _ request: FeedRequest, in list: any WritableKeyPath<FeedImporter.End, [ManagedObjectID]> & Sendable
  ) {
    state.withLock { $0.end[keyPath: list].append(request.feed) }
  }

  /// Returns whether a feed may be polled when its turn comes; called on the download thread.
  func begin(_ request: FeedRequest) -> Bool {
    let now = options.now()
    guard claims?.hold(request, at: now) ?? true else { return false }
    activity.start(request.feed, .init(address: request.address, began: now))
    return true
  }

  /// True if no other run can have claimed this run's feeds.
  var isPunctual: Bool { !(claims?.mayHaveExpired(at: options.now()) ?? false) }

  /// Notes that a feed's transfer has ended; called on the download thread.
  func endTransfer(of request: FeedRequest) {
    activity.endTransfer(of: request.feed)
    state.withLock { $0.unsaved += 1 }
  }

  /// Counts a feed after its answer was saved, or without an answer.
  ///
  /// - Parameters:
  ///   - request: The feed.
  ///   - failed: True if its answer was a failure.
  func feedEnded(_ request: FeedRequest, failed: Bool = false) {
    claims?.end(request)
    activity.finish(failed: failed)
    finishIfComplete { state in
      state.remaining -= 1
      state.unsaved -= 1
    }
    openIfRoom()
    decideAtEnd()
  }

  /// Notes that the store rejected a save.
  ///
  /// If the save is the cause, only its feed has failed. If the store is the cause, the run ends, because it
  /// would reject the other feeds as well.
  func saveFailed(_ error: StoreError, of request: FeedRequest) {
    guard error.isRefusal else { return fail(error) }
    state.withLock { state in
      // After a failed part of a response, all its other parts fail.
      if state.end.unsaved.last?.feed != request.feed {
        state.end.unsaved.append(.init(feed: request.feed, address: request.address, error: error))
      }
    }
  }

  /// Waits until every feed has ended.
  ///
  /// - Throws: The error that ended the run early.
  func ended() async throws(StoreError) -> FeedImporter.End {
    await done.wait()
    let (end, error) = state.withLock { ($0.end, $0.error) }
    if let error { throw error }
    return end
  }
}
