import ManagedContext
import NewsModel
import Threading

/// Finds out whether any server can be reached. Until then, failures that may be the network's are withheld.
extension ImportRun {
  /// An unreachable feed, while no server was reached. When a server is reached, or at the end, it is decided
  /// whether this is the feed's failure.
  struct Unreachable: Sendable {
    let request: FeedRequest
    let sign: NetworkSign
    let failure: PollFailure
    /// Counts it as the feed's failure.
    let count: @Sendable () -> Void
  }

  /// Notes that a server was reached: the unreachable feeds have failed.
  func noteReached() {
    let held = state.withLock { state -> [Unreachable] in
      state.end.isReached = true
      return state.takeUnreachable()
    }
    decision.open()
    for feed in held {
      claims?.unpark(feed.request)
      feed.count()
    }
  }

  /// Notes an ended poll's sign, and withholds a failure that the network may have caused.
  ///
  /// - Parameter count: Counts it as the feed's failure. It is called when another server was reached, or if
  ///   the network is not the cause.
  /// - Returns: False if the poll is saved at once.
  func holdBack(
    _ request: FeedRequest, _ sign: NetworkSign, _ failure: PollFailure,
    count: @escaping @Sendable () -> Void
  ) -> Bool {
    if sign == .reached { noteReached() }
    if sign == .unusableSettings {
      leaveUnreached(request, failure, .settings)
      return true
    }
    guard sign.isDoubtful else { return false }
    let isHeld = state.withLock { state in
      guard !state.isDecided else { return false }
      state.unreachable.append(Unreachable(request: request, sign: sign, failure: failure, count: count))
      return true
    }
    if isHeld {
      claims?.park(request)
      openIfRoom()
      decideAtEnd()
    }
    return isHeld
  }

  /// True if too many feeds are unreachable to add more before it is known whether any server can be reached.
  var mustDecide: Bool { state.withLock { $0.unreachable.count >= max(1, options.mostUnreachable) } }

  private func leaveUnreached(_ request: FeedRequest, _ failure: PollFailure, _ cause: OutageCause) {
    state.withLock { state in
      state.end.unreachable[request.feed] = failure
      state.end.outageCause = state.end.outageCause ?? cause
    }
    feedAnswered()
    feedEnded(request)
  }

  /// True if no server can be reached, so that no more feeds must be added.
  var isOffline: Bool { state.withLock { $0.end.isOffline } }

  /// Waits until the feeds added so far show whether any server can be reached.
  func decide() async {
    state.withLock { $0.isDeciding = true }
    decideAtEnd()
    await decision.wait()
  }

  /// Decides whether the network is the cause, if only unreached feeds are left.
  func decideAtEnd() {
    let (held, cause) = state.withLock { state -> ([Unreachable], OutageCause?) in
      guard !state.isDecided, state.hasAll || state.isDeciding, !state.unreachable.isEmpty,
        state.unreachable.count == state.remaining
      else { return ([], nil) }
      let held = state.takeUnreachable()
      let cause = OutageCause(
        held.map {
          let hasWorked = $0.request.failures == 0 && $0.request.lastFetch != nil
          return ($0.sign, NetworkSign.site(of: $0.request.address), hasWorked)
        })
      if cause != nil { state.end.isOffline = true }
      return (held, cause)
    }
    if !held.isEmpty { decision.open() }
    for feed in held {
      claims?.unpark(feed.request)
      if let cause { leaveUnreached(feed.request, feed.failure, cause) } else { feed.count() }
    }
  }
}

extension ImportRun.State {
  /// Returns the unreachable feeds. Further failures are counted as they occur.
  fileprivate mutating func takeUnreachable() -> [ImportRun.Unreachable] {
    isDecided = true
    defer { unreachable = [] }
    return unreachable
  }
}
