import Threading

/// Stands for a save on its way to the store: its end is the acknowledgement.
///
/// A child's save is in memory when `save` returns; only a committed ticket says that the store has it.
public final class SaveTicket: Sendable {
  /// How the save ended.
  public typealias Outcome = Result<CommitResult, StoreError>

  private enum State: Sendable {
    case pending([@Sendable (Outcome) -> Void], isBeingWritten: Bool)
    case ended(Outcome)
  }

  private let state = Monitor<State>(.pending([], isBeingWritten: false))

  init() {}

  /// A ticket that has ended already.
  convenience init(_ outcome: Outcome) {
    self.init()
    complete(outcome)
  }

  /// Waits until the store has the changes.
  ///
  /// - Throws: What kept the store from taking them; nothing of this save was written then.
  public func committed() async throws(StoreError) -> CommitResult {
    let outcome: Outcome = await withCheckedContinuation { continuation in
      whenEnded { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  /// Calls `body` once with the outcome: at once if it is known, else on the thread of the root's writer.
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

  /// How the save ended; nil while it is on its way.
  public var outcome: Outcome? {
    state.update { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }

  /// Blocks the thread until the store has answered.
  func wait() -> Outcome {
    state.wait { if case .ended(let outcome) = $0 { outcome } else { nil } }
  }

  /// Whether a transaction is writing the changes just now; false before and after.
  var isBeingWritten: Bool {
    state.update { if case .pending(_, true) = $0 { true } else { false } }
  }

  /// From here on a reader may see the rows although the outcome is not known yet.
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
