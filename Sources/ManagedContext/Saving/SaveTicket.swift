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
  public func whenEnded(_ body: @escaping @Sendable (Outcome) -> Void) {
    let known: Outcome? = state.update { state in
      switch state {
      case .ended(let outcome): return outcome
      case .pending(var pending):
        pending.atEnd.append(body)
        state = .pending(pending)
        return nil
      }
    }
    if let known { body(known) }
  }

  /// Calls `body` once when the changes need no more memory: the open transaction contains them, or the outcome is
  /// known. If only the transaction fails after that, the error concerns all of its saves, not this one.
  ///
  /// - Parameter body: Is called on the root context's writer thread, or at once. It must not wait, and not use the
  ///   store. The calls from ``whenEnded(_:)`` come first if the outcome is known.
  public func whenApplied(_ body: @escaping @Sendable () -> Void) {
    let isApplied = state.update { state in
      guard case .pending(var pending) = state, !pending.isApplied else { return true }
      pending.whenApplied.append(body)
      state = .pending(pending)
      return false
    }
    if isApplied { body() }
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
