import Threading

/// Tracks a save on its way to the store. The ticket ends when the outcome is known.
///
/// A child's save is in memory when `save` returns. Only a committed ticket confirms that the store has it.
public final class SaveTicket: Sendable {
  /// The save's outcome.
  public typealias Outcome = Result<CommitResult, StoreError>

  private enum State: Sendable {
    case pending([@Sendable (Outcome) -> Void], isBeingWritten: Bool)
    case ended(Outcome)
  }

  private let state = Monitor<State>(.pending([], isBeingWritten: false))

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
      case .pending(var waiting, let isBeingWritten):
        waiting.append(body)
        state = .pending(waiting, isBeingWritten: isBeingWritten)
        return nil
      }
    }
    if let known { body(known) }
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
    state.update { if case .pending(_, true) = $0 { true } else { false } }
  }

  /// Records that readers may see the rows from now on, although the outcome is unknown.
  func beginWriting() {
    state.update { state in
      if case .pending(let waiting, _) = state { state = .pending(waiting, isBeingWritten: true) }
    }
  }

  func complete(_ outcome: Outcome) {
    let waiting: [@Sendable (Outcome) -> Void] = state.update { state in
      guard case .pending(let waiting, _) = state else { return [] }
      state = .ended(outcome)
      return waiting
    }
    for body in waiting { body(outcome) }
  }
}
