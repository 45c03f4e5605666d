import Threading

/// Notifies many observers about saves: Core Data's did-save notification, for one context or coordinator.
public final class ChangeNotifier: Sendable {
  private struct State: Sendable {
    var next = 0
    var observers: [Int: @Sendable (ContextChanges) -> Void] = [:]
  }

  private let state = Locked(State())

  /// Creates a notifier without observers. Stores that report their own changes need one.
  public init() {}

  /// Calls `body` after each save, on the thread that saved. The callback must be fast and must not save.
  ///
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(_ body: @escaping @Sendable (ContextChanges) -> Void) -> ChangeObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers[state.next] = body
      return state.next
    }
    return ChangeObservation { [weak self] in self?.state.withLock { $0.observers[number] = nil } }
  }

  /// The saves from now on, as a sequence for one task.
  ///
  /// Saves that occur while the task is busy are combined into one element. No change is lost, and memory
  /// does not grow with each save.
  public var changes: SavedChanges { SavedChanges(self) }

  /// Notifies the observers.
  public func post(_ changes: ContextChanges) {
    guard !changes.isEmpty else { return }
    let observers = state.withLock { Array($0.observers.values) }
    for body in observers { body(changes) }
  }
}

/// Keeps an observation alive. Releasing this object ends the observation.
public final class ChangeObservation: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  /// Creates an observation that runs `end` once, when it is cancelled or released.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = Locked(end)
  }

  deinit { cancel() }

  /// Ends the observation. Further calls have no effect.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// Saves as an asynchronous sequence that never ends by itself.
public struct SavedChanges: AsyncSequence, Sendable {
  /// Changes from one or several saves.
  public typealias Element = ContextChanges

  private let notifier: ChangeNotifier

  init(_ notifier: ChangeNotifier) {
    self.notifier = notifier
  }

  /// Starts the observation.
  public func makeAsyncIterator() -> Iterator { Iterator(notifier) }

  /// An iterator that observes from its creation until its task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let coalescer = ChangeCoalescer()
    private var wakeUps: AsyncStream<Void>.Iterator
    private let observation: ChangeObservation

    init(_ notifier: ChangeNotifier) {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      wakeUps = stream.makeAsyncIterator()
      let coalescer = coalescer
      observation = notifier.observe { changes in
        if coalescer.add(changes) { continuation.yield() }
      }
    }

    /// Waits for the next save.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ContextChanges? {
      while await wakeUps.next(isolation: actor) != nil {
        let changes = coalescer.take()
        if !changes.isEmpty { return changes }
      }
      return nil
    }
  }
}
