import Threading

/// Tracks a save on its way to the store. The ticket ends when the outcome is known.
///
/// A child's save is in memory when `save` returns. Only a committed ticket confirms that the store has it.
public final class SaveTicket: Sendable {
  /// The save's outcome.
  public typealias Outcome = Result<CommitResult, StoreError>

  private enum State: Sendable {
    case pending(Pending)
    case ended(Outcome)
  }

  private struct Pending {
    /// The calls at the outcome.
    var atEnd: [@Sendable (Outcome) -> Void] = []
    /// The calls as soon as the store has applied the changes.
    var whenApplied: [@Sendable () -> Void] = []
    var isBeingWritten = false
    var isApplied = false
  }

  private let state = Monitor<State>(.pending(Pending()))

  init() {}

  /// Creates a ticket that has already ended.
  convenience init(_ outcome: Outcome) {
    self.init()
    complete(outcome)
  }

  /// Waits until the store has the changes.
  ///
  /// - Throws: The store's error. Nothing of this save was written then.
  public func committed() async throws(StoreError) -> CommitResult {
    let outcome: Outcome = await withCheckedContinuation { continuation in
      whenEnded { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  /// Calls `body` once with the outcome: at once if it is known, otherwise on the root context's writer
  /// thread.
  ///
  /// - Parameters:
  ///   - applied: It is called once when the changes need no more memory: the open transaction contains them, or the
  ///     outcome is known and `body` has returned. An error after that concerns the whole transaction, not this save
  ///     alone. It runs on the writer's thread, or at once. It must not wait, and not use the store.
  ///   - body: Receives the outcome.
  public func whenEnded(
    applied: (@Sendable () -> Void)? = nil, _ body: @escaping @Sendable (Outcome) -> Void
  ) {
    let known: (outcome: Outcome?, isApplied: Bool) = state.update { state in
      switch state {
      case .ended(let outcome): return (outcome, true)
      case .pending(var pending):
        pending.atEnd.append(body)
        if let applied, !pending.isApplied { pending.whenApplied.append(applied) }
        state = .pending(pending)
        return (nil, pending.isApplied)
      }
    }
    if let outcome = known.outcome { body(outcome) }
    if known.isApplied { applied?() }
  }

  /// The save's outcome; nil until it is known.
  public var outcome: Outcome? {
    state.update { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }

  /// Blocks the thread until the store has answered.
  public func wait() -> Outcome {
    state.wait { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }

  /// True while a transaction writes the changes.
  var isBeingWritten: Bool {
    state.update { if case .pending(let pending) = $0 { pending.isBeingWritten } else { false } }
  }

  /// Records that readers may see the rows from now on, although the outcome is unknown.
  func beginWriting() {
    state.update { state in
      guard case .pending(var pending) = state else { return }
      pending.isBeingWritten = true
      state = .pending(pending)
    }
  }

  /// Records that the open transaction contains the changes.
  func noteApplied() {
    let calls: [@Sendable () -> Void] = state.update { state in
      guard case .pending(var pending) = state else { return [] }
      let calls = pending.whenApplied
      (pending.whenApplied, pending.isApplied) = ([], true)
      state = .pending(pending)
      return calls
    }
    for body in calls { body() }
  }

  func complete(_ outcome: Outcome) {
    let pending: Pending? = state.update { state in
      guard case .pending(let pending) = state else { return nil }
      state = .ended(outcome)
      return pending
    }
    for body in pending?.atEnd ?? [] { body(outcome) }
    for body in pending?.whenApplied ?? [] { body() }
  }
}
